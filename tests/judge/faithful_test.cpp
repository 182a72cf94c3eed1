// Where a ball ends: the last number of the dtype inside of it, and the first one outside.
#include "microstep/judge/faithful.hpp"

#include <gtest/gtest.h>

#include "judge/hand.hpp"

namespace microstep {
namespace {

/// The next number of the dtype, of a positive one.
double above(Dtype dtype, double x) { return from_bits(dtype, bits_of(dtype, x) + 1); }
double below(Dtype dtype, double x) { return from_bits(dtype, bits_of(dtype, x) - 1); }

/// One update of the dtype in microstep 1, beside a ball of its own.
Faithfulness judged(Dtype dtype, double seen, const Ball& due) {
  const auto schema =
      std::make_shared<const Schema>(std::vector<Column>{{"updates/w", {1}, dtype}}, std::vector<std::string>{});
  Trace trace(schema);
  Envelope balls(schema);
  for (int row = 0; row < 2; ++row) trace.append_row(), balls.append_row();
  trace.presence(1, 0) = balls.presence(1, 0) = Presence::dense;
  trace.numbers(1, 0)[0] = seen;
  balls.numbers(1, 0)[0] = due;
  return faithfulness(trace, balls, false);
}

class Edge : public testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(Faithful, Edge,
                         testing::Values(Dtype::float64, Dtype::float32, Dtype::bfloat16, Dtype::float16),
                         [](const auto& info) { return std::string(to_string(info.param)); });

// Centre 1.5, radius 4 grid steps: the fifth number of the grid is outside, though by a quarter of the radius only.
TEST_P(Edge, IsTheLastNumberInside) {
  const double step = 2 * facts(GetParam()).unit_roundoff;
  const Ball due{Wide(1.5), 4 * step};
  for (double inside : {1.5 - 4 * step, 1.5 + 4 * step}) {
    const Faithfulness found = judged(GetParam(), inside, due);
    EXPECT_EQ(found.outcome, Outcome::holds);
    EXPECT_EQ(found.largest_share, 1);
    EXPECT_EQ(found.largest_path, "updates/w");
  }
  for (double outside : {below(GetParam(), 1.5 - 4 * step), above(GetParam(), 1.5 + 4 * step)}) {
    const Faithfulness found = judged(GetParam(), outside, due);
    EXPECT_EQ(found.outcome, Outcome::broken);
    EXPECT_EQ(found.outside, 1);
    EXPECT_EQ(found.first->path, "updates/w");
  }
}

// The radius is less than the distance to the next number: the centre alone is inside.
TEST_P(Edge, OfASmallBallIsItsCentre) {
  const double step = 2 * facts(GetParam()).unit_roundoff;
  const Ball due{Wide(1.5), 0.75 * step};
  EXPECT_EQ(judged(GetParam(), 1.5, due).outcome, Outcome::holds);
  EXPECT_EQ(judged(GetParam(), above(GetParam(), 1.5), due).outcome, Outcome::broken);
  EXPECT_EQ(judged(GetParam(), below(GetParam(), 1.5), due).outcome, Outcome::broken);
}

// Any number lies in it, so that none is shown to be right; an infinity that is due is.
TEST(Faithful, AnInfinitelyWideBallDecidesNothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double seen : {1024.0, infinity}) {
    const Faithfulness found = judged(Dtype::float32, seen, {Wide(1), infinite_radius});
    EXPECT_EQ(found.outcome, Outcome::undecidable);
    EXPECT_EQ(found.reason, "the one-step ball of updates/w after microstep 1 is infinitely wide");
  }
  EXPECT_EQ(judged(Dtype::float32, infinity, {Wide(infinity), infinite_radius}).outcome, Outcome::holds);
  EXPECT_EQ(judged(Dtype::float32, 7, {Wide(infinity), infinite_radius}).outcome, Outcome::undecidable);
}

TEST(Faithful, ACountHasNoRoom) {
  Trace trace(std::make_shared<const Schema>(std::vector<Column>{}, std::vector<std::string>{"state/count"}));
  Envelope balls(trace.schema_pointer());
  for (int row = 0; row < 2; ++row) trace.append_row(), balls.append_row();
  trace.count(1, 0) = balls.count(1, 0) = 7;
  EXPECT_EQ(faithfulness(trace, balls, false).outcome, Outcome::holds);
  trace.count(1, 0) = 8;
  EXPECT_EQ(faithfulness(trace, balls, false).outcome, Outcome::broken);
}

}  // namespace
}  // namespace microstep
