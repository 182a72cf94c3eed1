#include "microstep/scalar/wide.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "microstep/scalar/ball.hpp"
#include "microstep/scalar/plain.hpp"
#include "scalar/numbers.hpp"

namespace microstep {
namespace {

TEST(Wide, exponent_and_lowest_bit_of_an_odd_integer_times_a_power) {
  Numbers numbers(Dtype::float64);
  for (int i = 0; i < 10000; ++i) {
    int bits = 1 + static_cast<int>(numbers.below(53)), power = static_cast<int>(numbers.below(30000)) - 16000;
    auto odd = static_cast<std::int64_t>((numbers.bits() >> (64 - bits)) | (std::uint64_t{1} << (bits - 1)) | 1);
    Wide x = Wide(odd) * wide::power_of_two(power);
    ASSERT_EQ(wide::exponent_of(-x), power + bits - 1);
    ASSERT_EQ(wide::lowest_bit(x), power);
    ASSERT_EQ(wide::significant_bits(x), bits);
  }
}

TEST(Wide, subnormals_and_all_113_bits) {
  EXPECT_EQ(wide::exponent_of(wide::power_of_two(-16494)), -16494);
  EXPECT_EQ(wide::lowest_bit(3 * wide::power_of_two(-16494)), -16494);
  EXPECT_EQ(wide::exponent_of(3 * wide::power_of_two(-16494)), -16493);
  EXPECT_EQ(wide::exponent_of(wide::power_of_two(-16400)), -16400);
  EXPECT_EQ(wide::lowest_bit(1 + wide::power_of_two(-112)), -112);
  EXPECT_EQ(wide::significant_bits(1 + wide::power_of_two(-112)), wide_significand);
  EXPECT_EQ(wide::significant_bits(Wide(0)), 0);
  EXPECT_EQ(1 + wide::power_of_two(-113), Wide(1));
}

TEST(Wide, infinities_nan_and_minus_zero_are_ieee) {
  const Wide infinity = HUGE_VAL, zero = 0;
  EXPECT_EQ(Wide(1) / zero, infinity);
  EXPECT_EQ(Wide(1) / -zero, -infinity);
  EXPECT_EQ(infinity + 1, infinity);
  EXPECT_TRUE(wide::is_nan(infinity - infinity));
  EXPECT_TRUE(wide::is_nan(zero * infinity));
  EXPECT_TRUE(wide::is_nan(wide::sqrt(-1)));
  EXPECT_TRUE(wide::is_nan(wide::log(-1)));
  EXPECT_EQ(wide::log(0), -infinity);
  EXPECT_EQ(wide::exp(-infinity), zero);
  EXPECT_EQ(wide::sqrt(infinity), infinity);
  EXPECT_TRUE(std::signbit(static_cast<double>(wide::sqrt(-zero))));
  EXPECT_TRUE(wide::is_finite(zero) && !wide::is_finite(infinity) && !wide::is_finite(Wide(NAN)));
  EXPECT_EQ(wide::abs(-infinity), infinity);
  EXPECT_FALSE(std::signbit(static_cast<double>(wide::abs(-zero))));
}

TEST(Wide, text_is_short_and_names_what_is_not_finite) {
  EXPECT_EQ(wide::to_string(0), "0");
  EXPECT_EQ(wide::to_string(-Wide(0)), "-0");
  EXPECT_EQ(wide::to_string(Wide(1) / 4), "0.25");
  EXPECT_EQ(wide::to_string(Wide(1) / 10), "0.1");
  EXPECT_EQ(wide::to_string(Wide(0.1)), "0.1000000000000000055511151231257827");
  EXPECT_EQ(wide::to_string(Wide(NAN)), "NaN");
  EXPECT_EQ(wide::to_string(Wide(HUGE_VAL)), "Infinity");
  EXPECT_EQ(wide::to_string(-Wide(HUGE_VAL)), "-Infinity");
  EXPECT_EQ(wide::to_string(1 + wide::power_of_two(-112)), "1.0000000000000000000000000000000002");
}

TEST(Wide, plain_forms_hyper_parameters_without_rounding_to_double) {
  const Plain<Wide> in;
  EXPECT_EQ(in.decay(0.1).taken, 1 - Wide(0.1));
  EXPECT_NE(in.decay(0.1).taken, Wide(1 - 0.1));
  EXPECT_EQ(in.one_minus_power(0.1, 2), 1 - Wide(0.1) * Wide(0.1));
}

// The compiler's own conversion (libgcc) is the other opinion.
TEST(Wide, to_double_rounds_as_a_conversion_does) {
  Numbers numbers(Dtype::float64);
  auto next = [&numbers] { return numbers.bits(); };
  for (int exponent = -1100; exponent <= 1030; ++exponent)
    for (const std::uint64_t low : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 59, next() << 59, next()}) {
      const std::uint64_t biased = static_cast<std::uint64_t>(exponent + wide::exponent_bias) << 48;
      for (const std::uint64_t high : {std::uint64_t{0}, next() >> 16, ~std::uint64_t{0} >> 16}) {
        const Wide x = wide::from_bits({low, biased | high});
        ASSERT_EQ(wide::to_double(x), static_cast<double>(x)) << exponent;
        ASSERT_EQ(wide::to_double(-x), static_cast<double>(-x)) << exponent;
      }
    }
}

TEST(Wide, from_double_is_a_conversion) {
  Numbers numbers(Dtype::float64);
  auto expect_converted = [](std::uint64_t bits) {
    const auto x = std::bit_cast<double>(bits);
    const wide::Bits ours = wide::bits_of(wide::from_double(x)), theirs = wide::bits_of(static_cast<Wide>(x));
    ASSERT_TRUE(ours.high == theirs.high && ours.low == theirs.low) << x;
  };
  for (std::uint64_t exponent = 0; exponent < 0x1000; ++exponent)  // with the sign: both zeros, infinity and NaN too
    for (const std::uint64_t fraction : {std::uint64_t{0}, std::uint64_t{1}, numbers.bits() >> 12})
      expect_converted(exponent << 52 | fraction);
}

TEST(Wide, same_is_equality_with_nan_in_its_class) {
  const Wide nan = NAN, one = 1;
  EXPECT_TRUE(wide::same(one, one) && wide::same(Wide(0), -Wide(0)) && wide::same(nan, -nan));
  EXPECT_FALSE(wide::same(one, 1 + wide::power_of_two(-112)) || wide::same(one, -one) || wide::same(nan, one));
}

TEST(Wide, zeros_infinities_and_nan_are_read_from_the_bits) {
  const Wide infinite = std::numeric_limits<double>::infinity(), nan = infinite - infinite;
  for (const Wide zero : {Wide(0), -Wide(0)}) EXPECT_TRUE(wide::is_zero(zero) && wide::is_finite(zero));
  EXPECT_TRUE(std::signbit(wide::to_double(-Wide(0))));
  EXPECT_FALSE(wide::is_zero(wide::power_of_two(-16494)));
  for (const Wide x : {infinite, -infinite}) EXPECT_FALSE(wide::is_finite(x) || wide::is_nan(x));
  EXPECT_TRUE(wide::is_nan(nan) && wide::is_nan(-nan) && !wide::is_finite(nan));
  EXPECT_FALSE(wide::is_nan(Wide(1)));
}

// r = sqrt(x)(1 + d) with |d| <= 2u gives |r r - x| <= 4u x, and the product rounds once more.
TEST(Wide, sqrt_is_within_two_units) {
  Numbers numbers(Dtype::float64);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t exponent = 1 + numbers.below(i % 2 == 0 ? 0x7ffd : 0x800) + (i % 2 == 0 ? 0 : 0x3bff);
    const Wide x = wide::from_bits({numbers.bits(), exponent << 48 | numbers.bits() >> 16}), r = wide::sqrt(x);
    ASSERT_LE(wide::abs(r * r - x), 5 * Wide(wide_unit_roundoff) * x);
    ASSERT_EQ(wide::sqrt(Wide(i) * i), Wide(i));
  }
  EXPECT_TRUE(wide::is_nan(wide::sqrt(-Wide(1))));
  EXPECT_EQ(wide::sqrt(Wide(HUGE_VAL)), Wide(HUGE_VAL));
}

}  // namespace
}  // namespace microstep
