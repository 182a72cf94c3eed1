#pragma once
// The ways in which a plan gets simpler. Each appends candidates, which need not be valid or simpler.
#include <vector>

#include "microstep/data/plan.hpp"

namespace microstep {

using Candidates = std::vector<Plan>;

void with_simpler_spec(const Plan& plan, Candidates& candidates);
void with_fewer_microsteps(const Plan& plan, Candidates& candidates);
void with_fewer_leaves(const Plan& plan, Candidates& candidates);
void with_smaller_numbers(const Plan& plan, Candidates& candidates);
void with_plain_fields(const Plan& plan, Candidates& candidates);

std::int64_t complexity_of_spec(const Spec& spec);
/// The digits of all numbers, and what is special about leaves.
std::int64_t complexity_of_numbers(const Plan& plan);

}  // namespace microstep
