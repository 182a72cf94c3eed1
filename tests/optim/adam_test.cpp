// mu <- b1 mu + (1-b1) g, nu <- b2 nu + (1-b2) g^2, u = (mu/(1-b1^t)) / (sqrt(nu/(1-b2^t) + eps_root) + eps).
// With b1 = b2 = 1/2 and gradients 5, 1: mu 5/2, 7/4; nu 25/2, 27/4; corrected 5, 7/3 and 25, 9; u = 1, 7/9.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

constexpr const char* halves = "scale_by_adam(b1=0.5, b2=0.5, eps=0)";

TEST(ScaleByAdam, CorrectsTheBiasOfBothMoments) {
  auto loop = exact_loop(halves, {0});
  EXPECT_EQ(loop.step({5}), Numbers{1});
  EXPECT_EQ(loop.step({1}), Numbers{7.0 / 9});
  EXPECT_EQ(slot(loop.state, "mu"), Numbers{1.75});
  EXPECT_EQ(slot(loop.state, "nu"), Numbers{6.75});
  EXPECT_EQ(loop.state.count("count"), 2);
}

TEST(ScaleByAdam, ThirdStepStillCorrects) {
  // mu: 7/8 + 1/2 = 11/8 over 7/8 = 11/7; nu: 27/8 + 1/2 = 31/8 over 7/8 = 31/7; 11/7 / sqrt(31/7) = 11/sqrt(217).
  auto loop = exact_loop(halves, {0});
  for (double g : {5.0, 1.0}) loop.step({g});
  const Wide expected = Wide(11) / wide::sqrt(217);
  EXPECT_EQ(loop.step({1}), Numbers{static_cast<double>(expected)});
}

TEST(ScaleByAdam, DecaysOfTheMomentsAreNotSwapped) {
  // b1 = 1/2, b2 = 3/4, g = 4, 0: mu 2, 1; nu 4, 3; corrected at 2: 4/3 and 3/(7/16) = 48/7; u = (4/3)/sqrt(48/7).
  auto loop = exact_loop("scale_by_adam(b1=0.5, b2=0.75, eps=0)", {0});
  loop.step({4});
  const Wide expected = Wide(4) / 3 / wide::sqrt(Wide(48) / 7);
  EXPECT_EQ(loop.step({0}), Numbers{static_cast<double>(expected)});
  EXPECT_EQ(slot(loop.state, "mu"), Numbers{1});
  EXPECT_EQ(slot(loop.state, "nu"), Numbers{3});
}

TEST(ScaleByAdam, EpsStandsOutsideTheRootAndEpsRootInside) {
  // g = 3: 3 / (sqrt(9 + 16) + 1) = 1/2. eps inside: 3/sqrt(26); scaled by the correction: 3/(5 + sqrt 2).
  EXPECT_EQ(updates_of("scale_by_adam(b1=0.5, b2=0.5, eps=1, eps_root=16)", {3}), Numbers{0.5});
  // |g| near eps: 2^-27 / (2^-27 + 2^-27).
  EXPECT_EQ(updates_of("scale_by_adam(b1=0.5, b2=0.5, eps=7.450580596923828e-9)", {0x1p-27}), Numbers{0.5});
}

TEST(ScaleByAdam, ZeroGradientsMoveTheStateAndAbsentOnesDoNot) {
  // g = 5, 0: mu 5/4, nu 25/4; corrected 5/3, 25/3; u = (5/3)/(5/sqrt 3) = 1/sqrt 3.
  auto zero = exact_loop(halves, {0}), absent = exact_loop(halves, {0});
  for (auto* loop : {&zero, &absent}) loop->step({5});
  zero.updates.mark(0, Presence::zero);
  EXPECT_EQ(zero.step_given(), Numbers{static_cast<double>(1 / wide::sqrt(3))});
  absent.updates.mark(0, Presence::absent);
  EXPECT_EQ(absent.step_given(), Numbers{});
  EXPECT_EQ(slot(absent.state, "mu"), Numbers{2.5});
  EXPECT_EQ(slot(absent.state, "nu"), Numbers{12.5});
}

