// A schedule is read at the link's own count before it moves; inside multi_steps that counts emitted steps.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

constexpr const char* eighths = "scale_by_schedule([[0, 1], [1, 0.5], [2, 0.25], [3, 0.125]])";

TEST(ScaleBySchedule, StartsAtStepZero) {
  EXPECT_EQ(updates_of(eighths, {2, 2, 2, 2, 2}), (Numbers{2, 1, 0.5, 0.25, 0.25}));
  auto loop = exact_loop(eighths, {0});
  loop.step({1});
  EXPECT_EQ(loop.state.count("count"), 1);
}

TEST(ScaleBySchedule, InsideCountsEmittedSteps) {
  const std::string inside = std::string("multi_steps(chain(") + eighths + ", scale(-1)), k=2)";
  EXPECT_EQ(updates_of(inside, {1, 1, 1, 1}), (Numbers{0, -1, 0, -0.5}));
}

TEST(ScaleBySchedule, OutsideCountsMicrosteps) {
  const std::string outside = std::string("chain(multi_steps(scale(-1), k=2), ") + eighths + ")";
  EXPECT_EQ(updates_of(outside, {1, 1, 1, 1}), (Numbers{0, -0.5, 0, -0.125}));
}

TEST(LearningRate, OfSgdFollowsItsSchedule) {
  auto loop = exact_loop("sgd([[0, 1], [2, 0.25]])", {0});
  for (double expected : {-1.0, -1.0, -0.25}) EXPECT_EQ(loop.step({1}), Numbers{expected});
  EXPECT_EQ(loop.state.count("count"), 3);
  EXPECT_EQ(updates_of("multi_steps(sgd([[0, 1], [1, 0.25]]), k=2)", {1, 1, 1, 1}), (Numbers{0, -1, 0, -0.25}));
}

TEST(LearningRate, OfAdamFollowsItsSchedule) {
  // Constant gradients make every corrected step 1.
  const char* spec = "adam([[0, 0.5], [2, 0.25]], b1=0.5, b2=0.5, eps=0)";
  EXPECT_EQ(updates_of(spec, {3, 3, 3}), (Numbers{-0.5, -0.5, -0.25}));
  auto loop = exact_loop(spec, {0});
  loop.step({3});
  EXPECT_EQ(loop.state.count("schedule_count"), 1);
  EXPECT_EQ(loop.state.count("count"), 1);
}

TEST(LearningRate, OfAdamwScalesTheDecayToo) {
  // w = 4: -(1/2)(1 + 1) = -1; w = 3: -(1/4)(1 + 3/4) = -7/16.
  const char* spec = "adamw([[0, 0.5], [1, 0.25]], b1=0.5, b2=0.5, eps=0, weight_decay=0.25)";
  EXPECT_EQ(updates_of(spec, {3, 3}, 4), (Numbers{-1, -0.4375}));
}

TEST(LearningRate, OfAdamInsideCountsEmittedSteps) {
  const char* spec = "multi_steps(adam([[0, 0.5], [1, 0.25]], b1=0.5, b2=0.5, eps=0), k=2)";
  EXPECT_EQ(updates_of(spec, {3, 3, 3, 3}), (Numbers{0, -0.5, 0, -0.25}));
}

TEST(ConstantLearningRate, KeepsNoCount) {
  EXPECT_TRUE(exact_loop("sgd(1)", {0}).state.counts.empty());
  EXPECT_EQ(exact_loop("adam(1)", {0}).state.counts.size(), 1U);
}

}  // namespace
}  // namespace microstep::testing_optim
