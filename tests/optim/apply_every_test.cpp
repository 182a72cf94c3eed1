// c = count mod k; acc = g if c = 0 else acc + g; emits the sum acc if c = k-1, else zeros; count = (count+1) mod k.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

TEST(ApplyEvery, EmitsTheSumAndKeepsItUntilTheNextWindow) {
  // Measured on Optax: updates 0 6 0 4; (count, grad_acc) = (1,2) (0,6) (1,1) (0,4).
  auto loop = exact_loop("apply_every(2)", {0});
  const Numbers gradients{2, 4, 1, 3}, updates{0, 6, 0, 4}, sums{2, 6, 1, 4};
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_EQ(loop.step({gradients[t]}), Numbers{updates[t]});
    EXPECT_EQ(loop.state.count("count"), static_cast<std::int64_t>((t + 1) % 2));
    EXPECT_EQ(slot(loop.state, "grad_acc"), Numbers{sums[t]});
  }
}

TEST(ApplyEvery, CountsAnyNumberOfMicrosteps) {
  EXPECT_EQ(updates_of("apply_every(3)", {1, 2, 4, 8, 16, 32}), (Numbers{0, 0, 7, 0, 0, 56}));
  EXPECT_EQ(updates_of("apply_every(1)", {1, 2}), (Numbers{1, 2}));
}

TEST(ApplyEvery, ForgetsInfinityWithTheNextWindow) {
  EXPECT_EQ(updates_of("apply_every(2)", {infinity, 1, 1, 2}), (Numbers{0, infinity, 0, 3}));
}

TEST(ApplyEvery, OtherLinksRunInEveryMicrostep) {
  // Before it Adam moves with every gradient; behind it also with the zeros of held microsteps.
  auto before = exact_loop("chain(scale_by_adam(b1=0.5, b2=0.5), apply_every(2))", {0});
  auto behind = exact_loop("chain(apply_every(2), scale_by_adam(b1=0.5, b2=0.5))", {0});
  for (double g : {2.0, 4.0}) {
    before.step({g});
    behind.step({g});
  }
  EXPECT_EQ(before.state.of[0].count("count"), 2);
  EXPECT_EQ(slot(before.state.of[0], "mu"), Numbers{2.5});
  EXPECT_EQ(behind.state.of[1].count("count"), 2);
  EXPECT_EQ(slot(behind.state.of[1], "mu"), Numbers{3});
}

TEST(ApplyEvery, IsKTimesTheMeanForPlainSgd) {
  const Numbers g{2, 4, 1, 3};
  const Numbers sum = updates_of("chain(sgd(0.5), apply_every(2))", g),
                mean = updates_of("multi_steps(sgd(0.5), k=2)", g);
  for (std::size_t t = 0; t < g.size(); ++t) EXPECT_EQ(sum[t], 2 * mean[t]);
  EXPECT_EQ(sum, (Numbers{0, -3, 0, -2}));
}

TEST(ApplyEvery, AnAbsentGradientAddsNothing) {
  auto loop = exact_loop("apply_every(2)", {0});
  loop.step({2});
  loop.updates.mark(0, Presence::absent);
  EXPECT_EQ(loop.step_given(), Numbers{2});
  loop.updates.mark(0, Presence::absent);
  EXPECT_EQ(loop.step_given(), Numbers{0});
  EXPECT_EQ(loop.step({5}), Numbers{5});
}

}  // namespace
}  // namespace microstep::testing_optim
