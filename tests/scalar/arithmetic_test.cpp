// Plain and emulated arithmetic against the machine, and the forms of the hyper-parameters.
#include "microstep/scalar/arithmetic.hpp"

#include <gtest/gtest.h>

#include "microstep/scalar/emulated.hpp"
#include "microstep/scalar/plain.hpp"
#include "scalar/machine.hpp"
#include "scalar/numbers.hpp"

namespace microstep {
namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

template <class Arithmetic>
void agrees(const Arithmetic& in, Dtype dtype) {
  using T = typename Arithmetic::Value;
  Machine m{dtype};
  Numbers numbers(dtype);
  for (int i = 0; i < 50000; ++i) {
    double a = numbers.any(), b = numbers.any();
    T x = in.load(a), y = in.load(b);
    ASSERT_TRUE(same(in.number(in.add(x, y)), m.add(a, b))) << a << ' ' << b;
    ASSERT_TRUE(same(in.number(in.subtract(x, y)), m.subtract(a, b))) << a << ' ' << b;
    ASSERT_TRUE(same(in.number(in.multiply(x, y)), m.multiply(a, b))) << a << ' ' << b;
    ASSERT_TRUE(same(in.number(in.divide(x, y)), m.divide(a, b))) << a << ' ' << b;
    ASSERT_TRUE(same(in.number(in.square(x)), m.multiply(a, a))) << a;
    ASSERT_TRUE(same(in.number(in.square_root(x)), m.square_root(a))) << a;
    ASSERT_TRUE(same(in.number(in.cast(x)), a)) << a;
    ASSERT_TRUE(same(in.number(in.absolute(in.negate(x))), std::fabs(a)));
    ASSERT_TRUE(same(in.number(in.mean_step(x, y, 3)), m.add(a, m.divide(m.subtract(b, a), 3)))) << a << ' ' << b;
    double larger = std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    ASSERT_TRUE(same(in.number(in.maximum(x, y)), larger)) << a << ' ' << b;
    ASSERT_EQ(in.less(x, y), truth(a < b));
    ASSERT_EQ(in.is_finite(x), truth(std::isfinite(a)));
  }
}

/// The dtype's own function, or the rounded one of the carrier.
template <class Arithmetic>
void transcends(const Arithmetic& in, Dtype dtype) {
  Machine own{dtype}, carrier{Dtype::float64};
  Numbers numbers(dtype);
  for (int i = 0; i < 20000; ++i) {
    double a = numbers.any();
    auto x = in.load(a);
    double exp = in.number(in.exp(x)), log = in.number(in.log(x)), tanh = in.number(in.tanh(x));
    ASSERT_TRUE(same(exp, own.exp(a)) || same(exp, own.cast(carrier.exp(a)))) << a;
    ASSERT_TRUE(same(log, own.log(a)) || same(log, own.cast(carrier.log(a)))) << a;
    ASSERT_TRUE(same(tanh, own.tanh(a)) || same(tanh, own.cast(carrier.tanh(a)))) << a;
  }
}

TEST(Arithmetic, exponentials_are_the_dtypes_or_the_carriers) {
  transcends(Plain<float>{}, Dtype::float32);
  transcends(Plain<double>{}, Dtype::float64);
  for (Dtype dtype : all_dtypes()) transcends(Emulated<double>{dtype}, dtype);
}

TEST(Arithmetic, plain_is_the_hardware) {
  agrees(Plain<float>{}, Dtype::float32);
  agrees(Plain<double>{}, Dtype::float64);
}

TEST(Arithmetic, emulated_rounds_each_operation) {
  for (Dtype dtype : all_dtypes()) agrees(Emulated<double>{dtype}, dtype);
}

template <class Arithmetic>
void lerps(const Arithmetic& in, Dtype dtype) {
  Machine m{dtype};
  Numbers numbers(dtype);
  for (int i = 0; i < 10000; ++i) {
    double a = numbers.middling(), b = numbers.middling();
    double expected = m.add(m.multiply(m.cast(0.9), a), m.multiply(m.cast(1 - 0.9), b));
    auto result = in.lerp(in.load(a), in.load(b), in.decay(0.9));
    ASSERT_EQ(in.number(result), expected) << a << ' ' << b;
  }
}

TEST(Arithmetic, lerp_is_two_products_with_one_minus_b_formed_in_double) {
  lerps(Plain<float>{}, Dtype::float32);
  lerps(Plain<double>{}, Dtype::float64);
  for (Dtype dtype : all_dtypes()) lerps(Emulated<double>{dtype}, dtype);
}

// 0.9 is 0x1.ccccccp-1 in float32 and 0x1.ccp-1 in bfloat16; what is left to 1 is exact in both.
TEST(Arithmetic, hyper_precision_is_where_one_minus_b_is_formed) {
  EXPECT_EQ(Plain<float>{HyperPrecision::leaf}.decay(0.9).taken, 1 - 0x1.ccccccp-1);
  EXPECT_EQ(Plain<float>{HyperPrecision::float64}.decay(0.9).taken, static_cast<float>(1 - 0.9));
  const Emulated<double> leaf{Dtype::bfloat16, HyperPrecision::leaf}, wide{Dtype::bfloat16, HyperPrecision::float64};
  EXPECT_EQ(leaf.decay(0.9).taken, 1 - 0x1.ccp-1);
  EXPECT_EQ(wide.decay(0.9).taken, round_to(Dtype::bfloat16, 1 - 0.9));
  EXPECT_EQ(leaf.decay(0.999).taken, 0);
  EXPECT_EQ(leaf.one_minus_power(0.999, 7), 0);
  EXPECT_EQ(wide.one_minus_power(0.999, 1), round_to(Dtype::bfloat16, 1 - 0.999));
  const Emulated<double> single{Dtype::bfloat16, HyperPrecision::float32};
  EXPECT_EQ(single.one_minus_power(0.999, 1), round_to(Dtype::bfloat16, static_cast<double>(1 - 0.999F)));
  EXPECT_EQ(Plain<float>{HyperPrecision::leaf}.one_minus_power(0.999, 2), 1 - 0.999F * 0.999F);
  EXPECT_EQ(Plain<float>{}.one_minus_power(0.5, 3), 0.875F);
}

}  // namespace
}  // namespace microstep
