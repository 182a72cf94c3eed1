// Distances of differences, and the names of the three answers.
#include "microstep/data/semantics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace microstep {
namespace {

Difference between(Dtype dtype, Wide a, Wide b) {
  Difference d;
  d.dtype = dtype;
  d.accumulated = {a, 0};
  d.reference = {b, 0};
  return d;
}

TEST(Ulps, AreStepsOfTheDtypesGrid) {
  EXPECT_EQ(ulps(between(Dtype::float32, 1, 1 + Wide(0x1p-23))), 1);
  EXPECT_EQ(ulps(between(Dtype::float64, 1, 1 + Wide(0x1p-23))), 0x1p29);
  EXPECT_EQ(ulps(between(Dtype::bfloat16, 1, 2)), 128);
  EXPECT_EQ(ulps(between(Dtype::float16, -1, 1)), 2 * 15 * 1024);
}

TEST(Ulps, OfCentresThatRoundAlikeAreZero) {
  EXPECT_EQ(ulps(between(Dtype::float32, 1, 1 + Wide(0x1p-40))), 0);
  EXPECT_EQ(ulps(between(Dtype::float32, Wide(-0.0), Wide(0.0))), 0);
}

TEST(Ulps, OfCountsAreTheirDifference) {
  Difference d = between(Dtype::float64, 2, 5);
  d.is_count = true;
  EXPECT_EQ(ulps(d), 3);
}

TEST(Ulps, OfOneNanIsNan) {
  EXPECT_TRUE(std::isnan(ulps(between(Dtype::float32, std::numeric_limits<double>::quiet_NaN(), 1))));
}

TEST(Sameness, HasThreeNames) {
  EXPECT_EQ(to_string(Sameness::same), "same");
  EXPECT_EQ(to_string(Sameness::different), "different");
  EXPECT_EQ(to_string(Sameness::undecidable), "undecidable");
}

}  // namespace
}  // namespace microstep
