#include <algorithm>

#include "microstep/bound/semantics.hpp"
#include "microstep/train/run.hpp"

namespace microstep {
namespace {

bool can_skip(const Spec& spec) {
  if (spec.op == "multi_steps" && spec.text("skip") != "never") return true;
  return std::ranges::any_of(spec.of, can_skip);
}

using BallState = State<Ball>;

const BallState* find_multi_steps(const BallState& state) {
  if (state.op == "multi_steps") return &state;
  for (const BallState& inner : state.of)
    if (const BallState* found = find_multi_steps(inner)) return found;
  return nullptr;
}

}  // namespace

std::vector<bool> skipped_microsteps(const Plan& plan) {
  if (!can_skip(plan.spec)) return {};
  Training<Balls<Wide>> training(Balls<Wide>::semantics(narrowest_dtype(plan.params.layout())), plan);
  std::vector<bool> skipped(plan.batches.size(), false);
  const BallState& state = *find_multi_steps(training.state);
  std::size_t open = 0;
  for (std::size_t t = 0; t < skipped.size(); ++t) {
    std::int64_t before = state.count("mini_step"), emitted = state.count("gradient_step");
    training.step();
    bool moved = state.count("mini_step") != before, emits = state.count("gradient_step") != emitted;
    if (moved && before == 0) open = t;
    if (!moved && !emits) skipped[t] = true;
    bool dropped = moved && !emits && state.count("mini_step") == 0;
    if (dropped)
      std::fill(skipped.begin() + static_cast<std::ptrdiff_t>(open),
                skipped.begin() + static_cast<std::ptrdiff_t>(t) + 1, true);
  }
  return skipped;
}

}  // namespace microstep
