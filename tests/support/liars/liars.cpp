#include <algorithm>
#include <stdexcept>

#include "support/liars/liar.hpp"

namespace microstep::liars {

const std::vector<Liar>& liars() {
  static const std::vector<Liar> all = [] {
    std::vector<Liar> rows;
    for (auto* part : {accumulation_liars, window_liars, moment_liars, schedule_liars, decay_liars, clip_liars,
                       skip_liars, leaf_liars, form_liars, persistence_liars, trace_liars})
      for (Liar row : part()) rows.push_back(std::move(row));
    return rows;
  }();
  return all;
}

const Liar& liar(std::string_view id) {
  auto found = std::ranges::find(liars(), id, &Liar::id);
  if (found == liars().end()) throw std::out_of_range("no liar " + std::string(id));
  return *found;
}

}  // namespace microstep::liars
