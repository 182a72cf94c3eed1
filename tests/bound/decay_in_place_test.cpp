// A loop that decays its params before it adds the step, as PyTorch's AdamW does, and shows no updates.
#include <cmath>
#include <random>

#include "bound/plans.hpp"

namespace microstep::testing_bound {
namespace {

constexpr double lr = 0.001, decay = 0.01;

float random_float(std::mt19937& bits) { return static_cast<float>(static_cast<double>(bits()) * 0x1p-30 - 2); }

/// One step from w with gradient g, state fresh: w (1 - lr decay) first, `times` over, then the step.
float in_place(float w, float g, int times) {
  for (int i = 0; i < times; ++i) w *= static_cast<float>(1 - lr * decay);
  const float mu = 0.1F * g, nu = 0.1F * (g * g);
  const float denominator = std::sqrt(nu) / static_cast<float>(std::sqrt(1 - 0.9)) + 1e-8F;
  return w + static_cast<float>(-lr / (1 - 0.9)) * (mu / denominator);
}

/// The params' ball after one step; shown: the trace has the updates of our own run.
Ball params_ball(float w, float g, bool shown) {
  const Plan plan = replay_of("adamw(0.001, b2=0.9, weight_decay=0.01)", {g}, Dtype::float32, w);
  Trace trace = run(plan);
  if (!shown) {
    std::vector<Column> columns = trace.schema().columns();
    columns[*trace.schema().find_column("updates/w")].path = "notes/w";
    trace.replace_schema(std::make_shared<const Schema>(std::move(columns), trace.schema().count_paths()));
  }
  const Envelope balls = transitions(plan, embedded(trace));
  return balls.numbers(1, *balls.schema().find_column("params/w"))[0];
}

TEST(DecayInPlace, IsFaithfulWhereNoUpdateIsShown) {
  std::mt19937 bits(1);
  int outside_of_the_definition = 0;
  for (int i = 0; i < 3000; ++i) {
    const float w = random_float(bits), g = random_float(bits), next = in_place(w, g, 1);
    ASSERT_TRUE(contains(params_ball(w, g, false), next)) << w << " " << g;
    outside_of_the_definition += !contains(params_ball(w, g, true), next);
  }
  EXPECT_GT(outside_of_the_definition, 0) << "the definition alone would hold all of them";
}

TEST(DecayInPlace, TwiceIsOutside) {
  std::mt19937 bits(2);
  for (int i = 0; i < 200; ++i) {
    const float w = random_float(bits), g = random_float(bits);
    if (std::fabs(w) < 0.01F) continue;
    EXPECT_FALSE(contains(params_ball(w, g, false), in_place(w, g, 2))) << w << " " << g;
    EXPECT_FALSE(contains(params_ball(w, g, false), in_place(w, g, 0))) << w << " " << g;
  }
}

// A leaf that its mask leaves out, and a held microstep, move by their update alone.
TEST(DecayInPlace, IsAllowedOnDecayedLeavesThatMove) {
  for (const char* spec : {"multi_steps(adamw(0.1), k=2)", "adamw(0.5, weight_decay=0.25, mask=[b])",
                           "masked(adamw(0.5, weight_decay=0.25), mask=[b])"}) {
    Plan plan = replay_of("sgd(0.5)", {0}, Dtype::float32, 1.5);
    plan.spec = parse_spec(spec);
    const Envelope balls = transitions(plan, embedded(Trace(run(plan))));
    EXPECT_EQ(balls.numbers(1, *balls.schema().find_column("params/w"))[0].radius, 0) << spec;
  }
}

}  // namespace
}  // namespace microstep::testing_bound
