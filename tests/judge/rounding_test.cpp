// What numbers are to the exact steps, in one word; balls and ratios are made by hand.
#include "microstep/judge/rounding.hpp"

#include <gtest/gtest.h>

namespace microstep {
namespace {

// Two updates in each of two microsteps, all beside 1 +- 0.5, and a count.
class Numbers : public testing::Test {
 protected:
  Numbers()
      : schema(std::make_shared<const Schema>(std::vector<Column>{{"updates/w", {2}, Dtype::float32}},
                                              std::vector<std::string>{"state/count"})),
        trace(schema),
        balls(schema) {
    for (int row = 0; row < 3; ++row) {
      trace.append_row(), balls.append_row();
      trace.presence(row, 0) = balls.presence(row, 0) = Presence::dense;
      for (std::size_t i = 0; i < 2; ++i) trace.numbers(row, 0)[i] = 1, balls.numbers(row, 0)[i] = {Wide(1), 0.5};
    }
  }
  void expect(RoundingKind verdict, double ratio, const std::string& path) const {
    const Rounding found = rounding_in(faithfulness(trace, balls, false));
    EXPECT_EQ(found.verdict, verdict) << to_string(found.verdict);
    EXPECT_EQ(found.max_ratio, ratio);
    EXPECT_EQ(found.path, path);
  }

  SchemaPointer schema;
  Trace trace;
  Envelope balls;
};

TEST_F(Numbers, ThatAreAllCentresAreExact) { expect(RoundingKind::exact, 0, ""); }

TEST_F(Numbers, InTheirBallsAreRounding) {
  trace.numbers(1, 0)[0] = 1.125;
  trace.numbers(2, 0)[1] = 0.625;
  expect(RoundingKind::rounding, 0.75, "microstep 2, updates/w[1]");
}

TEST_F(Numbers, OutsideAreSemanticAndCountInTheRatio) {
  trace.numbers(1, 0)[1] = 3;
  trace.numbers(2, 0)[0] = 1.25;
  expect(RoundingKind::semantic, 4, "microstep 1, updates/w[1]");
}

TEST_F(Numbers, OffABallOfRadius0AreInfinitelyFar) {
  balls.numbers(2, 0)[0].radius = 0;
  trace.numbers(2, 0)[0] = 1.25;
  expect(RoundingKind::semantic, infinite_radius, "microstep 2, updates/w[0]");
}

TEST_F(Numbers, OfACountAreSemantic) {
  trace.count(2, 0) = 1;
  expect(RoundingKind::semantic, infinite_radius, "microstep 2, state/count");
}

TEST_F(Numbers, InAnInfiniteBallAreUndecidable) {
  balls.numbers(1, 0)[0].radius = infinite_radius;
  trace.numbers(1, 0)[0] = 2;
  trace.numbers(2, 0)[0] = 1.25;
  expect(RoundingKind::undecidable, 0.5, "microstep 2, updates/w[0]");
}

TEST(Rounding, OfNothingIsUndecidableWithoutARatio) {
  const Rounding found = rounding_in(Faithfulness{});
  EXPECT_EQ(found.verdict, RoundingKind::undecidable);
  EXPECT_EQ(found.max_ratio, std::nullopt);
}

TEST(Rounding, OfTwoIsTheGraverWithTheLargerRatio) {
  const Rounding small{RoundingKind::rounding, 0.25, "a"}, none{RoundingKind::undecidable, std::nullopt, {}},
      large{RoundingKind::semantic, 4, "b"};
  for (const auto& [one, other] : {std::pair(small, large), std::pair(large, small)}) {
    EXPECT_EQ(both(one, other).verdict, RoundingKind::semantic);
    EXPECT_EQ(both(one, other).max_ratio, 4);
    EXPECT_EQ(both(one, other).path, "b");
  }
  EXPECT_EQ(both(none, small).verdict, RoundingKind::undecidable);
  EXPECT_EQ(both(none, small).max_ratio, 0.25);
}

}  // namespace
}  // namespace microstep
