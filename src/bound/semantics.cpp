#include "microstep/bound/semantics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "counterpart.hpp"
#include "microstep/bound/transition.hpp"

namespace microstep {
namespace {

using A = Balls<Wide>;

// One accumulated run beside all that it is compared with.
class Decision {
 public:
  explicit Decision(std::span<const Pairing> pairings)
      : windows_(pairings[0].windows),
        plan_(pairings[0].accumulated),
        arithmetic_(semantics_of(plan_)),
        accumulated_(arithmetic_, plan_, pairings[0].transformation) {
    for (const Pairing& pairing : pairings)
      counterparts_.push_back(std::make_unique<Counterpart>(arithmetic_, pairing, accumulated_));
  }

  std::vector<Semantics> take() {
    for (std::size_t i = 0; i < windows_.size() && is_any_live(); ++i) {
      for_live([](Counterpart& c) { c.begin_window(); });
      run_window(i, i + 1 == windows_.size());
      restart();
    }
    std::vector<Semantics> result;
    for (auto& counterpart : counterparts_) result.push_back(counterpart->take());
    return result;
  }

 private:
  bool is_any_live() const {
    return std::ranges::any_of(counterparts_, [](const auto& c) { return c->is_live(); });
  }

  template <class Do>
  void for_live(const Do& act) {
    for (auto& counterpart : counterparts_)
      if (counterpart->is_live()) act(*counterpart);
  }

  void run_window(std::size_t i, bool is_last) {
    try {
      accumulated_.run_to(windows_[i].back());
      if (is_last) accumulated_.flush_open();
      accumulated_.note_params_scale();
    } catch (const Undecidable& reason) {
      return for_live([&](Counterpart& c) { c.set_undecidable(reason.what()); });
    }
    for_live([&](Counterpart& c) {
      try {
        c.judge_window(static_cast<std::int64_t>(i), is_last);
      } catch (const Undecidable& reason) {
        c.set_undecidable(reason.what());
      }
    });
  }

  // All go on from the centres of the first that is still the same.
  void restart() {
    bool given = false;
    for_live([&](Counterpart& c) {
      if (given)
        c.take_centres();
      else
        c.give_centres();
      given = true;
    });
  }

  const Windows& windows_;
  const Plan& plan_;
  A arithmetic_;
  WindowRun accumulated_;
  std::vector<std::unique_ptr<Counterpart>> counterparts_;
};

void check_windows(const Pairing& pairing) {
  std::size_t other = pairing.reference_windows ? pairing.reference_windows->size() : pairing.reference.batches.size();
  if (pairing.windows.size() == other) return;
  throw Error("plan.windows",
              fmt::format("the accumulated run has {} windows, the reference {}", pairing.windows.size(), other),
              to_string(pairing.reference.spec), "make the reference with large_batch_of");
}

}  // namespace

std::vector<Semantics> decide(std::span<const Pairing> pairings) {
  if (pairings.empty()) return {};
  for (const Pairing& pairing : pairings) check_windows(pairing);
  return Decision(pairings).take();
}

Semantics decide(const Pairing& pairing) { return decide(std::span(&pairing, 1)).front(); }

}  // namespace microstep
