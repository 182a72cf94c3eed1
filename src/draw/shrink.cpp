#include "microstep/draw/shrink.hpp"

#include "microstep/data/error.hpp"
#include "shrink_steps.hpp"

namespace microstep {
namespace {

bool is_valid(const Plan& plan) {
  try {
    check(plan);
    return !plan.batches.empty() && checked(plan.spec) == plan.spec;
  } catch (const Error&) {
    return false;
  }
}

bool still_fails(const std::function<bool(const Plan&)>& fails, const Plan& plan) {
  try {
    return fails(plan);
  } catch (const Error&) {
    return false;
  }
}

// The first failing candidate; budget counts down.
std::optional<Plan> next_failing(const Plan& plan, const std::function<bool(const Plan&)>& fails,
                                 std::int64_t& budget) {
  for (Plan& candidate : shrink(plan)) {
    if (budget-- <= 0) return std::nullopt;
    if (still_fails(fails, candidate)) return std::move(candidate);
  }
  return std::nullopt;
}

std::int64_t complexity_of_fields(const Plan& plan) {
  std::int64_t total = 3 * std::ssize(plan.interruptions);
  total += plan.loss == Loss::sum ? 3 : 0;
  total += plan.hyper_precision == HyperPrecision::float64 ? 0 : 3;
  return total + (plan.flushes_subnormals ? 3 : 0);
}

}  // namespace

std::int64_t complexity(const Plan& plan) {
  std::int64_t total = complexity_of_spec(plan.spec) + complexity_of_numbers(plan) + complexity_of_fields(plan);
  for (const auto& batch : plan.batches) total += 40 + 10 * std::ssize(batch);
  return total;
}

std::vector<Plan> shrink(const Plan& plan) {
  constexpr void (*steps[])(const Plan&, Candidates&) = {with_fewer_microsteps, with_fewer_leaves, with_simpler_spec,
                                                         with_plain_fields, with_smaller_numbers};
  Candidates all;
  for (const auto step : steps) step(plan, all);
  const std::int64_t before = complexity(plan);
  std::erase_if(all, [&](const Plan& candidate) { return !is_valid(candidate) || complexity(candidate) >= before; });
  return all;
}

Plan shrunk(Plan plan, const std::function<bool(const Plan&)>& fails, std::int64_t budget) {
  while (std::optional<Plan> next = next_failing(plan, fails, budget)) plan = std::move(*next);
  return plan;
}

}  // namespace microstep
