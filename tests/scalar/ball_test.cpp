#include "microstep/scalar/ball.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace microstep {
namespace {

const Ball infinity = exactly(HUGE_VAL), nan = exactly(NAN);

TEST(Ball, overlap_is_decided_however_small_the_gap) {
  const Wide gap = wide::power_of_two(-112);
  EXPECT_TRUE(overlap(exactly(1), exactly(1)));
  EXPECT_FALSE(overlap(exactly(1), {1 + gap, 0}));
  EXPECT_TRUE(overlap(exactly(1), {1 + gap, 0x1p-112}));
  EXPECT_FALSE(overlap(exactly(1), {1 + gap, 0x1p-113}));
  EXPECT_TRUE(overlap({0, 1}, {3, 2}));
  EXPECT_FALSE(overlap({0, 1}, {3, 1.5}));
  EXPECT_TRUE(overlap(exactly(0.0), exactly(-0.0)));
}

TEST(Ball, overlap_of_what_is_not_finite) {
  EXPECT_TRUE(overlap(nan, nan));
  EXPECT_FALSE(overlap(nan, exactly(1)));
  EXPECT_TRUE(overlap(infinity, infinity));
  EXPECT_FALSE(overlap(infinity, exactly(-HUGE_VAL)));
  EXPECT_FALSE(overlap(infinity, {1, 1e300}));
  EXPECT_TRUE(overlap(nan, {0, infinite_radius}));
}

TEST(Ball, share_of_the_radius) {
  EXPECT_EQ(share_of_radius({1, 0.5}, 1.25), 0.5);
  EXPECT_EQ(share_of_radius({1, 0.5}, 2), 2);
  EXPECT_EQ(share_of_radius(exactly(1), 1), 0);
  EXPECT_EQ(share_of_radius(exactly(1), 1 + 0x1p-52), infinite_radius);
  EXPECT_EQ(share_of_radius(nan, NAN), 0);
  EXPECT_EQ(share_of_radius({1, 2}, NAN), infinite_radius);
  EXPECT_EQ(share_of_radius({1, infinite_radius}, NAN), 0);
  EXPECT_TRUE(contains({1, 0.5}, 1.5));
  EXPECT_FALSE(contains({1, 0.5}, 1.5 + 0x1p-50));
}

// The centre of a hull is rounded; its radius must make up for that even where the radii are far below 2^-113.
TEST(Ball, hull_holds_both_and_little_more) {
  Ball both = hull({0, 1}, {3, 0.5});
  EXPECT_TRUE(contains(both, -1) && contains(both, 3.5));
  EXPECT_LE(both.radius, 2.25 * (1 + 0x1p-40));
  const Wide next = 1 + wide::power_of_two(-112);
  for (const Ball& near : {hull(exactly(1), {next, 0x1p-200}), hull({next, 0x1p-200}, exactly(1))}) {
    EXPECT_LE(wide::abs(near.value - 1), Wide(near.radius));
    EXPECT_LE(wide::abs(near.value - next), Wide(near.radius));
  }
  EXPECT_EQ(hull({1, 1}, {1, 2}).radius, 2);
  EXPECT_EQ(hull(exactly(0.0), exactly(-0.0)).radius, 0);
  EXPECT_EQ(hull(nan, nan).radius, 0);
  EXPECT_EQ(hull(nan, exactly(1)).radius, infinite_radius);
  EXPECT_EQ(hull({1, infinite_radius}, exactly(2)).value, Wide(1));
}

}  // namespace
}  // namespace microstep
