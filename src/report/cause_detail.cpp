// What the numbers of a comparison say about a cause: the factor of a sum, the counts of an inner that was awake.
#include <fmt/format.h>

#include <algorithm>

#include "microstep/report/compare.hpp"

namespace microstep {
namespace {

std::size_t accumulators(const Spec& spec) {
  std::size_t count = op_rule(spec.op).accumulates ? 1 : 0;
  for (const Spec& inner : spec.of) count += accumulators(inner);
  return count;
}

// k, where one accumulator alone makes the window.
std::string factor(const Comparison& c) {
  if (accumulators(c.accumulated.spec) != 1) return "";
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
