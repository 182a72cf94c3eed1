#include <gtest/gtest.h>

#include "judge/hand.hpp"
#include "microstep/data/error.hpp"

namespace microstep {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

/// One number of the honest run is replaced; the contract must break, and there.
struct Spoiled {
  std::string contract;
  std::string path;
  std::int64_t row;
  double value;
  std::string cause;
};

class OneNumberSpoiled : public testing::TestWithParam<Spoiled> {};

TEST_P(OneNumberSpoiled, BreaksTheContractAtItsPlace) {
  Hand hand;
  const Spoiled& row = GetParam();
  at(hand.run(), row.path, row.row).value = row.value;
  const Verdict verdict = hand.judge(row.contract);
  ASSERT_EQ(verdict.outcome, Outcome::broken) << verdict.evidence;
  EXPECT_EQ(verdict.contract, row.contract);
  EXPECT_EQ(verdict.place->path, row.path);
  EXPECT_EQ(verdict.place->microstep, row.row);
  EXPECT_EQ(verdict.place->window, (row.row + 1) / 2);
  EXPECT_EQ(verdict.causes.at(0), row.cause);
}

// No gradient of the run is other than finite, so that a NaN is no skip's: it is a number that ought to be finite.
INSTANTIATE_TEST_SUITE_P(Contracts, OneNumberSpoiled,
                         testing::Values(Spoiled{"emission.every_k", "updates/w", 3, -1, "boundary"},
                                         Spoiled{"emission.every_k", "updates/w", 4, 0, "boundary"},
                                         Spoiled{"emission.silent_zero", "updates/w", 1, 0.5, "boundary"},
                                         Spoiled{"emission.silent_zero", "updates/w", 3, nan, "backend-split"},
                                         Spoiled{"emission.silent_params", "params/w", 3, -3.25, "api-state"},
                                         Spoiled{"emission.silent_params", "params/w", 1, nan, "backend-split"},
                                         Spoiled{"reduction.mean", "state/acc_grads/w", 1, 1, "sum-mean"},
                                         Spoiled{"reduction.large_batch", "params/w", 4, -6, "formula"},
                                         Spoiled{"reduction.large_batch", "params/w", 4, -3, "api-state"},
                                         Spoiled{"state.inner_asleep", "state/of[0]/trace/w", 3, 1.5, "micro-state"},
                                         Spoiled{"state.inner_asleep", "state/of[0]/trace/w", 1, nan, "backend-split"},
                                         Spoiled{"state.accumulator_empty", "state/acc_grads/w", 2, 4, "boundary"},
                                         Spoiled{"state.accumulator_empty", "state/acc_grads/w", 4, nan,
                                                 "backend-split"}));

/// Both windows were reduced otherwise: twice what was due; or the first gradients 2 and 1 alone, the second of which
/// leaves a half of the 3 before it, and of the 2 beyond that a half.
struct Reduced {
  double first, second;
  std::string cause;
};

class BothSpoiled : public testing::TestWithParam<Reduced> {};

TEST_P(BothSpoiled, BreakTheReductionWhereOneDoesNotTell) {
  Hand hand;
  at(hand.run(), "state/of[0]/trace/w", 2).value = GetParam().first;
  const Verdict alone = hand.judge("reduction.mean");
  EXPECT_EQ(alone.outcome, Outcome::undecidable);
  EXPECT_TRUE(alone.evidence.ends_with("one number does not tell that from others")) << alone.evidence;
  at(hand.run(), "state/of[0]/trace/w", 4).value = GetParam().second;
  const Verdict both = hand.judge("reduction.mean");
  ASSERT_EQ(both.outcome, Outcome::broken) << both.evidence;
  EXPECT_EQ(both.place->microstep, 2);
  EXPECT_EQ(both.causes.at(0), GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(Contracts, BothSpoiled,
                         testing::Values(Reduced{6, 7, "sum-mean"}, Reduced{2, 2.5, "boundary"}));

/// A number that no other reduction makes, or one behind a slot that shows the right one: not the reduction's fault.
class SpoiledBehind : public testing::TestWithParam<Spoiled> {};

TEST_P(SpoiledBehind, TheReductionIsNotItsFault) {
  Hand hand;
  const Spoiled& row = GetParam();
  at(hand.run(), row.path, row.row).value = row.value;
  const Verdict verdict = hand.judge("reduction.mean");
  EXPECT_EQ(verdict.outcome, *outcome_from_name(row.contract)) << verdict.evidence;
  EXPECT_EQ(verdict.evidence.ends_with("the fault lies behind the reduction"), row.contract == "undecidable");
  EXPECT_EQ(causes_of_unfaithful(hand.evidence).at(0), row.cause);
}

INSTANTIATE_TEST_SUITE_P(Contracts, SpoiledBehind,
                         testing::Values(Spoiled{"undecidable", "state/of[0]/trace/w", 2, -3, "sign"},
                                         Spoiled{"undecidable", "state/of[0]/trace/w", 4, 3.25, "formula"},
                                         Spoiled{"holds", "updates/w", 4, nan, "backend-split"},
                                         Spoiled{"holds", "updates/w", 4, -1.75, "formula"},
                                         Spoiled{"holds", "params/w", 4, -6, "formula"}));

struct Miscounted {
  std::string contract;
  std::string path;
  std::int64_t row;
  std::int64_t value;
  std::string cause;
};

class OneCountSpoiled : public testing::TestWithParam<Miscounted> {};

TEST_P(OneCountSpoiled, BreaksTheContractAtItsPlace) {
  Hand hand;
  const Miscounted& row = GetParam();
  hand.run().count(row.row, hand.run().schema().find_count(row.path).value()) = row.value;
  const Verdict verdict = hand.judge(row.contract);
  ASSERT_EQ(verdict.outcome, Outcome::broken) << verdict.evidence;
  EXPECT_EQ(verdict.place->path, row.path);
  EXPECT_EQ(verdict.place->microstep, row.row);
  EXPECT_EQ(verdict.place->observed.value, Wide(static_cast<double>(row.value)));
  EXPECT_EQ(verdict.causes.at(0), row.cause);
}

// The momentum sleeps where its schedule's counter moves: nothing but the schedule is read otherwise.
INSTANTIATE_TEST_SUITE_P(Contracts, OneCountSpoiled,
                         testing::Values(Miscounted{"emission.counters", "state/mini_step", 0, 1, "boundary"},
                                         Miscounted{"emission.counters", "state/mini_step", 2, 2, "boundary"},
                                         Miscounted{"emission.counters", "state/gradient_step", 4, 1, "boundary"},
                                         Miscounted{"state.inner_asleep", "state/of[0]/count", 1, 1, "schedule-count"},
                                         Miscounted{"state.count_once", "state/of[0]/count", 0, 1, "schedule-count"},
                                         Miscounted{"state.count_once", "state/of[0]/count", 2, 2, "schedule-count"},
                                         Miscounted{"state.count_once", "state/of[0]/count", 4, 1, "schedule-count"}));

TEST(Contracts, HoldOnTheHonestRunOrDoNotApply) {
  Hand hand;
  hand.evidence.experiment = &hand.experiment;
  for (const Verdict& verdict : judge_all(hand.evidence)) {
    const bool other_claim = verdict.contract == "reduction.sum" || verdict.contract == "reduction.weighted" ||
                             verdict.contract == "state.nonfinite_forgotten";
    EXPECT_EQ(verdict.outcome, other_claim ? Outcome::not_applicable : Outcome::holds)
        << verdict.contract << ": " << verdict.evidence;
    EXPECT_TRUE(verdict.causes.empty());
    EXPECT_FALSE(verdict.evidence.empty());
  }
}

TEST(Contracts, AreNotApplicableWithoutTheAccumulatedRun) {
  Hand hand;
  hand.evidence.observed.clear();
  hand.evidence.skipped[Role::accumulated] = "the port cannot do it";
  hand.evidence.experiment = &hand.experiment;
  for (const Verdict& verdict : judge_all(hand.evidence)) {
    EXPECT_EQ(verdict.outcome, Outcome::not_applicable) << verdict.contract;
    EXPECT_NE(verdict.evidence.find("the port cannot do it"), std::string::npos);
  }
}

TEST(Contracts, AreJudgedInTheOrderOfTheIdsThatAreAskedFor) {
  Hand hand;
  hand.evidence.experiment = &hand.experiment;
  const std::string_view ids[] = {"form.keys", "emission.every_k"};
  const auto verdicts = judge_all(hand.evidence, ids);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].contract, "form.keys");
  EXPECT_EQ(verdicts[1].contract, "emission.every_k");
}

TEST(Contracts, HaveAllTextsAndTheAccumulatedRunAmongTheirNeeds) {
  ASSERT_EQ(contracts().size(), 19U);
  for (const Contract& row : contracts()) {
    EXPECT_TRUE(row.statement.ends_with('.')) << row.id;
    EXPECT_FALSE(row.source.empty()) << row.id;
    EXPECT_EQ(row.needs.at(0), Role::accumulated) << row.id;
  }
}

TEST(Contracts, UnknownIdIsAnErrorWithTheNearestOne) {
  try {
    contract("form.dtpe");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "contract.unknown");
    EXPECT_NE(error.next().find("form.dtype"), std::string::npos);
  }
}

