#pragma once
#include <algorithm>

#include "microstep/data/spec.hpp"

namespace microstep {

/// One of its accumulators has a skip rule.
inline bool can_skip(const Spec& spec) {
  if (spec.op == "multi_steps" && spec.text("skip") != "never") return true;
  return std::ranges::any_of(spec.of, can_skip);
}

}  // namespace microstep
