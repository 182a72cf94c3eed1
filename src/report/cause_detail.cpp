// What the numbers of a comparison say about a cause: the factor of a sum, the counts of an inner that was awake.
#include <fmt/format.h>

#include <algorithm>

#include "microstep/report/compare.hpp"

namespace microstep {
namespace {

std::string factor(const Comparison& c) {
  std::size_t k = 0;
  for (const auto& window : c.windows) k = std::max(k, window.size());
  return fmt::format(" (factor {})", k);
}

std::string counts(const Comparison& c) {
  for (const Difference& d : c.semantics.differences)
    if (d.is_count)
      return fmt::format(" ({} is {} where the large batch has {})", d.path,
                         static_cast<std::int64_t>(d.accumulated.value), static_cast<std::int64_t>(d.reference.value));
  return "";
}

}  // namespace

std::string cause_detail(const Comparison& c, const std::string& cause) {
  if (cause == "sum-mean") return factor(c);
  if (cause == "micro-state" || cause == "time-index" || cause == "schedule-count") return counts(c);
  return "";
}

}  // namespace microstep
