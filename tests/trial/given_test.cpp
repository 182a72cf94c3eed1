// A run on other gradients than the plan's, or on fewer microsteps, is not a run of the plan.
#include <gtest/gtest.h>

#include "microstep/train/setup.hpp"
#include "microstep/trial/check.hpp"
#include "microstep/trial/evidence.hpp"

namespace microstep {
namespace {

Plan replay(Dtype dtype = Dtype::float32) {
  PlanOptions options;
  options.dtype = dtype;
  return make_plan(parse_spec("multi_steps(sgd(0.5), k=2)"), parse_spec("replay", OpKind::problem), options);
}

Trace run_of(const Plan& plan) { return std::get<Trace>(own_run(plan)); }

TEST(Given, OwnRunsGetTheirPlansGradients) {
  for (Dtype dtype : all_dtypes()) {
    const Plan plan = replay(dtype);
    EXPECT_FALSE(other_than_given(plan, run_of(plan)));
    const Plan reference = large_batch_of(plan);
    EXPECT_FALSE(other_than_given(reference, run_of(reference)));
  }
}

TEST(Given, DoubledGradientsShow) {
  const Plan plan = replay();
  Plan doubled = plan;
  for (GivenGradient& given : doubled.given)
    for (double& g : given.gradient.values(0)) g *= 2;
  const auto other = other_than_given(plan, run_of(doubled));
  ASSERT_TRUE(other);
  EXPECT_NE(other->find("gradients/w"), std::string::npos);
}

TEST(Given, AShorterRunShows) {
  const Plan plan = replay();
  Plan shorter = plan;
  shorter.batches.pop_back();
  EXPECT_TRUE(other_than_given(plan, run_of(shorter)));
}

TEST(Given, AnotherOrderShows) {
  const Plan plan = replay();
  Plan reversed = plan;
  std::ranges::reverse(reversed.batches);
  EXPECT_TRUE(other_than_given(plan, run_of(reversed)));
}

}  // namespace
}  // namespace microstep
