#include "microstep/scalar/dtype.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>

#include "microstep/scalar/emulated.hpp"
#include "scalar/numbers.hpp"

namespace microstep {
namespace {

constexpr Dtype f64 = Dtype::float64, f32 = Dtype::float32, b16 = Dtype::bfloat16, f16 = Dtype::float16;

template <class T>
constexpr Dtype dtype_of = std::is_same_v<T, Eigen::half> ? f16 : b16;

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T>
double eigen_value(std::uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<T>(bits));
}

template <class T>
std::uint16_t eigen_bits(float x) {
  return Eigen::numext::bit_cast<std::uint16_t>(static_cast<T>(x));
}

template <class T>
class Sixteen : public testing::Test {};
using SixteenBitTypes = testing::Types<Eigen::half, Eigen::bfloat16>;
TYPED_TEST_SUITE(Sixteen, SixteenBitTypes);

TYPED_TEST(Sixteen, every_pattern_has_eigens_value_and_comes_back) {
  constexpr Dtype dtype = dtype_of<TypeParam>;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    double x = from_bits(dtype, bits);
    ASSERT_TRUE(same(x, eigen_value<TypeParam>(static_cast<std::uint16_t>(bits)))) << bits;
    ASSERT_TRUE(is_representable(dtype, Wide(x))) << bits;
    ASSERT_TRUE(same(round_to(dtype, x), x)) << bits;
    std::uint64_t back = bits_of(dtype, x);
    ASSERT_TRUE(std::isnan(x) ? std::isnan(from_bits(dtype, back)) : back == bits) << bits;
  }
}

TYPED_TEST(Sixteen, a_million_floats_round_as_in_eigen) {
  constexpr Dtype dtype = dtype_of<TypeParam>;
  Numbers numbers(dtype);
  for (int i = 0; i < 1000000; ++i) {
    auto x = std::bit_cast<float>(static_cast<std::uint32_t>(numbers.bits()));
    if (i % 2 == 0) x = static_cast<float>(numbers.any() * (1 + std::ldexp(1.0, -static_cast<int>(numbers.below(24)))));
    double expected = eigen_value<TypeParam>(eigen_bits<TypeParam>(x));
    ASSERT_TRUE(same(round_to(dtype, static_cast<double>(x)), expected)) << x;
    ASSERT_TRUE(same(static_cast<double>(round_to(dtype, Wide(x))), expected)) << x;
  }
}

// The midpoint of neighbours and the doubles beside it, derived from the patterns alone: exact halves go to even bits.
TYPED_TEST(Sixteen, ties_go_to_even_and_doubles_beside_them_to_the_nearer) {
  constexpr Dtype dtype = dtype_of<TypeParam>;
  std::uint64_t infinity = bits_of(dtype, HUGE_VAL);
  for (std::uint64_t bits = 0; bits < infinity; ++bits) {
    double low = from_bits(dtype, bits);
    double high = bits + 1 < infinity ? from_bits(dtype, bits + 1) : 2 * std::exp2(facts(dtype).max_exponent);
    double tie = (low + high) / 2, up = bits + 1 < infinity ? high : HUGE_VAL;
    ASSERT_EQ(round_to(dtype, tie), bits % 2 == 0 ? low : up);
    ASSERT_EQ(round_to(dtype, std::nextafter(tie, low)), low);
    ASSERT_EQ(round_to(dtype, -std::nextafter(tie, high)), -up);
    ASSERT_EQ(round_to(dtype, Wide(tie) * (1 - Wide(0x1p-100))), low);
    ASSERT_EQ(round_to(dtype, Wide(tie) * (1 + Wide(0x1p-100))), up);
    ASSERT_EQ(ulp_distance(dtype, low, -up), static_cast<double>(2 * bits + 1));
  }
}

TEST(Dtype, float32_rounds_as_the_hardware_does) {
  Numbers numbers(f32);
  for (int i = 0; i < 1000000; ++i) {
    double x = numbers.any() * (1 + std::ldexp(1.0, -static_cast<int>(numbers.below(30)) - 20));
    double expected = static_cast<float>(x);
    ASSERT_TRUE(same(round_to(f32, x), expected)) << x;
    ASSERT_TRUE(same(static_cast<double>(round_to(f32, Wide(x))), expected)) << x;
    ASSERT_EQ(is_representable(f32, Wide(x)), std::isnan(x) || expected == x) << x;
    ASSERT_TRUE(std::isnan(x) || bits_of(f32, expected) == std::bit_cast<std::uint32_t>(static_cast<float>(x)));
    ASSERT_TRUE(same(from_bits(f32, bits_of(f32, expected)), expected));
  }
}

