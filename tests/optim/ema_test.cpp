// ema <- b ema + (1-b) g; debiased: over 1 - b^t.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

TEST(Ema, DebiasesByDefault) {
  // b = 1/2, g = 2, 4: ema 1, 5/2; over 1/2 and 3/4: 2, 10/3.
  auto loop = exact_loop("ema(0.5)", {0});
  EXPECT_EQ(loop.step({2}), Numbers{2});
  EXPECT_EQ(loop.step({4}), Numbers{10.0 / 3});
  EXPECT_EQ(slot(loop.state, "ema"), Numbers{2.5});
  EXPECT_EQ(loop.state.count("count"), 2);
}

TEST(Ema, WithoutDebiasIsTheAverageItself) {
  EXPECT_EQ(updates_of("ema(0.5, debias=false)", {2, 4, 0}), (Numbers{1, 2.5, 1.25}));
  EXPECT_EQ(updates_of("ema(0.75, debias=false)", {4}), Numbers{1});
}

TEST(Ema, SleepsInsideAHeldMicrostep) {
  // Means 3 and 1: ema 3/2, 5/4; over 1/2, 3/4: 3, 5/3.
  auto loop = exact_loop("multi_steps(ema(0.5), k=2)", {0});
  loop.step({2});
  EXPECT_EQ(loop.state.of[0].count("count"), 0);
  EXPECT_EQ(loop.step({4}), Numbers{3});
  loop.step({0});
  EXPECT_EQ(slot(loop.state.of[0], "ema"), Numbers{1.5});
  EXPECT_EQ(loop.step({2}), Numbers{5.0 / 3});
}

TEST(Ema, AbsentGradientsWaitAndZeroOnesCount) {
  auto loop = exact_loop("ema(0.5, debias=false)", {0});
  loop.step({2});
  loop.updates.mark(0, Presence::absent);
  loop.step_given();
  EXPECT_EQ(slot(loop.state, "ema"), Numbers{1});
  loop.updates.mark(0, Presence::zero);
  EXPECT_EQ(loop.step_given(), Numbers{0.5});
}

}  // namespace
}  // namespace microstep::testing_optim
