// What Optax was measured to do in float32 lies in the ball of our run over the whole trajectory.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

using A = Balls<Wide>;

// Gradients 2, 4, 1, 3 from w = 1, as float32 balls; 1 - b^t formed in float32, as Optax does.
void expect_in_balls(std::string_view spec, const Numbers& gradients, const std::vector<float>& measured) {
  const A arithmetic = A::rounding(Dtype::float32, HyperPrecision::float32);
  Loop<A> loop(spec, vector_of(1, Dtype::float32), {1}, arithmetic);
  for (std::size_t t = 0; t < gradients.size(); ++t) {
    loop.step({gradients[t]});
    const bool dense = loop.updates.is_dense(0);
    const Ball ball = dense ? loop.updates.values(0)[0] : exactly(0);
    EXPECT_TRUE(contains(ball, measured[t]))
        << spec << " microstep " << t + 1 << ": share " << share_of_radius(ball, measured[t]);
    if (measured[t] != 0) {
      EXPECT_FALSE(contains(ball, 2 * measured[t])) << "the ball says nothing";
    }
  }
}

TEST(Measured, AdamBehindAndBeforeApplyEvery) {
  expect_in_balls("chain(adam(0.1), apply_every(2))", {2, 4, 1, 3}, {0, -0.19651656F, 0, -0.17804793F});
  expect_in_balls("chain(apply_every(2), adam(0.1))", {2, 4, 1, 3}, {0, -0.07441293F, -0.05752179F, -0.07144973F});
}

TEST(Measured, AdamInsideMultiStepsAndItsLargeBatch) {
  expect_in_balls("multi_steps(adam(0.1), k=2)", {2, 4, 1, 3}, {0, -0.09999933F, 0, -0.09703425F});
  expect_in_balls("adam(0.1)", {3, 2}, {-0.09999934F, -0.09703425F});
}

TEST(Measured, TheSumIsNotInTheBallOfAdamsMean) {
  // mu .2, .58, .622, .8598 behind apply_every: b1 = 0.9 on 2, 4, 1, 3.
  Loop<Exact> loop("chain(adam(0.1), apply_every(2))", vector_of(1), {1});
  const std::vector<float> mu{.2F, .58F, .622F, .8598F};
  const Numbers gradients{2, 4, 1, 3};
  for (std::size_t t = 0; t < 4; ++t) {
    loop.step({gradients[t]});
    EXPECT_EQ(static_cast<float>(slot(loop.state.of[0], "mu")[0]), mu[t]);
    EXPECT_EQ(loop.state.of[0].count("count"), static_cast<std::int64_t>(t + 1));
  }
}

TEST(Measured, ClipAtTheThreshold) { expect_in_balls("clip_by_global_norm(1)", {1, -1}, {1, -1}); }

}  // namespace
}  // namespace microstep::testing_optim
