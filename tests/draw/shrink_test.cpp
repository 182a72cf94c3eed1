#include "microstep/draw/shrink.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "microstep/draw/plans.hpp"

namespace microstep {
namespace {

PlanLimits lively() {
  PlanLimits limits;
  limits.spec.accumulators = Accumulators::anywhere;
  limits.spec.least_k = 2;
  limits.ragged = true;
  limits.mixed_dtypes = true;
  limits.absent = 0.1;
  limits.special = {0.02, 0.02, 0.02, 0.02, 0.02, 0.02};
  return limits;
}

using Fails = std::function<bool(const Plan&)>;

// The first drawn plan that fails.
Plan failing(const Fails& fails) {
  for (std::uint64_t i = 0; i < 10000; ++i)
    if (Plan plan = draw_plan(Stream("shrink", 1), i, lively()); fails(plan)) return plan;
  throw Error("test.no-failing-plan", "no drawn plan fails", {}, "draw more");
}

bool mentions(const Spec& spec, const std::string& op) {
  if (spec.op == op) return true;
  for (const Spec& inner : spec.of)
    if (mentions(inner, op)) return true;
  return false;
}

bool has_number(const Plan& plan, const std::function<bool(double)>& is_it) {
  for (const GivenGradient& given : plan.given)
    for (std::size_t i = 0; i < given.gradient.leaf_count(); ++i)
      if (given.gradient.is_dense(i))
        for (double x : given.gradient.values(i))
          if (is_it(x)) return true;
  return false;
}

std::int64_t elements(const Plan& plan) { return plan.params.layout().size(); }

TEST(Shrink, GivesValidAndSimplerPlansOnly) {
  std::int64_t candidates = 0;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const Plan plan = draw_plan(Stream("shrink", 2), i, lively());
    for (const Plan& candidate : shrink(plan)) {
      ++candidates;
      EXPECT_NO_THROW(check(candidate));
      EXPECT_EQ(checked(candidate.spec), candidate.spec);
      EXPECT_LT(complexity(candidate), complexity(plan));
    }
  }
  EXPECT_GT(candidates, 1000);
}

TEST(Shrink, ReachesOneNumberWhereEveryPlanFails) {
  const Plan least =
      shrunk(failing([](const Plan& plan) { return plan.batches.size() > 4; }), [](const Plan&) { return true; });
  EXPECT_EQ(to_string(least.spec), "sgd(1)");
  EXPECT_EQ(least.batches, (std::vector<std::vector<std::int64_t>>{{0}}));
  EXPECT_EQ(least.given.size(), 1U);
  EXPECT_EQ(least.given[0].weight, 1);
  EXPECT_EQ(least.params.leaf_count(), 1U);
  EXPECT_EQ(least.params.leaf(0).shape, Shape{});
  EXPECT_EQ(least.params.leaf(0).dtype, Dtype::float32);
  EXPECT_EQ(least.gradient_layout->leaves()[0].dtype, Dtype::float32);
  for (double x : {least.params.values(0)[0], least.given[0].gradient.values(0)[0]})
    EXPECT_TRUE(x >= 1 && x <= 9 && std::trunc(x) == x) << x;
}

TEST(Shrink, ReachesKOfTwoAndOneWindow) {
  const Fails fails = [](const Plan& plan) { return mentions(plan.spec, "multi_steps") && !windows(plan).empty(); };
  const Plan least = shrunk(failing([&](const Plan& plan) { return fails(plan) && windows(plan).size() > 1; }), fails);
  EXPECT_EQ(to_string(least.spec), "multi_steps(sgd(1), k=2)");
  EXPECT_EQ(least.batches.size(), 2U);
  EXPECT_EQ(elements(least), 1);
  for (const GivenGradient& given : least.given) EXPECT_LE(given.gradient.values(0)[0], 9);
  EXPECT_NE(least.given[0].gradient.values(0)[0], least.given[1].gradient.values(0)[0]);
}

TEST(Shrink, KeepsTheOpThatMatters) {
  for (const std::string op : {"adamw", "ema", "clip_by_global_norm", "scale_by_schedule", "masked", "trace"}) {
    const Fails fails = [&](const Plan& plan) { return mentions(plan.spec, op); };
    const Plan least = shrunk(failing(fails), fails);
    EXPECT_EQ(least.spec.op, op);
    EXPECT_EQ(elements(least), 1);
    EXPECT_EQ(least.batches.size(), 1U);
  }
}

TEST(Shrink, KeepsTheSkipRuleThatMatters) {
  const Fails fails = [](const Plan& plan) {
    return plan.spec.op == "multi_steps" && plan.spec.text("skip") == "large" && plan.given.size() >= 2;
  };
  const Plan least = shrunk(failing(fails), fails);
  EXPECT_EQ(to_string(least.spec), "multi_steps(sgd(1), k=2, skip=large(1))");
  EXPECT_EQ(least.given.size(), 2U);
}

TEST(Shrink, KeepsTheNumberThatMatters) {
  const Fails fails = [](const Plan& plan) { return has_number(plan, [](double x) { return std::isnan(x); }); };
  const Plan least = shrunk(failing(fails), fails);
  EXPECT_EQ(to_string(least.spec), "sgd(1)");
  EXPECT_EQ(elements(least), 1);
  EXPECT_TRUE(std::isnan(least.given.at(0).gradient.values(0)[0]));
}

TEST(Shrink, KeepsLeavesShapesAndDtypesThatMatter) {
  const Fails fails = [](const Plan& plan) {
    bool empty = false, narrow = false;
    for (const Leaf& leaf : plan.params.layout().leaves()) {
      empty = empty || leaf.size == 0;
      narrow = narrow || leaf.dtype == Dtype::bfloat16;
    }
    return empty && narrow && plan.params.leaf_count() > 1;
  };
  const Plan least = shrunk(failing(fails), fails);
  EXPECT_EQ(least.params.leaf_count(), 2U);
  EXPECT_TRUE(fails(least));
  EXPECT_LE(elements(least), 1);
}

TEST(Shrink, KeepsInterruptionsThatMatter) {
  Plan plan = failing([](const Plan& drawn) { return drawn.batches.size() >= 6; });
  for (std::int64_t t = 1; t <= std::ssize(plan.batches); ++t) plan.interruptions.push_back(t);
  const Plan least =
      shrunk(plan, [](const Plan& p) { return !p.interruptions.empty() && p.interruptions.back() >= 2; });
  EXPECT_EQ(least.interruptions, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(least.batches.size(), 2U);
}

TEST(Shrink, TriesNoMoreThanItsBudget) {
  std::int64_t tried = 0;
  const Plan plan = draw_plan(Stream("shrink", 3), 0, lively());
  ASSERT_GT(shrink(plan).size(), 25U);
  const auto never = [&](const Plan&) {
    ++tried;
    return false;
  };
  shrunk(plan, never, 25);
  EXPECT_EQ(tried, 25);
}

TEST(Shrink, TakesAnErrorForNoFailure) {
  const Plan plan = draw_plan(Stream("shrink", 4), 0, lively());
  const Plan same = shrunk(plan, [](const Plan&) -> bool { throw Error("test.refused", "not this one", {}, {}); });
  EXPECT_EQ(complexity(same), complexity(plan));
}

}  // namespace
}  // namespace microstep
