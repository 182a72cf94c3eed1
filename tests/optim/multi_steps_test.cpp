// multi_steps: acc + (g - acc)/(mini_step + 1), or the sum; the inner runs on it in the k-th microstep only.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

TEST(MultiSteps, EveryUsualMistakeOfTheProbeIsAnotherNumber) {
  // Gradients 2 (3 tokens) and 8 (1 token): mean 5, sum 10, weighted (6 + 8)/4 = 3.5.
  EXPECT_EQ(updates_of("multi_steps(sgd(1), k=2)", {2, 8}), (Numbers{0, -5}));
  EXPECT_EQ(updates_of("multi_steps(sgd(1), k=2, reduce=sum)", {2, 8}), (Numbers{0, -10}));
  auto weighted = exact_loop("multi_steps(sgd(1), k=2, reduce=weighted)", {0});
  EXPECT_EQ(weighted.step({2}, {3}), Numbers{0});
  EXPECT_EQ(weighted.step({8}, {1}), Numbers{-3.5});
}

TEST(MultiSteps, ThreeMicrosteps) {
  EXPECT_EQ(updates_of("multi_steps(sgd(1), k=3)", {2, 8, 32, 3, 3, 6}), (Numbers{0, 0, -14, 0, 0, -4}));
  EXPECT_EQ(updates_of("multi_steps(sgd(1), k=3, reduce=sum)", {2, 8, 32}), (Numbers{0, 0, -42}));
}

TEST(MultiSteps, ShowsItsRunningMeanAndCounts) {
  auto loop = exact_loop("multi_steps(sgd(1), k=3)", {0});
  const Numbers gradients{2, 8, 32, 4}, means{2, 5, 0, 4};
  for (std::size_t t = 0; t < 4; ++t) {
    loop.step({gradients[t]});
    EXPECT_EQ(slot(loop.state, "acc_grads"), Numbers{means[t]});
    EXPECT_EQ(loop.state.count("mini_step"), static_cast<std::int64_t>((t + 1) % 3));
    EXPECT_EQ(loop.state.count("gradient_step"), t < 2 ? 0 : 1);
  }
}

TEST(MultiSteps, TheInnerSleepsUntilTheWindowIsFull) {
  // Means 5 and 1 are Adam's gradients: 1, 7/9 (see adam_test).
  auto loop = exact_loop("multi_steps(adam(1, b1=0.5, b2=0.5, eps=0), k=2)", {7});
  EXPECT_EQ(loop.step({2}), Numbers{0});
  EXPECT_EQ(loop.state.of[0].count("count"), 0);
  EXPECT_EQ(slot(loop.state.of[0], "mu"), Numbers{0});
  EXPECT_EQ(numbers_of<Exact>(loop.params), Numbers{7});
  EXPECT_EQ(loop.step({8}), Numbers{-1});
  EXPECT_EQ(loop.state.of[0].count("count"), 1);
  loop.step({-1});
  EXPECT_EQ(slot(loop.state.of[0], "mu"), Numbers{2.5});
  EXPECT_EQ(loop.step({3}), Numbers{-7.0 / 9});
  EXPECT_EQ(slot(loop.state.of[0], "nu"), Numbers{6.75});
}

TEST(MultiSteps, ASumMovesTheStateKTimesAsFar) {
  auto loop = exact_loop("multi_steps(adam(1, b1=0.5, b2=0.5, eps=0), k=2, reduce=sum)", {0});
  loop.step({2});
  EXPECT_EQ(loop.step({8}), Numbers{-1});
  EXPECT_EQ(slot(loop.state.of[0], "mu"), Numbers{5});
  EXPECT_EQ(slot(loop.state.of[0], "nu"), Numbers{50});
}

TEST(MultiSteps, TheInnerSeesTheParamsOfItsWindow) {
  // w = 4: -(1/2)(2 + 4/2) = -2; then w = 2: -(1/2)(2 + 1) = -1.5.
  auto loop = exact_loop("multi_steps(chain(add_decayed_weights(0.5), sgd(0.5)), k=2)", {4});
  Numbers updates;
  for (double g : {1.0, 3.0, 0.0, 4.0}) updates.push_back(loop.step({g})[0]);
  EXPECT_EQ(updates, (Numbers{0, -2, 0, -1.5}));
}

TEST(MultiSteps, KFollowsItsScheduleOfEmittedSteps) {
  const char* spec = "multi_steps(sgd(1), k=[[0, 1], [1, 3], [2, 2]])";
  EXPECT_EQ(updates_of(spec, {1, 2, 4, 6, 8, 10, 2, 6}), (Numbers{-1, 0, 0, -4, 0, -9, 0, -4}));
}

TEST(MultiSteps, NestsAsAProductOfWindows) {
  // Outer means 1.5, 3.5, 5.5; the inner's mean 3.5.
  const char* spec = "multi_steps(multi_steps(sgd(1), k=3), k=2)";
  EXPECT_EQ(updates_of(spec, {1, 2, 3, 4, 5, 6}), (Numbers{0, 0, 0, 0, 0, -3.5}));
}

TEST(MultiSteps, InAChainWithApplyEveryMakesTheLcm) {
  // Means of two: 3, 2, 7, 6 emitted in microsteps 2, 4, 6, ...; sums of three microsteps: 3, then 2 + 7.
  const char* spec = "chain(multi_steps(scale(1), k=2), apply_every(3))";
  EXPECT_EQ(updates_of(spec, {2, 4, 1, 3, 6, 8}), (Numbers{0, 0, 3, 0, 0, 9}));
}

TEST(Weighted, IsTheTokenMeanInAnyOrder) {
  // (1*2 + 3*6 + 4*1)/8 = 3.
  auto loop = exact_loop("multi_steps(sgd(1), k=3, reduce=weighted)", {0});
  loop.step({2}, {1});
  EXPECT_EQ(slot(loop.state, "acc_weight"), Numbers{1});
  loop.step({6}, {3});
  EXPECT_EQ(slot(loop.state, "acc_grads"), Numbers{5});
  EXPECT_EQ(loop.step({1}, {4}), Numbers{-3});
  EXPECT_EQ(slot(loop.state, "acc_weight"), Numbers{0});
  EXPECT_EQ(loop.step({8}, {2}), Numbers{0});
  EXPECT_EQ(slot(loop.state, "acc_grads"), Numbers{8});
}

TEST(Weighted, ANestedOneGetsTheWeightOfTheWholeWindow) {
  // Windows (4 + 3*8)/4 = 7 of weight 4 and (2*1 + 2*3)/4 = 2 of weight 4: 4.5. By the last microbatch alone 4.
  auto loop = exact_loop("multi_steps(multi_steps(sgd(1), k=2, reduce=weighted), k=2, reduce=weighted)", {0});
  loop.step({4}, {1});
  loop.step({8}, {3});
  EXPECT_EQ(slot(loop.state.of[0], "acc_weight"), Numbers{4});
  loop.step({1}, {2});
  EXPECT_EQ(loop.step({3}, {2}), Numbers{-4.5});
}

TEST(Weighted, InsideAMeanCountsTheWindowsMicrosteps) {
  // Mean of 3, 6, 9 is 6 and weighs 3, then 10 alone: (18 + 10)/4 = 7.
  auto loop = exact_loop("multi_steps(multi_steps(sgd(1), k=2, reduce=weighted), k=[[0, 3], [1, 1]])", {0});
  for (double g : {3.0, 6.0, 9.0}) EXPECT_EQ(loop.step({g}), Numbers{0});
  EXPECT_EQ(loop.step({10}), Numbers{-7});
}

}  // namespace
}  // namespace microstep::testing_optim
