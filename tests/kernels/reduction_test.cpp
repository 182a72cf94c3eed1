#include "microstep/kernels/reduction.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

using kernels::Strided;
constexpr Plain<float> floats{};
constexpr float e = 0x1p-24F;  // half the distance from 1 to the next float

template <class Value>
Strided<Value> all(const std::vector<Value>& x) {
  return {x.data(), static_cast<std::int64_t>(x.size()), 1};
}

// 1 + e is a tie and goes to the even 1; 1 + 3e is a tie between 1 + 2e and the even 1 + 4e.
TEST(Reduction, OrdersDifferInBits) {
  const std::vector<float> x{1, e, e, e};
  EXPECT_EQ(kernels::sum(floats, all(x), Reduction::sequential), 1.0F);
  EXPECT_EQ(kernels::sum(floats, all(x), Reduction::reversed), 1.0F + 4 * e);
  EXPECT_EQ(kernels::sum(floats, all(x), Reduction::pairwise), 1.0F + 2 * e);
}

TEST(Reduction, DotTakesTheSameOrders) {
  const std::vector<float> x{1, e, e, e}, y{1, 1, 1, 1};
  EXPECT_EQ(kernels::dot(floats, all(x), all(y), Reduction::sequential), 1.0F);
  EXPECT_EQ(kernels::dot(floats, all(x), all(y), Reduction::reversed), 1.0F + 4 * e);
  EXPECT_EQ(kernels::dot(floats, all(x), all(y), Reduction::pairwise), 1.0F + 2 * e);
}

// (1 + 2e)^2 = 1 + 4e + 4e^2: rounded to 1 + 4e before 1 + 4e is taken away.
TEST(Reduction, DotRoundsEachProduct) {
  const std::vector<float> x{1 + 2 * e, -1}, y{1 + 2 * e, 1 + 4 * e};
  EXPECT_EQ(kernels::dot(floats, all(x), all(y)), 0.0F);
}

// 2048 + 1 is a tie in float16.
TEST(Reduction, EmulatedRoundsEachAddition) {
  const Emulated<double> half{Dtype::float16};
  const std::vector<double> x{2048, 1, 1};
  EXPECT_EQ(kernels::sum(half, all(x), Reduction::sequential), 2048);
  EXPECT_EQ(kernels::sum(half, all(x), Reduction::reversed), 2050);
}

TEST(Reduction, NoTermsGiveZero) {
  for (Reduction order : {Reduction::sequential, Reduction::reversed, Reduction::pairwise}) {
    EXPECT_EQ(kernels::sum(floats, Strided<float>{nullptr, 0, 1}, order), 0);
    EXPECT_EQ(kernels::dot(floats, Strided<float>{nullptr, 0, 1}, Strided<float>{nullptr, 0, 1}, order), 0);
  }
}

TEST(Reduction, StridesSkip) {
  const std::vector<float> x{1, 100, 2, 100, 4}, y{3, 5, 7};
  const Strided<float> every_other{x.data(), 3, 2};
  for (Reduction order : {Reduction::sequential, Reduction::reversed, Reduction::pairwise}) {
    EXPECT_EQ(kernels::sum(floats, every_other, order), 7);
    EXPECT_EQ(kernels::dot(floats, every_other, all(y), order), 1 * 3 + 2 * 5 + 4 * 7);
  }
}

TEST(Reduction, NotFiniteIsNotHidden) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x{1, infinity, -infinity, 2}, y{1, 0, 1, 1};
  EXPECT_TRUE(std::isnan(kernels::sum(floats, all(x))));
  EXPECT_TRUE(std::isnan(kernels::dot(floats, all(x), all(y))));
}

TEST(Reduction, NamesAreStable) {
  EXPECT_EQ(to_string(Reduction::sequential), "sequential");
  EXPECT_EQ(to_string(Reduction::reversed), "reversed");
  EXPECT_EQ(to_string(Reduction::pairwise), "pairwise");
  EXPECT_EQ(to_string(MatmulPath::eigen), "eigen");
  EXPECT_EQ(to_string(TanhPath::scalar), "scalar");
}

}  // namespace
}  // namespace microstep
