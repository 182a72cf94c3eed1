// The ball of a sum or dot: sound for every order, tight where the rule is, and of radius 0 only where nothing rounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/numbers.hpp"
#include "microstep/kernels/reduction.hpp"

namespace microstep {
namespace {

using kernels::Strided;
const Balls<Wide> floats = Balls<Wide>::rounding(Dtype::float32);
constexpr double u = 0x1p-24;
constexpr double largest = 0x1.fffffep127;
constexpr double tiniest = 0x1p-149;

Ball sum_of(const std::vector<Ball>& x, const Balls<Wide>& in = floats) {
  return kernels::sum(in, {x.data(), static_cast<std::int64_t>(x.size()), 1});
}
Ball sum_of(const std::vector<double>& x, const Balls<Wide>& in = floats) { return sum_of(balls_of(x), in); }

Ball dot_of(const std::vector<Ball>& x, const std::vector<Ball>& y, const Balls<Wide>& in = floats) {
  const auto n = static_cast<std::int64_t>(x.size());
  return kernels::dot(in, {x.data(), n, 1}, {y.data(), n, 1});
}

float random_float(std::mt19937& bits) {
  const float fraction = static_cast<float>(bits() & 0xffffff) * 0x1p-24F + 1;
  return std::ldexp((bits() & 1) ? fraction : -fraction, static_cast<int>(bits() % 20) - 10);
}

std::vector<float> random_floats(std::mt19937& bits, std::size_t count) {
  std::vector<float> x(count);
  for (float& value : x) value = random_float(bits);
  return x;
}

/// Adds random pairs until one is left: any order of a sum.
float sum_in_random_order(std::vector<float> x, std::mt19937& bits) {
  while (x.size() > 1) {
    std::swap(x[bits() % x.size()], x.back());
    const float last = x.back();
    x.pop_back();
    x[bits() % x.size()] += last;
  }
  return x[0];
}

std::vector<double> wide(const std::vector<float>& x) { return {x.begin(), x.end()}; }

TEST(OrderFree, EveryOrderOfASumLiesInside) {
  std::mt19937 bits(1);
  for (int round = 0; round < 200; ++round) {
    const auto x = random_floats(bits, 2 + bits() % 12);
    const Ball ball = sum_of(wide(x));
    for (int order = 0; order < 50; ++order) EXPECT_TRUE(contains(ball, sum_in_random_order(x, bits)));
  }
}

TEST(OrderFree, EveryOrderOfADotLiesInsideFusedOrNot) {
  std::mt19937 bits(2);
  for (int round = 0; round < 200; ++round) {
    const auto x = random_floats(bits, 2 + bits() % 12), y = random_floats(bits, x.size());
    const Ball ball = dot_of(balls_of(wide(x)), balls_of(wide(y)));
    float fused = 0;
    std::vector<float> products;
    for (std::size_t i = 0; i < x.size(); ++i) {
      fused = std::fma(x[i], y[i], fused);
      products.push_back(x[i] * y[i]);
    }
    EXPECT_TRUE(contains(ball, fused));
    for (int order = 0; order < 50; ++order) EXPECT_TRUE(contains(ball, sum_in_random_order(products, bits)));
  }
}

// 1 + u + u + ...: each addition to 1 is a tie that loses u, so the sequential sum is 1 and strays by (n-1) u.
TEST(OrderFree, SumReachesItsRadius) {
  std::vector<double> x(100, u);
  x[0] = 1;
  const double share = share_of_radius(sum_of(x), 1.0);
  EXPECT_LE(share, 1);
  EXPECT_GE(share, 0.9);
}

TEST(OrderFree, RadiusIsTheRule) {
  const std::vector<double> x{1, 0x1p-30, -3, 0};
  const double size = 4 + 0x1p-30;
  const double rule = 2 * u * size;  // three terms that are not 0
  EXPECT_GE(sum_of(x).radius, rule);
  EXPECT_LE(sum_of(x).radius, rule * (1 + 0x1p-40));
  EXPECT_EQ(sum_of(x).value, Wide(-2) + Wide(0x1p-30));
}

TEST(OrderFree, InputRadiiPassOnce) {
  const std::vector<Ball> x{{1, 0.25}, {-2, 0.5}}, y{{4, 0.125}, {8, 0}};
  const double sum_rule = 0.75 + u * (1.25 + 2.5);
  EXPECT_GE(sum_of(x).radius, sum_rule);
  EXPECT_LE(sum_of(x).radius, sum_rule * (1 + 0x1p-40));
  const double passed = (1 * 0.125 + 4 * 0.25 + 0.25 * 0.125) + 8 * 0.5;
  const double dot_rule = passed + 2 * u * (1.25 * 4.125 + 2.5 * 8);
  EXPECT_GE(dot_of(x, y).radius, dot_rule);
  EXPECT_LE(dot_of(x, y).radius, dot_rule * (1 + 0x1p-40));
}

TEST(OrderFree, OneGridWithinTheSignificandIsExact) {
  EXPECT_EQ(sum_of({0.5, -1.25, 3, 0.75}).radius, 0);
  EXPECT_EQ(sum_of({0x1p23, 0x1p23 - 1}).radius, 0) << "24 bits";
  EXPECT_GT(sum_of({0x1p23, 0x1p23, 1}).radius, 0) << "25 bits";
  EXPECT_GT(sum_of({0x1p24, -0x1p24, 1}).radius, 0) << "0 or 1 in some order of 2^24 + 1 - 2^24";
  EXPECT_EQ(dot_of(balls_of({0.5, 3}), balls_of({0.25, 5})).radius, 0);
  EXPECT_GT(dot_of(balls_of({1 + 0x1p-20}), balls_of({1 + 0x1p-20})).radius, 0) << "a product of 41 bits";
  EXPECT_EQ(dot_of(balls_of({0, 1 + 0x1p-20}), balls_of({7, 0})).radius, 0);
}

TEST(OrderFree, SemanticGridIsWide) {
  const auto semantic = Balls<Wide>::semantics(Dtype::float32);
  EXPECT_EQ(sum_of({0x1p60, 1, 0x1p-40}, semantic).radius, 0);
  const double radius = sum_of({0x1p100, 1, 0x1p-40}, semantic).radius;
  EXPECT_GT(radius, 0);
  EXPECT_LE(radius, 4 * 0x1p-113 * 0x1p101);
}

// 256 + 1 is a tie in bfloat16: added one by one, a thousand ones are 256.
TEST(OrderFree, StagnationLiesInside) {
  const Ball ball = sum_of(std::vector<double>(1000, 1.0), Balls<Wide>::rounding(Dtype::bfloat16));
  EXPECT_EQ(ball.value, 1000);
  EXPECT_TRUE(contains(ball, 256));
}

TEST(OrderFree, AnOrderThatOverflowsMakesItInfinite) {
  EXPECT_EQ(sum_of({largest, largest, -largest}).radius, infinite_radius);
  EXPECT_EQ(dot_of(balls_of({largest, 1}), balls_of({2, 1})).radius, infinite_radius);
  EXPECT_LT(sum_of({largest / 4, largest / 4, 1}).radius, infinite_radius);
}

TEST(OrderFree, NotFiniteTermsAreCertainWhereAllAre) {
  const double infinity = HUGE_VAL;
  EXPECT_EQ(sum_of({1, infinity, 2}).radius, 0);
  EXPECT_EQ(sum_of({1, infinity, 2}).value, Wide(infinity));
  EXPECT_TRUE(wide::is_nan(sum_of({infinity, 1, -infinity}).value));
  EXPECT_EQ(sum_of({infinity, 1, -infinity}).radius, 0);
  EXPECT_EQ(sum_of(std::vector<Ball>{{1, infinite_radius}, exactly(2)}).radius, infinite_radius);
  EXPECT_EQ(sum_of(std::vector<Ball>{{1, infinite_radius}, exactly(infinity)}).radius, infinite_radius);
  EXPECT_TRUE(wide::is_nan(dot_of(balls_of({infinity, 1}), balls_of({0, 1})).value));
  EXPECT_EQ(dot_of({exactly(infinity), exactly(1)}, {{0, 1.0}, exactly(1)}).radius, infinite_radius);
}

TEST(OrderFree, ProductsThatAreSubnormalMayLoseABit) {
  const Ball ball = dot_of(balls_of({0x1p-80, 0x1p-80}), balls_of({0x1p-80, 0x1p-80}));
  EXPECT_TRUE(contains(ball, 0)) << "both products round to 0";
  EXPECT_LE(ball.radius, 4 * tiniest);
}

TEST(OrderFree, FlushingReadsSubnormalsAsZero) {
  const auto flushing = Balls<Wide>::rounding(Dtype::float32, HyperPrecision::undeclared, true);
  EXPECT_TRUE(contains(sum_of({tiniest, 0x1p-140}, flushing), 0));
  EXPECT_TRUE(contains(dot_of(balls_of({0x1p-130}), balls_of({0x1p20}), flushing), 0));
  EXPECT_FALSE(contains(sum_of({tiniest, 0x1p-140}), 0));
  EXPECT_EQ(sum_of({0.5, 2}, flushing).radius, 0);
}

TEST(OrderFree, NoTermsGiveExactlyZero) {
  const Ball none = sum_of(std::vector<Ball>{});
  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(none.radius, 0);
}

}  // namespace
}  // namespace microstep
