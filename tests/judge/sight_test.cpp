// What a contract says when it cannot see: hidden state, wide balls, runs that were not made; and the forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "judge/hand.hpp"

namespace microstep {
namespace {

/// The honest run without the columns and counts of its state.
void hide_state(Hand& hand) {
  hand.evidence.declared[Role::accumulated] = hand.run().schema_pointer();
  hand.evidence.expected.clear();
  hand.run() = hand_trace(
      {{"params/w", {0, 0, -3, -3, -6.5}}, {"gradients/w", {0, 2, 4, 1, 3}}, {"updates/w", {0, 0, -3, 0, -3.5}}}, {});
}

TEST(HiddenState, IsNeverGreen) {
  Hand hand;
  hide_state(hand);
  for (std::string_view id : {"state.inner_asleep", "state.accumulator_empty", "state.count_once", "reduction.mean",
                              "emission.counters", "state.large_batch"}) {
    const Verdict verdict = hand.judge(id);
    EXPECT_EQ(verdict.outcome, Outcome::not_applicable) << id << ": " << verdict.evidence;
    EXPECT_NE(verdict.evidence.find("hide"), std::string::npos) << id << ": " << verdict.evidence;
  }
}

TEST(HiddenState, LeavesTheUpdatesToBeJudged) {
  Hand hand;
  hide_state(hand);
  EXPECT_EQ(hand.judge("emission.silent_zero").outcome, Outcome::holds);
  at(hand.run(), "updates/w", 3).value = 1;
  EXPECT_EQ(hand.judge("emission.silent_zero").outcome, Outcome::broken);
}

TEST(HiddenState, IsNamed) {
  Hand hand;
  hide_state(hand);
  EXPECT_EQ(hand.judge("state.inner_asleep").evidence, "the trace hides state/acc_grads/w");
  Hand counts;
  counts.evidence.declared[Role::accumulated] = counts.run().schema_pointer();
  counts.run().replace_schema(
      std::make_shared<const Schema>(counts.run().schema().columns(), std::vector<std::string>{}));
  EXPECT_EQ(counts.judge("state.inner_asleep").evidence, "the trace hides state/gradient_step");
}

/// The honest run, its momentum hidden and followed as balls.
void hide_momentum(Hand& hand) {
  hand.evidence.declared[Role::accumulated] = hand.run().schema_pointer();
  auto columns = hand.run().schema().columns();
  for (Column& column : columns)
    if (column.path == "state/of[0]/trace/w") column.path = "loss";
  hand.run().replace_schema(std::make_shared<const Schema>(columns, hand.run().schema().count_paths()));
}

TEST(HiddenState, IsFollowedWhereItsBallsTellSomething) {
  Hand hand;
  hide_momentum(hand);
  EXPECT_EQ(hand.judge("reduction.mean").outcome, Outcome::holds);
  Ball& update = at(hand.evidence.expected[Role::accumulated], "updates/w", 4);
  update.radius = 3.25;
  EXPECT_EQ(hand.judge("reduction.mean").outcome, Outcome::holds);
  update.radius = 3.5;
  const Verdict verdict = hand.judge("reduction.mean");
  EXPECT_EQ(verdict.outcome, Outcome::undecidable);
  EXPECT_NE(verdict.evidence.find("the trace hides state/of[0]/trace/w"), std::string::npos) << verdict.evidence;
}

TEST(HiddenState, DecidesNothingWhereAnotherReductionShowsTheSame) {
  Hand hand;
  hide_momentum(hand);
  hand.evidence.ambiguous = "what it shows is that of another";
  EXPECT_EQ(hand.judge("reduction.mean").outcome, Outcome::undecidable);
  EXPECT_EQ(hand.judge("reduction.large_batch").outcome, Outcome::undecidable);
  EXPECT_EQ(hand.judge("emission.silent_zero").outcome, Outcome::holds);
}

TEST(WideBall, DecidesNothing) {
  Hand hand;
  at(hand.evidence.expected[Role::accumulated], "updates/w", 4).radius = infinite_radius;
  EXPECT_EQ(hand.judge("reduction.mean").outcome, Outcome::undecidable);
}

TEST(WideBall, DoesNotHideAnotherFault) {
  Hand hand;
  at(hand.evidence.expected[Role::accumulated], "state/of[0]/trace/w", 2).radius = infinite_radius;
  at(hand.run(), "state/acc_grads/w", 3).value = 7;
  EXPECT_EQ(hand.judge("reduction.mean").outcome, Outcome::broken);
}

TEST(Ball, HoldsWhatLiesInItAndNothingElse) {
  Hand hand;
  at(hand.evidence.expected[Role::accumulated], "state/acc_grads/w", 3).radius = 0.25;
  at(hand.run(), "state/acc_grads/w", 3).value = 1.25;
  EXPECT_EQ(hand.judge("reduction.mean").outcome, Outcome::holds);
  at(hand.run(), "state/acc_grads/w", 3).value = 1.375;
  EXPECT_EQ(hand.judge("reduction.mean").outcome, Outcome::broken);
}

TEST(LargeBatch, SplitsParamsFromState) {
  Hand hand;
  auto& semantics = *hand.evidence.against_reference;
  semantics.verdict = Sameness::different;
  semantics.differences = {{1, 2, "state/of[0]/trace/w", {1}, Dtype::float32, 0, false, exactly(6), exactly(3)}};
  EXPECT_EQ(hand.judge("reduction.large_batch").outcome, Outcome::holds);
  const Verdict verdict = hand.judge("state.large_batch");
  EXPECT_EQ(verdict.outcome, Outcome::broken);
  EXPECT_EQ(verdict.causes, std::vector<std::string>{"sum-mean"});
  EXPECT_EQ(verdict.place->expected.value, Wide(3));
}

TEST(LargeBatch, StaysUndecidable) {
  Hand hand;
  hand.evidence.against_reference->verdict = Sameness::undecidable;
  hand.evidence.against_reference->reason = "window 1: a clip is not certain";
  for (std::string_view id : {"reduction.large_batch", "state.large_batch"}) {
    EXPECT_EQ(hand.judge(id).outcome, Outcome::undecidable);
    EXPECT_EQ(hand.judge(id).evidence, "window 1: a clip is not certain");
  }
}

TEST(Order, IsJudgedFromTheDecisionAgainstThePermutedRun) {
  Hand hand;
  hand.evidence.against_permuted->verdict = Sameness::different;
  hand.evidence.against_permuted->differences = {
      {1, 2, "updates/w", {1}, Dtype::float32, 0, false, exactly(-4), exactly(-2)}};
  EXPECT_EQ(hand.judge("reduction.order_free").outcome, Outcome::broken);
  hand.evidence.against_permuted.reset();
  EXPECT_EQ(hand.judge("reduction.order_free").outcome, Outcome::not_applicable);
}

TEST(Resume, ComparesEveryNumberBitForBit) {
  Hand hand;
  at(hand.evidence.observed[Role::interrupted], "state/acc_grads/w", 1).value = 0;
  const Verdict verdict = hand.judge("state.resume");
  ASSERT_EQ(verdict.outcome, Outcome::broken);
  EXPECT_EQ(verdict.place->role, Role::interrupted);
  EXPECT_EQ(verdict.place->path, "state/acc_grads/w");
  EXPECT_EQ(verdict.causes, std::vector<std::string>{"persist"});
}

// A count that no number depends on is lost all the same.
TEST(Resume, ComparesEveryCount) {
  for (const char* path : {"state/mini_step", "state/gradient_step", "state/of[0]/count"}) {
    Hand hand;
    Envelope& restored = hand.evidence.observed[Role::interrupted];
    restored.count(4, restored.schema().find_count(path).value()) = 7;
    const Verdict verdict = hand.judge("state.resume");
    ASSERT_EQ(verdict.outcome, Outcome::broken) << path;
    EXPECT_EQ(verdict.place->role, Role::interrupted);
    EXPECT_EQ(verdict.place->path, path);
    EXPECT_EQ(verdict.place->microstep, 4);
    EXPECT_EQ(verdict.causes, std::vector<std::string>{"persist"});
  }
}

TEST(Resume, MustNotEndBeforeOrAfterTheOther) {
  for (std::size_t rows : {1U, 3U, 6U}) {
    Hand hand;
    std::vector<double> zeros(rows, 0.0);
    hand.evidence.observed[Role::interrupted] = hand_trace({{"params/w", zeros}}, {});
    const Verdict verdict = hand.judge("state.resume");
    ASSERT_EQ(verdict.outcome, Outcome::broken) << rows;
    EXPECT_EQ(verdict.evidence, fmt::format("the restored run shows {} microsteps where 4 were due", rows - 1));
  }
}

TEST(Resume, ThatFailsIsBrokenAndThatWasNotMadeDoesNotApply) {
  Hand hand;
  hand.evidence.observed.erase(Role::interrupted);
  EXPECT_EQ(hand.judge("state.resume").outcome, Outcome::not_applicable);
  hand.evidence.errored[Role::interrupted] = "the step comes back as another type";
  EXPECT_EQ(hand.judge("state.resume").outcome, Outcome::broken);
}

TEST(KOfOne, IsTheInnerBitForBitOrWithinItsBalls) {
  Hand hand;
  at(hand.evidence.observed[Role::single], "state/of[0]/trace/w", 2).value = 3.25;
  const Verdict verdict = hand.judge("identity.k1");
  EXPECT_EQ(verdict.outcome, Outcome::broken);
  EXPECT_EQ(verdict.place->role, Role::single);
  hand.evidence.bitwise = false;
  EXPECT_EQ(hand.judge("identity.k1").outcome, Outcome::broken);
  at(hand.evidence.expected[Role::single], "state/of[0]/trace/w", 2).radius = 0.25;
  EXPECT_EQ(hand.judge("identity.k1").outcome, Outcome::holds);
}

TEST(KOfOne, SaysNothingWhereTheReferenceIsAnotherRule) {
  Hand hand;
  at(hand.evidence.observed[Role::single], "state/of[0]/trace/w", 2).value = 3.25;
  hand.experiment.plans[Role::reference].spec = parse_spec("sgd(0.25)");
  EXPECT_EQ(hand.judge("identity.k1").outcome, Outcome::not_applicable);
}

TEST(Form, IsJudgedFromDeviationsInAnyRun) {
  const std::pair<Deviation::Kind, std::string_view> kinds[] = {{Deviation::Kind::dtype, "form.dtype"},
                                                                {Deviation::Kind::shape, "form.shape"},
                                                                {Deviation::Kind::keys, "form.keys"}};
  for (const auto& [kind, id] : kinds) {
    Hand hand;
    hand.evidence.observed[Role::interrupted].deviations.push_back({kind, 2, "updates/w", "is not as declared"});
    const Verdict verdict = hand.judge(id);
    EXPECT_EQ(verdict.outcome, Outcome::broken);
    EXPECT_EQ(verdict.place->role, Role::interrupted);
    EXPECT_EQ(verdict.place->microstep, 2);
  }
}

TEST(Form, IsJudgedFromTheDeclaredSchema) {
  Hand hand;
  auto columns = hand.run().schema().columns();
  columns[3].dtype = Dtype::float64;
  columns[4].shape = {};
  hand.evidence.declared[Role::accumulated] =
      std::make_shared<const Schema>(columns, hand.run().schema().count_paths());
  EXPECT_EQ(hand.judge("form.dtype").place->path, columns[3].path);
  EXPECT_EQ(hand.judge("form.shape").place->path, columns[4].path);
  EXPECT_EQ(hand.judge("form.keys").outcome, Outcome::holds);
}

TEST(Form, AHiddenPlaceBreaksNothingAndOneThatTheSpecHasNotDoes) {
  Hand hand;
  hide_momentum(hand);
  EXPECT_EQ(hand.judge("form.keys").outcome, Outcome::holds);
  auto columns = hand.run().schema().columns();
  for (Column& column : columns)
    if (column.path == "loss") column.path = "state/of[0]/momentum/w";
  hand.run().replace_schema(std::make_shared<const Schema>(columns, hand.run().schema().count_paths()));
  EXPECT_EQ(hand.judge("form.keys").outcome, Outcome::broken);
  EXPECT_EQ(hand.judge("form.keys").place->path, "state/of[0]/momentum/w");
}

TEST(Form, SeesALeafThatVanishes) {
  Hand hand;
  hand.run().presence(3, hand.run().schema().find_column("state/of[0]/trace/w").value()) = Presence::absent;
  EXPECT_EQ(hand.judge("form.keys").outcome, Outcome::broken);
}

}  // namespace
}  // namespace microstep
