// What the declared dtype leaves open is neither same nor different.
#include "bound/plans.hpp"

namespace microstep::testing_bound {
namespace {

TEST(Undecidable, AClipAtTheThreshold) {
  // .6f^2 + .8f^2 is 1 but for roundings of float32; [3, 4] is far beyond 1.
  const float x = .6F, y = .8F;
  const Semantics s =
      against(two_elements("multi_steps(chain(clip_by_global_norm(1), sgd(1)), k=2)", {{x, y}, {x, y}}));
  EXPECT_EQ(s.verdict, Sameness::undecidable);
  EXPECT_NE(s.reason.find("window 1"), std::string::npos);
  const Semantics far =
      against(two_elements("multi_steps(chain(clip_by_global_norm(1), sgd(1)), k=2)", {{3, 4}, {6, 8}}));
  EXPECT_EQ(far.verdict, Sameness::same) << far.reason;
}

TEST(Undecidable, AClipOfAMeanBetweenTwoFloats) {
  // The mean 1 + 2^-24 is no float32.
  const Semantics s = against(replay_of("multi_steps(chain(clip(1), sgd(1)), k=2)", {1, 1 + 0x1p-23}));
  EXPECT_EQ(s.verdict, Sameness::undecidable);
  EXPECT_EQ(against(replay_of("multi_steps(chain(clip(1), sgd(1)), k=2)", {1, 3})).verdict, Sameness::same);
}

TEST(Undecidable, AnOverflowOfTheRunningMean) {
  const Semantics s = against(replay_of("multi_steps(sgd(1), k=2)", {3e38F, -1e38F}));
  EXPECT_EQ(s.verdict, Sameness::undecidable) << "the running mean of float32 passes -4e38";
  EXPECT_EQ(against(replay_of("multi_steps(sgd(1), k=2)", {2e38F, 1e38F})).verdict, Sameness::same);
}

TEST(Undecidable, ASkipThatIsNotCertain) {
  const float x = .6F, y = .8F;
  EXPECT_THROW(skipped_microsteps(two_elements("multi_steps(sgd(1), k=1, skip=large(1))", {{x, y}})), Undecidable);
  const Plan plan = two_elements("multi_steps(sgd(1), k=1, skip=large(1))", {{x, y}});
  const Semantics s = decide({plan, large_batch_of(plan), windows(plan)});
  EXPECT_EQ(s.verdict, Sameness::undecidable);
  EXPECT_NE(s.reason.find("skipped"), std::string::npos);
}

TEST(Undecidable, ADifferenceThatIsCertainWins) {
  // One element at the threshold, the other wrong by a factor.
  const Plan plan = two_elements("multi_steps(chain(clip(1), sgd(1)), k=2)", {{1, .25}, {1 + 0x1p-23, .5}});
  EXPECT_EQ(against(plan).verdict, Sameness::undecidable);
  EXPECT_EQ(against(plan, "chain(clip(1), sgd(2))").verdict, Sameness::different);
}

TEST(Decidable, InfinityIsComparedByItsSign) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(against(replay_of("multi_steps(sgd(1), k=2)", {1, infinity, 2, 4})).verdict, Sameness::same);
}

}  // namespace
}  // namespace microstep::testing_bound