TEST(Outcomes, AreReadBackFromTheirNames) {
  EXPECT_EQ(to_string(Outcome::not_applicable), "not_applicable");
  EXPECT_EQ(outcome_from_name("undecidable"), Outcome::undecidable);
  EXPECT_EQ(outcome_from_name("green"), std::nullopt);
}

// Means 3, 2 and 6: 3, then 3.5 and 7.5 were due of 3. One number that was handed on once may stay by chance.
TEST(Unfaithful, OneNumberThatStaysIsNoLostState) {
  Hand hand;
  hand.experiment.plans[Role::accumulated] = hand_plan(hand_spec, 6);
  hand.evidence.windows = {{0, 1}, {2, 3}, {4, 5}};
  const auto run_with = [](const std::vector<double>& trace) {
    return hand_trace(
        {{"params/w", {0, 0, 0, 0, 0, 0, 0}}, {"gradients/w", {0, 2, 4, 1, 3, 5, 7}}, {"state/of[0]/trace/w", trace}},
        {});
  };
  hand.evidence.experiment = &hand.experiment;
  hand.evidence.expected[Role::accumulated] = run_with({0, 0, 3, 3, 3.5, 3, 7.5});
  for (const auto& [seen, cause] : {std::pair{std::vector<double>{0, 0, 3, 3, 3, 3, 3}, "formula"},
                                    {std::vector<double>{0, 0, 0, 0, 0, 0, 0}, "api-state"}}) {
    hand.evidence.observed[Role::accumulated] = run_with(seen);
    EXPECT_EQ(causes_of_unfaithful(hand.evidence), std::vector<std::string>{cause});
  }
}

}  // namespace
}  // namespace microstep