TEST(Dtype, float64_keeps_every_double_and_rounds_wide_once) {
  Numbers numbers(f64);
  for (int i = 0; i < 1000000; ++i) {
    double x = std::bit_cast<double>(numbers.bits());
    ASSERT_TRUE(same(round_to(f64, x), x));
    ASSERT_TRUE(std::isnan(x) || from_bits(f64, bits_of(f64, x)) == x);
    Wide between = Wide(x) * (1 + Wide(numbers.uniform()) / 0x1p50);
    ASSERT_TRUE(same(static_cast<double>(round_to(f64, between)), static_cast<double>(between)));
  }
}

TEST(Dtype, beyond_the_largest_is_infinite_however_far) {
  for (Dtype dtype : {b16, f16, f32})
    for (double x : {facts(dtype).largest * 1.5, 1e200, 1e300, 0x1.fffffffffffffp1023})
      for (double sign : {1.0, -1.0}) EXPECT_EQ(round_to(dtype, sign * x), sign * HUGE_VAL) << to_string(dtype);
}

// JAX's table (Type promotion semantics, in the JAX documentation) for these four, written by hand.
TEST(Dtype, promotes_as_jax_does) {
  const Dtype order[] = {f64, f32, b16, f16};
  const Dtype table[4][4] = {{f64, f64, f64, f64}, {f64, f32, f32, f32}, {f64, f32, b16, f32}, {f64, f32, f32, f16}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_EQ(promote(order[i], order[j]), table[i][j]) << i << ' ' << j;
  EXPECT_EQ(narrowest(f64, f32), f32);
  EXPECT_EQ(narrowest(b16, f16), b16);
  EXPECT_EQ(narrowest(f16, f32), f16);
}

// 1 + 2^-10 needs 11 bits: float16 holds it, bfloat16 not; 1 + 2^-20 needs float32.
TEST(Dtype, a_mixed_operation_rounds_to_the_promotion) {
  const Emulated<double> any;
  EXPECT_EQ(any.at(promote(f16, f16)).add(1, 0x1p-10), 1 + 0x1p-10);
  EXPECT_EQ(any.at(promote(b16, b16)).add(1, 0x1p-10), 1);
  EXPECT_EQ(any.at(promote(b16, f16)).add(1, 0x1p-20), 1 + 0x1p-20);
  EXPECT_EQ(any.at(promote(f32, b16)).add(1, 0x1p-40), 1);
  EXPECT_EQ(any.at(promote(f64, f16)).add(1, 0x1p-40), 1 + 0x1p-40);
  EXPECT_EQ(any.at(promote(b16, f16)).multiply(60000, 2), 120000);
  EXPECT_EQ(any.at(f16).multiply(60000, 2), HUGE_VAL);
}

TEST(Dtype, steps_between_values) {
  EXPECT_EQ(ulp_distance(f32, 0.0, -0.0), 0);
  EXPECT_EQ(ulp_distance(f32, 1, 1 + 0x1p-23), 1);
  EXPECT_EQ(ulp_distance(f32, 1, 1 - 0x1p-23), 2);
  EXPECT_EQ(ulp_distance(f32, 0x1p-149, -0x1p-149), 2);
  EXPECT_EQ(ulp_distance(b16, facts(b16).largest, HUGE_VAL), 1);
  EXPECT_EQ(ulp_distance(f64, -HUGE_VAL, HUGE_VAL), 2 * 0x7ff0000000000000p0);
  EXPECT_EQ(ulp_distance(b16, 1, 1 + 0x1p-20), 0);
  EXPECT_EQ(ulp_distance(f16, NAN, NAN), 0);
  EXPECT_TRUE(std::isnan(ulp_distance(f16, NAN, 1)));
}

TEST(Dtype, names_and_bits_as_text) {
  for (Dtype dtype : all_dtypes()) EXPECT_EQ(dtype_from_name(to_string(dtype)), dtype);
  EXPECT_EQ(dtype_from_name("float8"), std::nullopt);
  EXPECT_EQ(bits_text(f32, 1), "0x3f800000");
  EXPECT_EQ(bits_text(b16, -2), "0xc000");
  EXPECT_EQ(bits_text(f16, 0x1p-24), "0x0001");
  EXPECT_EQ(bits_text(f64, -0.0), "0x8000000000000000");
}

}  // namespace
}  // namespace microstep
