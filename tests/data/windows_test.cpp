// Which microsteps each emission consumed, and the large batch that follows from it.
#include <gtest/gtest.h>

#include "microstep/data/plan.hpp"

namespace microstep {
namespace {

using Windows = std::vector<std::vector<std::int64_t>>;

Plan plan_of(std::string_view spec, std::int64_t microsteps) {
  Plan plan;
  plan.spec = parse_spec(spec);
  for (std::int64_t t = 0; t < microsteps; ++t) plan.batches.push_back({2 * t, 2 * t + 1});
  return plan;
}

Windows windows_of(std::string_view spec, std::int64_t microsteps, const std::vector<bool>& skipped = {}) {
  return windows(plan_of(spec, microsteps), skipped);
}

TEST(Windows, AreKMicrostepsLong) {
  EXPECT_EQ(windows_of("sgd(1)", 3), (Windows{{0}, {1}, {2}}));
  EXPECT_EQ(windows_of("multi_steps(sgd(1), k=2)", 5), (Windows{{0, 1}, {2, 3}}));
  EXPECT_EQ(windows_of("chain(adam(1), apply_every(3))", 6), (Windows{{0, 1, 2}, {3, 4, 5}}));
}

TEST(Windows, AreAProductWhereAccumulatorsNest) {
  EXPECT_EQ(windows_of("multi_steps(multi_steps(sgd(1), k=3), k=2)", 7), (Windows{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(windows_of("multi_steps(chain(apply_every(2), sgd(1)), k=2)", 4), (Windows{{0, 1, 2, 3}}));
}

TEST(Windows, AreTheLeastCommonMultipleAlongAChain) {
  EXPECT_EQ(windows_of("chain(apply_every(2), multi_steps(sgd(1), k=3))", 12),
            (Windows{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}}));
  EXPECT_EQ(windows_of("chain(apply_every(2), apply_every(4))", 4), (Windows{{0, 1, 2, 3}}));
}

TEST(Windows, FollowAScheduleOfK) {
  EXPECT_EQ(windows_of("multi_steps(sgd(1), k=[[0, 1], [1, 3], [2, 2]])", 8),
            (Windows{{0}, {1, 2, 3}, {4, 5}, {6, 7}}));
}

TEST(Windows, LeaveSkippedMicrobatchesOut) {
  const char* spec = "multi_steps(sgd(1), k=2, skip=not_finite)";
  EXPECT_EQ(windows_of(spec, 5, {false, true, false, false, false}), (Windows{{0, 2}, {3, 4}}));
  EXPECT_EQ(windows_of(spec, 4, {true, false, false, true}), (Windows{{1, 2}}));
}

// The outer one has counted what the inner one skips: its k is 1 from microstep 2 on, and its window has gone out.
TEST(Windows, OfAnOuterAccumulatorGoOnWhereAnInnerOneSkips) {
  EXPECT_EQ(windows_of("multi_steps(multi_steps(sgd(1), k=2, skip=not_finite), k=[[0, 2], [1, 1]])", 6,
                       {true, true, false, false, false, false}),
            (Windows{{2, 3}, {4, 5}}));
  EXPECT_EQ(windows_of("multi_steps(multi_steps(sgd(1), k=2, skip=not_finite, partial=flush), k=2)", 4,
                       {false, false, true, true}),
            (Windows{{0, 1}}));
}

TEST(PartialWindow, IsListedOnlyWhereItIsFlushed) {
  auto partial = [](const char* policy) {
    return windows_of(std::string("multi_steps(sgd(1), k=3, partial=") + policy + ")", 5);
  };
  EXPECT_EQ(partial("hold"), (Windows{{0, 1, 2}}));
  EXPECT_EQ(partial("drop"), (Windows{{0, 1, 2}}));
  EXPECT_EQ(partial("flush"), (Windows{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(partial("flush_by_k"), (Windows{{0, 1, 2}, {3, 4}}));
}

TEST(PartialWindow, ThatIsDroppedInsideTakesTheOuterOnesWithIt) {
  EXPECT_EQ(windows_of("multi_steps(multi_steps(sgd(1), k=2, partial=drop), k=2)", 6), (Windows{{0, 1, 2, 3}}));
}

TEST(PartialWindow, InAnInnerAccumulatorNeedsItsOwnFlush) {
  // The outer is full or flushed; what it hands over waits in the inner unless that is flushed too.
  EXPECT_EQ(windows_of("multi_steps(multi_steps(sgd(1), k=2), k=2, partial=flush)", 1), Windows{});
  EXPECT_EQ(windows_of("multi_steps(multi_steps(sgd(1), k=2, partial=flush), k=2)", 2), (Windows{{0, 1}}));
  EXPECT_EQ(windows_of("multi_steps(multi_steps(sgd(1), k=2, partial=flush), k=2)", 3), Windows{});
  EXPECT_EQ(windows_of("multi_steps(multi_steps(sgd(1), k=2, partial=flush), k=2, partial=flush)", 3),
            (Windows{{0, 1, 2}}));
}

TEST(PartialWindow, IsFlushedEvenIfTheLastMicrobatchIsSkipped) {
  const char* spec = "multi_steps(sgd(1), k=3, skip=not_finite, partial=flush)";
  EXPECT_EQ(windows_of(spec, 3, {false, false, true}), (Windows{{0, 1}}));
  EXPECT_EQ(windows_of(spec, 4, {false, false, false, true}), (Windows{{0, 1, 2}}));
  EXPECT_EQ(windows_of(spec, 1, {true}), Windows{});
}

TEST(WithoutAccumulators, DropsThemAndUnwrapsTheRest) {
  auto reduced = [](std::string_view spec) { return to_string(without_accumulators(parse_spec(spec))); };
  EXPECT_EQ(reduced("multi_steps(adam(0.1), k=4)"), "adam(0.1)");
  EXPECT_EQ(reduced("chain(adam(0.1), apply_every(2))"), "adam(0.1)");
  EXPECT_EQ(reduced("multi_steps(multi_steps(sgd(1), k=2), k=3)"), "sgd(1)");
  EXPECT_EQ(reduced("chain(clip(1), multi_steps(chain(ema(0.5), sgd(1)), k=2))"), "chain(clip(1), ema(0.5), sgd(1))");
  EXPECT_EQ(reduced("masked(multi_steps(sgd(1), k=2), mask=[w])"), to_string(parse_spec("masked(sgd(1), mask=[w])")));
  EXPECT_TRUE(without_accumulators(parse_spec("apply_every(2)")).of.empty());
}

TEST(LargeBatch, HasTheSameExamplesInTheSameOrder) {
  Plan plan = plan_of("multi_steps(sgd(1), k=2, skip=not_finite)", 5);
  plan.interruptions = {1};
  plan.seed = 9;
  const Plan reference = large_batch_of(plan, {false, true, false, false, false});
  EXPECT_EQ(reference.batches, (Windows{{0, 1, 4, 5}, {6, 7, 8, 9}}));
  EXPECT_EQ(to_string(reference.spec), "sgd(1)");
  EXPECT_TRUE(reference.interruptions.empty());
  EXPECT_EQ(reference.seed, 9U);
}

}  // namespace
}  // namespace microstep
