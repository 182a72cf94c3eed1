// What a row lacks is said to be missing: it is neither read as zeros nor held against the run.
#include <gtest/gtest.h>

#include "judge/hand.hpp"
#include "microstep/judge/faithful.hpp"

namespace microstep {
namespace {

std::size_t column_of(Hand& hand, std::string_view path) { return hand.run().schema().find_column(path).value(); }

/// microstep 3 of the honest run, a held one, without that leaf.
void lose(Hand& hand, std::string_view path) { hand.run().presence(3, column_of(hand, path)) = Presence::absent; }

void expect_gap(Hand& hand, std::string_view id, const std::string& evidence) {
  const Verdict verdict = hand.judge(id);
  EXPECT_EQ(verdict.outcome, Outcome::undecidable) << id << ": " << verdict.evidence;
  EXPECT_EQ(verdict.evidence, evidence) << id;
}

TEST(Missing, ParamsAreNotHeldAgainstTheRun) {
  Hand hand;
  lose(hand, "params/w");
  for (const char* id : {"emission.silent_params", "reduction.mean", "reduction.large_batch"})
    expect_gap(hand, id, "params/w is missing in microstep 3");
  EXPECT_EQ(hand.judge("emission.silent_zero").outcome, Outcome::holds);
  EXPECT_EQ(hand.judge("emission.counters").outcome, Outcome::holds);
}

TEST(Missing, UpdatesAreNotReadAsZeros) {
  Hand hand;
  lose(hand, "updates/w");
  for (const char* id : {"emission.silent_zero", "emission.every_k"})
    expect_gap(hand, id, "updates/w is missing in microstep 3");
  EXPECT_EQ(hand.judge("emission.silent_params").outcome, Outcome::holds);
}

TEST(Missing, AnUpdateThatWasDueIsNotSilence) {
  Hand hand;
  hand.run().presence(2, column_of(hand, "updates/w")) = Presence::absent;
  expect_gap(hand, "emission.every_k", "updates/w is missing in microstep 2");
}

TEST(Missing, AnUpdateWithoutGradientIsNot) {
  Hand hand;
  lose(hand, "updates/w");
  lose(hand, "gradients/w");
  EXPECT_EQ(hand.judge("emission.silent_zero").outcome, Outcome::holds);
}

TEST(Missing, StateIsNotSaidToHaveMoved) {
  Hand hand;
  lose(hand, "state/of[0]/trace/w");
  for (const char* id : {"state.inner_asleep", "reduction.mean"})
    expect_gap(hand, id, "state/of[0]/trace/w is missing in microstep 3");
  const Verdict form = hand.judge("form.keys");
  EXPECT_EQ(form.outcome, Outcome::broken);
  EXPECT_EQ(form.place->path, "state/of[0]/trace/w");
  EXPECT_EQ(form.place->microstep, 3);
}

TEST(Missing, CountsAreNotReadAsZeros) {
  for (const char* path : {"state/of[0]/count", "state/gradient_step"}) {
    Hand hand;
    const std::size_t index = hand.run().schema().find_count(path).value();
    hand.run().hide_count(3, index);
    hand.run().count(3, index) = 0;
    const std::string gap = std::string(path) + " is missing in microstep 3";
    for (const char* id : {"emission.counters", "state.count_once", "state.inner_asleep"}) expect_gap(hand, id, gap);
  }
}

TEST(Missing, AWholeSectionIsNamedByItsFirstLeaf) {
  Hand hand;
  hand.run().deviations.push_back({Deviation::Kind::keys, 3, "state", "missing"});
  const Verdict verdict = hand.judge("form.keys");
  EXPECT_EQ(verdict.place->path, "state/acc_grads/w");
  EXPECT_NE(verdict.evidence.find("microstep 3"), std::string::npos) << verdict.evidence;
}

TEST(Missing, DoesNotHideAnotherFault) {
  Hand hand;
  lose(hand, "params/w");
  at(hand.run(), "state/acc_grads/w", 3).value = 7;
  EXPECT_EQ(hand.judge("reduction.mean").outcome, Outcome::broken);
}

TEST(Faithful, DoesNotJudgeWhatIsMissing) {
  Trace trace(hand_run().schema_pointer());
  const Envelope run = hand_run();
  const std::size_t lost = run.schema().find_column("params/w").value();
  for (std::int64_t row = 0; row < run.rows(); ++row) {
    trace.append_row();
    for (std::size_t i = 0; i < run.schema().columns().size(); ++i) {
      trace.presence(row, i) = row == 0 || i != lost ? Presence::dense : Presence::absent;
      trace.numbers(row, i)[0] = static_cast<double>(run.numbers(row, i)[0].value);
    }
    for (std::size_t i = 0; i < 3; ++i) trace.count(row, i) = run.count(row, i);
  }
  const Faithfulness found = faithfulness(trace, run, false);
  EXPECT_EQ(found.outcome, Outcome::holds);
  EXPECT_EQ(found.missing, "params/w is missing in microstep 1");
}

}  // namespace
}  // namespace microstep
