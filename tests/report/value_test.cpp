// Numbers and verdicts in words; expected texts follow from the bit patterns of the dtypes.
#include "microstep/report/value.hpp"

#include <gtest/gtest.h>

#include "microstep/report/compare.hpp"
#include "microstep/report/judgement.hpp"
#include "microstep/report/verdicts.hpp"

namespace microstep {
namespace {

TEST(Value, IsTheShortestDecimalOfItsDtype) {
  const Ball tenth = exactly(0.1);
  EXPECT_EQ(shown(Dtype::float64, tenth), "0.1");
  EXPECT_EQ(shown(Dtype::float32, tenth), "0.1");
  // 0.1 is 0x3dcd in bfloat16: 205/2048 = 0.10009765625.
  EXPECT_EQ(shown_with_bits(Dtype::bfloat16, tenth), "0.1 (0x3dcd)");
  EXPECT_EQ(shown_with_bits(Dtype::float32, tenth), "0.1 (0x3dcccccd)");
  EXPECT_EQ(shown_with_bits(Dtype::float64, tenth), "0.1 (0x3fb999999999999a)");
  EXPECT_EQ(shown_with_bits(Dtype::float32, exactly(-0.0)), "-0.0 (0x80000000)");
}

TEST(Value, TwoThatDifferReadDifferently) {
  using Texts = std::pair<std::string, std::string>;
  EXPECT_EQ(shown_apart(Dtype::float32, exactly(0.5), exactly(0.25)), Texts("0.5", "0.25"));
  EXPECT_EQ(shown_apart(Dtype::float32, exactly(0.5), exactly(0.5)), Texts("0.5", "0.5"));
  // 1 + 2^-30 is 1 in float32, 1 + 2^-60 in float64 too: 2^-60 = 8.67361737988403547e-19.
  EXPECT_EQ(shown_apart(Dtype::float32, exactly(1), exactly(1 + 0x1p-30)), Texts("1", "1.0000000009313226"));
  const auto [one, more] = shown_apart(Dtype::float32, exactly(1), {Wide(1) + Wide(0x1p-60), 0});
  EXPECT_NE(one, more);
  EXPECT_TRUE(more.starts_with("1.0000000000000000008673617379884035")) << more;
}

TEST(Value, RoughHasThreeDigits) {
  EXPECT_EQ(rough(1234567), "1.23e+06");
  EXPECT_EQ(rough(0.5), "0.5");
  EXPECT_EQ(rough(0), "0");
}

TEST(Value, EveryCauseHasItsSentence) {
  for (const char* id : {"sum-mean", "token-weight", "micro-state", "clip-place", "time-index", "schedule-count",
                         "partial-window", "formula"})
    EXPECT_NE(cause_in_words(id), id);
  EXPECT_EQ(cause_in_words("of-a-later-version"), "of-a-later-version");
}

TEST(Verdicts, WhatDoesNotApplyIsShownOnRequest) {
  const std::vector<Verdict> verdicts = {{"form.keys", Outcome::holds, "as declared", {}, {}},
                                         {"state.resume", Outcome::not_applicable, "no second run", {}, {}}};
  const std::string some = verdict_lines(verdicts, false), all = verdict_lines(verdicts, true);
  EXPECT_NE(some.find("holds          form.keys"), std::string::npos) << some;
  EXPECT_EQ(some.find("state.resume"), std::string::npos) << some;
  EXPECT_NE(all.find("not_applicable state.resume"), std::string::npos) << all;
  EXPECT_NE(all.find("no second run"), std::string::npos) << all;
}

TEST(Place, SaysBothValuesWithBitsAndTheDistanceInRadii) {
  Place place;
  place.microstep = 2;
  place.path = "updates/w";
  place.shape = {2, 3};
  place.index = 4;
  place.observed = exactly(0.5);
  place.expected = {Wide(0.25), 0.125};
  EXPECT_EQ(place_in_words(place),
            "microstep 2, updates/w[1, 1]: 0.5 (0x3f000000) where 0.25 was due, 2 radii from it");
  place.observed = exactly(0.25 + 0x1p-26);
  place.expected.radius = 0x1p-27;
  EXPECT_EQ(place_in_words(place),
            "microstep 2, updates/w[1, 1]: 0.2500000149011612 (0x3e800000) where 0.25 was due, 2 radii from it");
  place.observed = exactly(0.5);
  place.expected.radius = 0;
  EXPECT_EQ(place_in_words(place),
            "microstep 2, updates/w[1, 1]: 0.5 (0x3f000000) where 0.25 was due, where nothing but that value is "
            "faithful");
}

TEST(Place, ACounterIsAWholeNumber) {
  Place place;
  place.microstep = 2;
  place.path = "state/count";
  place.dtype = Dtype::float64;
  place.observed = exactly(2);
  place.expected = exactly(1);
  EXPECT_EQ(place_in_words(place), "microstep 2, state/count: 2 where 1 was due");
}

}  // namespace
}  // namespace microstep
