#pragma once
// From a failing plan to the least one that still fails: fewest leaves, k = 2, one window, small integers, a simpler
// spec. Plans are data, so what is left can be printed and kept.
#include <functional>
#include <vector>

#include "microstep/data/plan.hpp"

namespace microstep {

/// What shrinking makes smaller: nodes and arguments of the spec, microsteps, leaves, elements, digits.
std::int64_t complexity(const Plan& plan);

/// Checked plans of less complexity, the most daring first. A trained problem keeps its leaves.
std::vector<Plan> shrink(const Plan& plan);

/// The first failing candidate, again and again, until none fails or budget candidates were tried. A candidate of which
/// `fails` throws an Error does not fail.
Plan shrunk(Plan plan, const std::function<bool(const Plan&)>& fails, std::int64_t budget = 4000);

}  // namespace microstep
