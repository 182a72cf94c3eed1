// sgd, trace, scale: u = -lr g; b <- g + m b, u = -lr b; Nesterov u = -lr (g + m b).
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

TEST(Sgd, StepsAgainstTheGradient) {
  auto loop = exact_loop("sgd(0.5)", {1, 10});
  EXPECT_EQ(loop.step({3, -1}), (Numbers{-1.5, 0.5}));
  EXPECT_EQ(numbers_of<Exact>(loop.params), (Numbers{-0.5, 10.5}));
  EXPECT_EQ(loop.step({4, 8}), (Numbers{-2, -4}));
  EXPECT_TRUE(loop.state.counts.empty() && loop.state.slots.empty());
}

TEST(Sgd, MomentumKeepsTheTraceWithoutTheLearningRate) {
  // b: 2, 4 + 2/2 = 5, 0 + 5/2 = 2.5.
  auto loop = exact_loop("sgd(0.5, momentum=0.5)", {0});
  EXPECT_EQ(loop.step({2}), Numbers{-1});
  EXPECT_EQ(loop.step({4}), Numbers{-2.5});
  EXPECT_EQ(slot(loop.state, "trace"), Numbers{5});
  EXPECT_EQ(loop.step({0}), Numbers{-1.25});
  EXPECT_EQ(slot(loop.state, "trace"), Numbers{2.5});
}

TEST(Sgd, NesterovLooksAheadOnce) {
  // b: 2, 5; g + b/2: 2 + 1 = 3, 4 + 2.5 = 6.5.
  EXPECT_EQ(updates_of("sgd(0.5, momentum=0.5, nesterov=true)", {2, 4}), (Numbers{-1.5, -3.25}));
  EXPECT_EQ(updates_of("sgd(0.5, nesterov=true)", {2, 4}), (Numbers{-1, -2}));
}

TEST(Sgd, TheLearningRateStaysOutsideTheTrace) {
  // The probe of lr 1 then 1/2, g = 1, 1, m = 1/2: b = 1, 1.5; u = -1, -0.75. With lr inside: b = 1, 1/2 + 1/2 = 1.
  EXPECT_EQ(updates_of("sgd([[0, 1], [1, 0.5]], momentum=0.5)", {1, 1}), (Numbers{-1, -0.75}));
}

TEST(Sgd, ZeroMomentsDecayAndAbsentOnesWait) {
  auto zero = exact_loop("sgd(1, momentum=0.5)", {0});
  auto absent = exact_loop("sgd(1, momentum=0.5)", {0});
  for (auto* loop : {&zero, &absent}) loop->step({1});
  zero.updates.mark(0, Presence::zero);
  EXPECT_EQ(zero.step_given(), Numbers{-0.5});
  absent.updates.mark(0, Presence::absent);
  EXPECT_EQ(absent.step_given(), Numbers{});
  EXPECT_EQ(slot(absent.state, "trace"), Numbers{1});
  EXPECT_EQ(numbers_of<Exact>(zero.params), Numbers{-1.5});
  EXPECT_EQ(numbers_of<Exact>(absent.params), Numbers{-1});
}

TEST(Trace, IsTheMomentumAlone) {
  EXPECT_EQ(updates_of("trace(0.5)", {2, 4, 0}), (Numbers{2, 5, 2.5}));
  EXPECT_EQ(updates_of("trace(0.5, nesterov=true)", {2, 4}), (Numbers{3, 6.5}));
  auto loop = exact_loop("trace(0)", {0});
  EXPECT_EQ(loop.step({3}), Numbers{3});
  EXPECT_EQ(slot(loop.state, "trace"), Numbers{3});
}

TEST(Scale, MultipliesByItsFactor) {
  EXPECT_EQ(updates_of("scale(-0.25)", {8, -3}), (Numbers{-2, 0.75}));
  auto loop = exact_loop("scale(2)", {0});
  loop.updates.mark(0, Presence::zero);
  EXPECT_EQ(loop.step_given(), Numbers{0});
  EXPECT_EQ(loop.updates.presence(0), Presence::zero);
}

TEST(Chain, RunsItsLinksInOrderAndIsAssociative) {
  // trace: 2, 5; times 3: 6, 15. The other order: 6, 12 + 3 = 15, also linear; with a clip the order shows.
  EXPECT_EQ(updates_of("chain(trace(0.5), scale(3))", {2, 4}), (Numbers{6, 15}));
  EXPECT_EQ(updates_of("chain(scale(3), clip(4))", {2, 1}), (Numbers{4, 3}));
  EXPECT_EQ(updates_of("chain(clip(4), scale(3))", {2, 5}), (Numbers{6, 12}));
  for (const char* spec : {"chain(trace(0.5), chain(clip(4), scale(3)))", "chain(chain(trace(0.5), clip(4)), scale(3))",
                           "chain(trace(0.5), clip(4), scale(3))"})
    EXPECT_EQ(updates_of(spec, {2, 4}), (Numbers{6, 12})) << spec;
  EXPECT_EQ(updates_of("chain()", {7}), Numbers{7});
}

TEST(Build, RefusesAnUnknownOp) {
  Spec spec;
  spec.op = "adan";
  try {
    build<Exact>(spec);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "spec.unknown-op");
  }
}

}  // namespace
}  // namespace microstep::testing_optim
