#pragma once
// Two plans side by side, and their answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "microstep/bound/semantics.hpp"
#include "microstep/bound/transition.hpp"
#include "microstep/train/run.hpp"
#include "microstep/train/setup.hpp"

namespace microstep::testing_bound {

inline Plan plan_of(std::string_view spec, std::string_view problem, const PlanOptions& options = {}) {
  return make_plan(parse_spec(spec), parse_spec(problem, OpKind::problem), options);
}

/// One given gradient a number, one leaf w [1] from `start`.
inline Plan replay_of(std::string_view spec, const std::vector<double>& gradients, Dtype dtype = Dtype::float32,
                      double start = 0) {
  Plan plan;
  plan.spec = parse_spec(spec);
  plan.problem = parse_spec("replay", OpKind::problem);
  plan.gradient_layout = make_layout({{"w", {1}, dtype}});
  plan.params = filled(plan.gradient_layout, start);
  for (double g : gradients) {
    plan.batches.push_back({static_cast<std::int64_t>(plan.given.size())});
    plan.given.push_back({filled(plan.gradient_layout, g), 1});
  }
  check(plan);
  return plan;
}

/// One leaf w [2] of float32, gradients given.
inline Plan two_elements(std::string_view spec, const std::vector<std::vector<double>>& gradients) {
  Plan plan = replay_of(spec, std::vector<double>(gradients.size()));
  plan.gradient_layout = make_layout({{"w", {2}, Dtype::float32}});
  plan.params = filled(plan.gradient_layout, 0.0);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    plan.given[i].gradient = filled(plan.gradient_layout, 0.0);
    std::ranges::copy(gradients[i], plan.given[i].gradient.values(0).begin());
  }
  return plan;
}

/// Against the large batch, or against another spec on the large batch.
inline Semantics against(const Plan& plan, std::string_view other = {}) {
  const auto skipped = skipped_microsteps(plan);
  Plan reference = large_batch_of(plan, skipped);
  if (!other.empty()) reference.spec = parse_spec(other);
  return decide({plan, reference, windows(plan, skipped)});
}

inline std::vector<std::string> paths(const Semantics& semantics) {
  std::vector<std::string> all;
  for (const Difference& d : semantics.differences) all.push_back(d.path);
  return all;
}

}  // namespace microstep::testing_bound