TEST(Adam, IsScaledByMinusTheLearningRate) {
  auto loop = exact_loop("adam(0.5, b1=0.5, b2=0.5, eps=0)", {1});
  EXPECT_EQ(loop.step({5}), Numbers{-0.5});
  EXPECT_EQ(loop.step({1}), Numbers{-7.0 / 18});
  EXPECT_EQ(slot(loop.state, "mu"), Numbers{1.75});
}

TEST(Adamw, DecaysByTheWeightBeforeTheStepOutsideTheMoments) {
  // w = 4: u = -(1/2)(1 + 4/4) = -1; w = 3: -(1/2)(7/9 + 3/4) = -55/72. Coupled decay would enter mu.
  auto loop = exact_loop("adamw(0.5, b1=0.5, b2=0.5, eps=0, weight_decay=0.25)", {4});
  EXPECT_EQ(loop.step({5}), Numbers{-1});
  EXPECT_EQ(loop.step({1}), Numbers{-55.0 / 72});
  EXPECT_EQ(slot(loop.state, "mu"), Numbers{1.75});
  EXPECT_EQ(slot(loop.state, "nu"), Numbers{6.75});
}

TEST(Adamw, DecaysOnlyTheLeavesOfItsMask) {
  const auto layout = make_layout({{"w", {1}, Dtype::float64}, {"b", {1}, Dtype::float64}});
  const char* spec = "adamw(0.5, b1=0.5, b2=0.5, eps=0, weight_decay=0.25, mask=[w])";
  Loop<Exact> loop(spec, layout, {4, 4});
  EXPECT_EQ(loop.step({5, 5}), (Numbers{-1, -0.5}));
}

TEST(Adamw, ZeroGradientsDecayOnceAWindow) {
  // lr 1/2, wd 1/2, w = 4, g = 0: one emission in 3 microsteps: -(1/2)(0 + 2) = -1. Every microstep would give 27/16.
  auto loop = exact_loop("multi_steps(adamw(0.5, weight_decay=0.5), k=3)", {4});
  for (int t = 0; t < 3; ++t) loop.step({0});
  EXPECT_EQ(numbers_of<Exact>(loop.params), Numbers{3});
}

TEST(AddDecayedWeights, AddsTheWeightOnTheLeavesOfItsMask) {
  const auto layout = make_layout({{"w", {2}, Dtype::float64}, {"b", {1}, Dtype::float64}});
  Loop<Exact> all("add_decayed_weights(0.25)", layout, {4, -8, 12});
  EXPECT_EQ(all.step({1, 1, 1}), (Numbers{2, -1, 4}));
  Loop<Exact> some("add_decayed_weights(0.25, mask=[\"b*\"])", layout, {4, -8, 12});
  EXPECT_EQ(some.step({1, 1, 1}), (Numbers{1, 1, 4}));
}

TEST(AddDecayedWeights, BeforeAdamTheDecayIsCoupled) {
  // w = 16, g = 1: 1 + 16/4 = 5 enters the moments: mu 5/2, u = 1.
  const std::string chain = std::string("chain(add_decayed_weights(0.25), ") + halves + ")";
  auto loop = exact_loop(chain, {16});
  EXPECT_EQ(loop.step({1}), Numbers{1});
  EXPECT_EQ(slot(loop.state.of[1], "mu"), Numbers{2.5});
}

TEST(WeightDecay, OfAZeroWeightIsNothing) {
  for (const char* spec : {"chain(add_decayed_weights(0.5), scale(-1))", "adamw(1, eps=0, weight_decay=0.5)"}) {
    Tree<Wide> params(vector_of(1), Presence::zero);
    Loop<Exact> loop(build<Exact>(parse_spec(spec)), params, Exact{});
    EXPECT_EQ(loop.step({1}), Numbers{-1}) << spec;
  }
}

}  // namespace
}  // namespace microstep::testing_optim
