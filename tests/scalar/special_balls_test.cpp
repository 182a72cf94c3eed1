// Infinities, NaN, overflow, balls that hold 0, branches.
#include <gtest/gtest.h>

#include <cmath>

#include "microstep/scalar/balls.hpp"

namespace microstep {
namespace {

using Arithmetic = Balls<Wide>;

const Arithmetic f32 = Arithmetic::rounding(Dtype::float32);
const Arithmetic meaning = Arithmetic::semantics(Dtype::float32);
const Ball infinity = exactly(HUGE_VAL), nan = exactly(NAN), zero = exactly(0), one = exactly(1);
const Ball about_one{1, 0x1p-20}, about_zero{0, 0x1p-20}, anything{1, infinite_radius};

bool certain_nan(const Ball& x) { return wide::is_nan(x.value) && x.radius == 0; }
bool certain(const Ball& x, double value) { return x.radius == 0 && x.value == Wide(value); }
bool open(const Ball& x) { return x.radius == infinite_radius; }

TEST(SpecialBalls, a_certain_nan_stays_certain) {
  for (const Ball& other : {one, about_one, about_zero, infinity, anything}) {
    for (const Ball& x :
         {f32.add(nan, other), f32.subtract(other, nan), f32.multiply(other, nan), f32.divide(nan, other),
          f32.divide(other, nan), Arithmetic::maximum(other, nan), Arithmetic::maximum(nan, other)})
      EXPECT_TRUE(certain_nan(x));
    EXPECT_EQ(f32.less(nan, other), Truth::no);
  }
  for (const Ball& x : {f32.square(nan), f32.square_root(nan), f32.exp(nan), f32.log(nan), f32.tanh(nan), f32.cast(nan),
                        f32.lerp(nan, about_one, f32.decay(0.9)), f32.lerp(one, nan, f32.decay(0.9)),
                        f32.mean_step(about_one, nan, 3), f32.mean_step(nan, one, 2)})
    EXPECT_TRUE(certain_nan(x));
  EXPECT_EQ(f32.is_finite(nan), Truth::no);
}

TEST(SpecialBalls, infinities_follow_ieee_where_they_are_certain) {
  EXPECT_TRUE(certain(f32.add(infinity, about_one), HUGE_VAL));
  EXPECT_TRUE(certain_nan(f32.subtract(infinity, infinity)));
  EXPECT_TRUE(certain(f32.multiply(infinity, Arithmetic::negate(about_one)), -HUGE_VAL));
  EXPECT_TRUE(certain_nan(f32.multiply(infinity, zero)));
  EXPECT_TRUE(certain(f32.divide(about_one, infinity), 0));
  EXPECT_TRUE(certain(f32.divide(infinity, about_one), HUGE_VAL));
  EXPECT_TRUE(certain(f32.exp(exactly(-HUGE_VAL)), 0));
  EXPECT_TRUE(certain(f32.tanh(infinity), 1));
  EXPECT_TRUE(certain(f32.log(zero), -HUGE_VAL));
  EXPECT_TRUE(certain(Arithmetic::maximum(about_one, infinity), HUGE_VAL));
  EXPECT_TRUE(open(f32.multiply(infinity, about_zero)));
  EXPECT_TRUE(open(f32.divide(infinity, about_zero)));
  EXPECT_TRUE(open(f32.add(infinity, anything)));
  EXPECT_TRUE(open(f32.lerp(infinity, one, f32.decay(0.9)))) << "two products give inf, m + c (g-m) gives NaN";
  EXPECT_TRUE(certain(f32.lerp(one, infinity, f32.decay(0.9)), HUGE_VAL));
}

TEST(SpecialBalls, division_by_a_ball_that_holds_zero) {
  EXPECT_TRUE(certain(f32.divide(one, zero), HUGE_VAL));
  EXPECT_TRUE(certain_nan(f32.divide(zero, zero)));
  EXPECT_TRUE(open(f32.divide(one, about_zero)));
  EXPECT_TRUE(open(f32.divide(about_one, zero)));
  EXPECT_TRUE(open(meaning.divide(one, {0x1p-30, 0x1p-30})));
  EXPECT_FALSE(open(meaning.divide(one, {0x1p-30, 0x1p-31})));
}

// The largest float32 is 0x1.fffffep127; the half step above it rounds to inf.
TEST(SpecialBalls, beyond_the_largest_value_the_radius_is_infinite) {
  Ball largest = exactly(0x1.fffffep127);
  EXPECT_TRUE(certain(f32.multiply(largest, one), 0x1.fffffep127));
  for (const Arithmetic& in : {f32, meaning}) {
    EXPECT_TRUE(open(in.add(largest, largest)));
    EXPECT_TRUE(open(in.multiply(largest, exactly(2))));
    EXPECT_TRUE(open(in.square(exactly(0x1p64))));
    EXPECT_TRUE(open(in.exp(exactly(89))));
    EXPECT_TRUE(open(in.cast(exactly(1e39))));
    EXPECT_TRUE(open(in.mean_step(exactly(3e38), exactly(-3e38), 2))) << "g - acc overflows";
    EXPECT_TRUE(open(in.add(one, anything)));
  }
  EXPECT_TRUE(open(f32.lerp(exactly(3e38), exactly(-3e38), f32.decay(0.5)))) << "g - m overflows";
  EXPECT_TRUE(open(meaning.declared(exactly(0x1.ffffffp127))));
  EXPECT_EQ(f32.is_finite(f32.add(largest, largest)), Truth::unsure);
}

TEST(SpecialBalls, roots_and_logs_near_zero) {
  EXPECT_TRUE(certain_nan(f32.square_root(exactly(-1))));
  EXPECT_TRUE(open(f32.square_root({-1, 2})));
  EXPECT_TRUE(contains(f32.square_root({0x1p-60, 0x1p-40}), 0));
  EXPECT_TRUE(contains(f32.square_root({0x1p-60, 0x1p-40}), 0x1p-20));
  EXPECT_TRUE(open(f32.log({1, 1})));
  EXPECT_TRUE(certain_nan(f32.log(exactly(-1))));
}

TEST(SpecialBalls, comparisons_are_sure_only_where_every_pair_agrees) {
  EXPECT_EQ(f32.less(zero, one), Truth::yes);
  EXPECT_EQ(f32.less(one, one), Truth::no);
  EXPECT_EQ(f32.less(one, about_one), Truth::unsure);
  EXPECT_EQ(f32.less(about_zero, about_one), Truth::yes);
  EXPECT_EQ(f32.less(about_one, about_zero), Truth::no);
  EXPECT_EQ(f32.less(exactly(1), {Wide(1) + Wide(0x1p-20), 0x1p-20}), Truth::unsure);
  EXPECT_EQ(f32.less(infinity, infinity), Truth::no);
  EXPECT_EQ(f32.less(about_one, infinity), Truth::yes);
  EXPECT_EQ(f32.less(anything, one), Truth::unsure);
  Arithmetic flushing = Arithmetic::rounding(Dtype::float32, HyperPrecision::undeclared, true);
  EXPECT_EQ(flushing.less(zero, exactly(0x1p-140)), Truth::unsure);
  EXPECT_EQ(f32.less(zero, exactly(0x1p-140)), Truth::yes);
}

TEST(SpecialBalls, truth_tables) {
  EXPECT_EQ(negation(Truth::yes), Truth::no);
  EXPECT_EQ(negation(Truth::no), Truth::yes);
  EXPECT_EQ(negation(Truth::unsure), Truth::unsure);
  EXPECT_EQ(both(Truth::unsure, Truth::no), Truth::no);
  EXPECT_EQ(both(Truth::unsure, Truth::yes), Truth::unsure);
  EXPECT_EQ(both(Truth::yes, Truth::yes), Truth::yes);
  EXPECT_TRUE(certain(Truth::yes, "") && !certain(Truth::no, ""));
  EXPECT_THROW(certain(Truth::unsure, "clip"), Undecidable);
}

TEST(SpecialBalls, select_and_maximum_hold_every_choice) {
  EXPECT_TRUE(certain(Arithmetic::select(Truth::yes, one, zero), 1));
  EXPECT_TRUE(certain(Arithmetic::select(Truth::no, one, zero), 0));
  Ball either = Arithmetic::select(Truth::unsure, about_one, zero);
  EXPECT_TRUE(contains(either, 0) && contains(either, 1 + 0x1p-20) && !contains(either, -0x1p-19));
  EXPECT_TRUE(open(Arithmetic::select(Truth::unsure, one, nan)));
  EXPECT_TRUE(certain(Arithmetic::maximum(about_zero, exactly(3)), 3));
  Ball close = Arithmetic::maximum(about_one, {Wide(1) + Wide(0x1p-21), 0x1p-22});
  EXPECT_TRUE(contains(close, 1 + 0x1p-20) && contains(close, 1 + 0x1p-22));
  EXPECT_EQ(Arithmetic::absolute({-1, 2}).value, Wide(1));
}

// u|x| of float32 at 1/3 is 2^-24/3.
TEST(SpecialBalls, a_branch_is_evaluated_in_the_declared_dtype) {
  Ball third = meaning.divide(one, exactly(3));
  Ball declared = meaning.declared(third);
  EXPECT_GE(declared.radius, 0x1p-24 / 3);
  EXPECT_LE(declared.radius, 0x1p-24 / 3 * (1 + 0x1p-40));
  EXPECT_EQ(meaning.less(third, meaning.add(third, exactly(0x1p-60))), Truth::yes);
  EXPECT_EQ(meaning.branching().less(declared, meaning.declared(meaning.add(third, exactly(0x1p-60)))), Truth::unsure);
  EXPECT_EQ(meaning.declared(exactly(0.5)).radius, 0);
  EXPECT_EQ(f32.declared(about_one).radius, about_one.radius);
  EXPECT_FALSE(meaning.branching().is_semantic());
  EXPECT_EQ(meaning.at(Dtype::bfloat16).dtype(), Dtype::bfloat16);
}

}  // namespace
}  // namespace microstep
