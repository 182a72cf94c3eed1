// A declared true division leaves out the variants that multiply by a rounded reciprocal.
#include <gtest/gtest.h>

#include <random>

#include "microstep/scalar/balls.hpp"

namespace microstep {
namespace {

using Arithmetic = Balls<Wide>;

Arithmetic dividing(bool truly) {
  return Arithmetic::rounding(Dtype::float32, HyperPrecision::undeclared, false, truly);
}
Ball at(double x) { return exactly(x); }

// -2 + (4+2)/3 = 0; with fl(1/3) fused it is 6*(fl(1/3) - 1/3) = 5.96e-8.
TEST(TrueDivision, a_cancelling_mean_of_three_is_exact) {
  EXPECT_EQ(dividing(true).mean_step(at(-2), at(4), 3).radius, 0);
  EXPECT_GT(dividing(false).mean_step(at(-2), at(4), 3).radius, 0);
}

// 7*7/49 by true division is 7 in float32; 49 has a reciprocal whose product with 49 is not 1.
TEST(TrueDivision, multiples_are_exact_for_every_divisor) {
  for (int n = 1; n <= 64; ++n)
    for (int m = 1; m <= 64; ++m) EXPECT_EQ(dividing(true).divide(at(n * m), at(n)).radius, 0) << n << " " << m;
}

TEST(TrueDivision, one_rounding_is_reached_and_never_exceeded) {
  std::mt19937_64 random(7);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    float a = std::ldexp(1.0F + static_cast<float>(random() >> 41) * 0x1p-23F, 0);
    float b = std::ldexp(1.0F + static_cast<float>(random() >> 41) * 0x1p-23F, 0);
    volatile float quotient = a / b;
    worst = std::max(worst, share_of_radius(dividing(true).divide(at(a), at(b)), quotient));
  }
  EXPECT_LE(worst, 1);
  EXPECT_GE(worst, 0.9);
}

}  // namespace
}  // namespace microstep
