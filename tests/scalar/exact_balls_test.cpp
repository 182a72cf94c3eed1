// Dyadic probes have radius 0: any difference there is semantic. What is not exact in every variant has a radius.
#include <gtest/gtest.h>

#include <cmath>

#include "microstep/scalar/balls.hpp"

namespace microstep {
namespace {

using Arithmetic = Balls<Wide>;

struct Example {
  const char* text;
  Ball ball;
  double value;
};

const Arithmetic f32 = Arithmetic::rounding(Dtype::float32);
const Arithmetic b16 = Arithmetic::rounding(Dtype::bfloat16);
const Arithmetic f16 = Arithmetic::rounding(Dtype::float16);
const Arithmetic f64 = Arithmetic::rounding(Dtype::float64);
const Arithmetic flushing = Arithmetic::rounding(Dtype::float32, HyperPrecision::undeclared, true);

Ball at(double x) { return exactly(x); }

std::vector<Example> exact_examples() {
  return {
      {"1 + 2^-23", f32.add(at(1), at(0x1p-23)), 1 + 0x1p-23},
      {"inexact carriers do not matter", f32.subtract(at(0x1p127), at(0x1p127)), 0},
      {"smallest subnormals", f32.add(at(0x1p-149), at(0x1p-149)), 0x1p-148},
      {"3 * 5", b16.multiply(at(3), at(5)), 15},
      {"the largest", f16.multiply(at(32752), at(2)), 65504},
      {"6 / 3", f32.divide(at(6), at(3)), 2},
      {"6 / 3 in float64", f64.divide(at(6), at(3)), 2},
      {"-1.5 / 2", b16.divide(at(-1.5), at(2)), -0.75},
      {"0 / 0.1, which has a radius", f32.divide(at(0), f32.hyper(0.1)), 0},
      {"0 * 0.1", f32.multiply(f32.hyper(0.1), at(0)), 0},
      {"square", f32.square(at(-1.5)), 2.25},
      {"square root", f32.square_root(at(2.25)), 1.5},
      {"square root of 0", b16.square_root(at(0)), 0},
      {"exp 0", f32.exp(at(0)), 1},
      {"log 1", f32.log(at(1)), 0},
      {"tanh 0", f32.tanh(at(0)), 0},
      {"cast", b16.cast(at(1.5)), 1.5},
      {"hyper", b16.hyper(0.0078125), 0.0078125},
      {"decay .5 kept", f32.decay(0.5).kept, 0.5},
      {"decay .75 taken", b16.decay(0.75).taken, 0.25},
      {"1 - .5^3", b16.one_minus_power(0.5, 3), 0.875},
      {"1 - .75^2", f32.one_minus_power(0.75, 2), 0.4375},
      {"1 - 0^4", f32.one_minus_power(0, 4), 1},
      {"lerp", f32.lerp(at(3), at(-1), f32.decay(0.75)), 2},
      {"running mean, k = 2", f32.mean_step(at(3), at(6), 2), 4.5},
      {"running mean, k = 3", f32.mean_step(at(6), at(9), 3), 7},
      {"subnormal mean", f32.mean_step(at(0x1p-149), at(0x3p-149), 2), 0x1p-148},
  };
}

std::vector<Example> inexact_examples() {
  return {
      {"1 + 2^-24", f32.add(at(1), at(0x1p-24)), 1 + 0x1p-24},
      {"129 * 129 needs 15 bits", b16.multiply(at(129), at(129)), 16641},
      {"2^-149 / 2 underflows", f32.divide(at(0x1p-149), at(2)), 0x1p-150},
      {"2^-140 / 2^-140: the reciprocal overflows", f32.divide(at(0x1p-140), at(0x1p-140)), 1},
      {"41 / 41: 41 fl(1/41) is not 1 in float32", f32.divide(at(41), at(41)), 1},
      {"a subnormal product that is flushed", flushing.multiply(at(0x1p-100), at(0x1p-40)), 0x1p-140},
      {"a subnormal operand that is flushed", flushing.multiply(at(0x1p-140), at(0x1p40)), 0x1p-100},
      {"exp of anything but 0", f32.exp(at(0x1p-10)), std::exp(0x1p-10)},
      {"1 - .5^30 needs 30 bits", f32.one_minus_power(0.5, 30), 1 - 0x1p-30},
      {"lerp whose difference rounds", f32.lerp(at(0x1p24 + 2), at(-0x1p24), f32.decay(0.5)), 1},
      {"mean whose fused reciprocal shows", f32.mean_step(at(-2), at(4), 3), 0},
      {"a count that bfloat16 does not hold", b16.mean_step(at(0), at(2), 257), 2.0 / 256},
  };
}

TEST(ExactBalls, dyadic_probes_have_radius_zero) {
  for (const Example& example : exact_examples()) {
    EXPECT_EQ(example.ball.radius, 0) << example.text;
    EXPECT_EQ(example.ball.value, Wide(example.value)) << example.text;
  }
}

TEST(ExactBalls, what_some_variant_rounds_has_a_radius) {
  for (const Example& example : inexact_examples()) {
    EXPECT_GT(example.ball.radius, 0) << example.text;
    EXPECT_TRUE(contains(example.ball, example.value)) << example.text;
  }
}

// 1/3 in binary never ends; that its product with 3 rounds to 1 proves nothing.
TEST(ExactBalls, one_third_is_not_exact_in_any_mode) {
  for (Dtype dtype : all_dtypes()) {
    EXPECT_GT(Arithmetic::rounding(dtype).divide(at(1), at(3)).radius, 0);
    EXPECT_GT(Arithmetic::semantics(dtype).divide(at(1), at(3)).radius, 0);
  }
  EXPECT_EQ(Arithmetic::semantics(Dtype::float32).divide(at(6), at(3)).radius, 0);
}

// fl(x) - x by hand: 0.1 in float32 is 13421773 * 2^-27, in double 0x1.999999999999ap-4.
TEST(ExactBalls, a_hyper_parameter_has_the_radius_of_its_rounding) {
  double error = 13421773 * 0x1p-27 - 0.1;
  EXPECT_GE(f32.hyper(0.1).radius, error);
  EXPECT_LE(f32.hyper(0.1).radius, error * (1 + 0x1p-40));
  EXPECT_EQ(f32.hyper(0.1).value, Wide(0.1));
  EXPECT_EQ(f64.hyper(0.1).radius, 0);
  EXPECT_EQ(Arithmetic::semantics(Dtype::bfloat16).hyper(0.1).radius, 0);
  EXPECT_EQ(f16.hyper(1e6).radius, infinite_radius);
  EXPECT_EQ(f32.hyper(HUGE_VAL).radius, 0);
}

// bfloat16 holds .999 as 1, so in the leaf 1 - b is 0 and 1 - b^t is 0 for every t; formed in double it is not.
TEST(ExactBalls, hyper_precision_decides_how_wide_one_minus_b_is) {
  Arithmetic leaf = Arithmetic::rounding(Dtype::bfloat16, HyperPrecision::leaf);
  Arithmetic wide = Arithmetic::rounding(Dtype::bfloat16, HyperPrecision::float64);
  for (std::int64_t t : {1, 10, 1000, 100000}) {
    EXPECT_TRUE(contains(leaf.one_minus_power(0.999, t), 0)) << t;
    EXPECT_TRUE(contains(b16.one_minus_power(0.999, t), 0)) << t;
    EXPECT_FALSE(contains(wide.one_minus_power(0.999, t), 0)) << t;
  }
  EXPECT_TRUE(contains(leaf.decay(0.999).taken, 0) && contains(b16.decay(0.999).taken, 0));
  EXPECT_FALSE(contains(wide.decay(0.999).taken, 0));
}

}  // namespace
}  // namespace microstep
