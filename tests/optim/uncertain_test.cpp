// Branches over balls: between values the hull, on control Undecidable.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

using A = Balls<Wide>;

Loop<A> semantic_loop(std::string_view spec, std::int64_t size) {
  return Loop<A>(spec, vector_of(size, Dtype::float32), Numbers(static_cast<std::size_t>(size)),
                 A::semantics(Dtype::float32));
}

TEST(UncertainClip, GivesTheHullOfBothAnswers) {
  // In float32 1 + 2^-30 may be 1 or the number after it.
  auto loop = semantic_loop("clip(1)", 3);
  loop.step({1 + 0x1p-30, 1, 4});
  const auto u = loop.updates.values(0);
  EXPECT_TRUE(contains(u[0], 1) && contains(u[0], 1 + 0x1p-30));
  EXPECT_EQ(u[1].radius, 0);
  EXPECT_EQ(u[2].radius, 0);
  EXPECT_EQ(center(u[2]), 1);
}

TEST(UncertainClip, NearTheNormGivesTheHull) {
  // fl(.6)^2 + fl(.8)^2 is 1 but for the roundings of float32.
  auto loop = semantic_loop("clip_by_global_norm(1)", 2);
  loop.step({0.6, 0.8});
  const Ball u = loop.updates.values(0)[0];
  EXPECT_GT(u.radius, 0);
  EXPECT_TRUE(contains(u, 0.6));
  loop.step({3, 4});
  EXPECT_LT(loop.updates.values(0)[0].radius, 1e-30);
}

TEST(UncertainSkip, ByNormIsUndecidable) {
  auto loop = semantic_loop("multi_steps(sgd(1), k=2, skip=large(1))", 2);
  EXPECT_THROW(loop.step({0.6, 0.8}), Undecidable);
  auto certain = semantic_loop("multi_steps(sgd(1), k=2, skip=large(1))", 2);
  certain.step({0.5, 0.5});
  certain.step({3, 4});
  EXPECT_EQ(certain.state.count("mini_step"), 1);
}

TEST(UncertainSkip, OfAWindowThatMayOverflowIsUndecidable) {
  // Running mean: -1e38 - 3e38 is beyond float32; the sum is not.
  auto loop = semantic_loop("multi_steps(sgd(1), k=2, skip=window_not_finite)", 1);
  loop.step({3e38});
  EXPECT_THROW(loop.step({-1e38}), Undecidable);
}

TEST(CertainSpecialValues, AreSkippedOverBallsToo) {
  auto loop = semantic_loop("multi_steps(sgd(1), k=1, skip=not_finite)", 2);
  EXPECT_EQ(loop.step({not_a_number, 1}), (Numbers{0, 0}));
  EXPECT_EQ(loop.step({infinity, 1}), (Numbers{0, 0}));
  EXPECT_EQ(loop.step({1, 2}), (Numbers{-1, -2}));
}

TEST(DyadicProbes, HaveRadiusZero) {
  for (const char* spec :
       {"multi_steps(sgd(0.5, momentum=0.5), k=3)", "chain(ema(0.5, debias=false), apply_every(3))"}) {
    Loop<A> loop(spec, vector_of(1, Dtype::float32), {0}, A::rounding(Dtype::float32));
    for (double g : {3.0, 9.0, 12.0, 6.0, -3.0, 0.0}) {
      loop.step({6 * g});
      if (loop.updates.is_dense(0)) {
        EXPECT_EQ(loop.updates.values(0)[0].radius, 0) << spec;
      }
      EXPECT_EQ(loop.params.values(0)[0].radius, 0) << spec;
    }
  }
}

}  // namespace
}  // namespace microstep::testing_optim
