// Skip rules: a microbatch that never happened, or a window that is thrown away.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

constexpr const char* adam_skipping = "multi_steps(adam(1, b1=0.5, b2=0.5, eps=0), k=2, skip=not_finite)";

class BadMicrobatch : public testing::TestWithParam<std::tuple<int, double>> {};

TEST_P(BadMicrobatch, InAnyPositionNeverHappened) {
  // 2, 8 | -1, 3: means 5, 1 give Adam's steps 1, 7/9.
  const auto [position, bad] = GetParam();
  Numbers gradients{2, 8, -1, 3}, expected{0, -1, 0, -7.0 / 9};
  gradients.insert(gradients.begin() + position, bad);
  expected.insert(expected.begin() + position, 0);
  auto loop = exact_loop(adam_skipping, {0});
  for (std::size_t t = 0; t < gradients.size(); ++t) EXPECT_EQ(loop.step({gradients[t]}), Numbers{expected[t]}) << t;
  EXPECT_EQ(loop.state.count("gradient_step"), 2);
  EXPECT_EQ(loop.state.count("mini_step"), 0);
  EXPECT_EQ(loop.state.of[0].count("count"), 2);
  EXPECT_EQ(slot(loop.state.of[0], "mu"), Numbers{1.75});
}
INSTANTIATE_TEST_SUITE_P(Skip, BadMicrobatch,
                         testing::Combine(testing::Range(0, 5), testing::Values(infinity, -infinity, not_a_number)));

TEST(SkipNotFinite, LooksAtEveryLeafAndElement) {
  const auto layout = make_layout({{"w", {2}, Dtype::float64}, {"b", {2}, Dtype::float64}});
  for (std::size_t bad = 0; bad < 4; ++bad) {
    Loop<Exact> loop("multi_steps(sgd(1), k=1, skip=not_finite)", layout, Numbers(4));
    Numbers gradients{1, 1, 1, 1};
    gradients[bad] = not_a_number;
    EXPECT_EQ(loop.step(gradients), Numbers(4)) << bad;
    EXPECT_EQ(loop.state.count("gradient_step"), 0);
  }
}

TEST(SkipNotFinite, LeavesTheAccumulatorInTheMiddleOfAWindow) {
  auto loop = exact_loop("multi_steps(sgd(1), k=3, skip=not_finite)", {0});
  loop.step({2});
  loop.step({infinity});
  EXPECT_EQ(slot(loop.state, "acc_grads"), Numbers{2});
  EXPECT_EQ(loop.state.count("mini_step"), 1);
}

TEST(SkipNotFinite, ASkippedMicrobatchHasNoWeight) {
  auto loop = exact_loop("multi_steps(sgd(1), k=2, reduce=weighted, skip=not_finite)", {0});
  loop.step({2}, {3});
  loop.step({not_a_number}, {4});
  EXPECT_EQ(loop.step({8}, {1}), Numbers{-3.5});
}

TEST(SkipLarge, LeavesOutNormsThatAreNotBelow) {
  // [3, 4] has norm 5 exactly; [3, 3] less.
  auto loop = exact_loop("multi_steps(sgd(1), k=1, skip=large(5))", {0, 0});
  EXPECT_EQ(loop.step({3, 4}), (Numbers{0, 0}));
  EXPECT_EQ(loop.state.count("gradient_step"), 0);
  EXPECT_EQ(loop.step({3, 3}), (Numbers{-3, -3}));
  EXPECT_EQ(loop.step({not_a_number, 0}), (Numbers{0, 0}));
  EXPECT_EQ(loop.step({-6, 0}), (Numbers{0, 0}));
}

TEST(SkipWindow, ThrowsTheWholeWindowAway) {
  for (std::size_t bad : {0, 1}) {
    auto loop = exact_loop("multi_steps(adam(1, b1=0.5, b2=0.5, eps=0), k=2, skip=window_not_finite)", {0});
    Numbers first{1, 1};
    first[bad] = not_a_number;
    for (double g : first) EXPECT_EQ(loop.step({g}), Numbers{0});
    EXPECT_EQ(loop.state.count("mini_step"), 0);
    EXPECT_EQ(loop.state.count("gradient_step"), 0);
    EXPECT_EQ(slot(loop.state, "acc_grads"), Numbers{0});
    EXPECT_EQ(loop.state.of[0].count("count"), 0);
    loop.step({2});
    EXPECT_EQ(loop.step({8}), Numbers{-1});
    EXPECT_EQ(slot(loop.state.of[0], "mu"), Numbers{2.5});
  }
}

TEST(SkipWindow, ForgetsItsWeights) {
  auto loop = exact_loop("multi_steps(sgd(1), k=2, reduce=weighted, skip=window_not_finite)", {0});
  loop.step({infinity}, {3});
  loop.step({1}, {1});
  loop.step({2}, {3});
  EXPECT_EQ(loop.step({8}, {1}), Numbers{-3.5});
}

TEST(SkipNever, PassesInfinityOnAndIsCleanInTheNextWindow) {
  // 2 + (inf - 2)/2 = inf. Nothing of it may stay: 0 inf would be NaN for ever.
  EXPECT_EQ(updates_of("multi_steps(sgd(1), k=2)", {2, infinity, 2, 4}, 0), (Numbers{0, -infinity, 0, -3}));
  auto loop = exact_loop("multi_steps(sgd(1), k=2)", {0});
  EXPECT_EQ(loop.step({not_a_number}), Numbers{0});
  EXPECT_TRUE(std::isnan(loop.step({1})[0]));
  loop.step({2});
  EXPECT_EQ(loop.step({4}), Numbers{-3});
}

TEST(SkipAndSchedule, SkippedMicrobatchesDoNotMoveK) {
  const char* spec = "multi_steps(sgd(1), k=[[0, 1], [1, 2]], skip=not_finite)";
  EXPECT_EQ(updates_of(spec, {infinity, 3, 2, infinity, 4}), (Numbers{0, -3, 0, 0, -3}));
}

}  // namespace
}  // namespace microstep::testing_optim
