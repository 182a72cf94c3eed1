// A judged trace in words: the headline says what the exit code will.
#include "microstep/report/judgement.hpp"

#include <gtest/gtest.h>

#include "microstep/report/compare.hpp"

namespace microstep {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TraceJudgement judgement() {
  TraceJudgement j;
  j.plan.spec = parse_spec("multi_steps(sgd(0.5), k=2)");
  j.plan.params = filled(make_layout({{"w", {1}, Dtype::float32}}), 0.0);
  j.microsteps = 4;
  j.faithful.judged = 24;
  j.contracts = {{"emission.every_k", Outcome::holds, "as due", {}, {}}};
  return j;
}

void break_contract(TraceJudgement& j, const std::string& id) {
  j.contracts.push_back({id, Outcome::broken, "w is gone", {}, {"absent"}});
  j.outcome = Outcome::broken;
}

TEST(Headline, IsFaithfulWhereNothingIsBroken) {
  EXPECT_TRUE(has(text_report(judgement()), "\nFAITHFUL: every one of 24 numbers"));
  EXPECT_TRUE(has(json_report(judgement()), R"("verdict": "holds")"));
}

TEST(Headline, IsNotFaithfulWhereTheFormIsBroken) {
  TraceJudgement j = judgement();
  break_contract(j, "form.keys");
  j.faithful.outcome = Outcome::broken;
  j.faithful.reason = "form.keys is broken: w is gone";
  EXPECT_TRUE(has(text_report(j), "\nNOT FAITHFUL: form.keys is broken: w is gone\n"));
  EXPECT_FALSE(has(text_report(j), "\nFAITHFUL"));
  EXPECT_TRUE(has(json_report(j), R"("verdict": "broken")"));
  EXPECT_TRUE(has(json_report(j), R"("faithful": "broken")"));
}

TEST(Headline, NamesWhatAFaithfulTraceBreaks) {
  TraceJudgement j = judgement();
  break_contract(j, "reduction.large_batch");
  EXPECT_TRUE(
      has(text_report(j), "\nBROKEN: reduction.large_batch; the trace is its spec's all the same: every one of"));
  EXPECT_TRUE(has(json_report(j), R"("verdict": "broken")"));
  EXPECT_TRUE(has(json_report(j), R"("faithful": "holds")"));
}

TEST(Headline, IsUndecidableWithItsReason) {
  TraceJudgement j = judgement();
  j.faithful.outcome = j.outcome = Outcome::undecidable;
  j.faithful.reason = "the trace hides state/mu/w";
  EXPECT_TRUE(has(text_report(j), "\nUNDECIDABLE: the trace hides state/mu/w\n"));
  break_contract(j, "emission.every_k");
  EXPECT_TRUE(has(text_report(j), "\nBROKEN: emission.every_k; the numbers are undecidable: the trace hides"));
}

TEST(Headline, SaysWhereTheNumbersLeave) {
  TraceJudgement j = judgement();
  j.faithful.outcome = j.outcome = Outcome::broken;
  j.faithful.outside = 2;
  j.faithful.first = Place{Role::accumulated, 1, 2, "updates/w", {1}, Dtype::float32, 0, exactly(-3), exactly(-1.5)};
  EXPECT_TRUE(
      has(text_report(j), "\nNOT FAITHFUL: 2 of 24 numbers lie outside; the first:\n  microstep 2, updates/w[0]: -3"));
}

TEST(Causes, StandInBothReports) {
  TraceJudgement j = judgement();
  break_contract(j, "reduction.sum");
  j.causes = {"sum-mean", "boundary"};
  j.explained_by = parse_spec("multi_steps(sgd(0.5), k=3)");
  EXPECT_TRUE(has(text_report(j),
                  "\ncauses:\n  sum-mean: the window's gradients are divided where their sum is declared\n"
                  "  boundary: windows begin or end at other microsteps\n"
                  "every step is that of  multi_steps(sgd(0.5), k=3)\n"));
  EXPECT_TRUE(has(json_report(j), R"("causes": ["sum-mean","boundary"])"));
  EXPECT_TRUE(has(json_report(j), R"x("explained_by": "multi_steps(sgd(0.5), k=3)")x"));
  EXPECT_TRUE(has(json_report(j), R"("explained_state": "kept")"));
  j.explained_state = ShownState::renamed;
  EXPECT_TRUE(has(text_report(j), "\nits updates and params are those of  multi_steps(sgd(0.5), k=3)\n"));
  EXPECT_TRUE(has(json_report(j), R"("explained_state": "renamed")"));
}

TEST(Causes, BoundarySaysWhatIsLeftWhereUpdatesComeOnTime) {
  for (const auto& [contract, words] : std::vector<std::pair<std::string, std::string>>{
           {"state.accumulator_empty", "something of a closed window is left in the accumulator"},
           {"emission.counters", "the accumulator's counters are not those of the windows"},
           {"emission.every_k", "windows begin or end at other microsteps"}}) {
    TraceJudgement j = judgement();
    break_contract(j, contract);
    j.causes = {"boundary"};
    EXPECT_TRUE(has(text_report(j), "\n  boundary: " + words + "\n")) << text_report(j);
  }
}

TEST(Causes, TokenWeightSaysWhichOfTheTwoIsDeclared) {
  TraceJudgement j = judgement();
  j.causes = {"token-weight"};
  EXPECT_TRUE(
      has(text_report(j), "\n  token-weight: each microbatch counts the same, whatever its number of examples\n"));
  break_contract(j, "reduction.mean");
  EXPECT_TRUE(has(text_report(j),
                  "\n  token-weight: microbatches count by their weights where their plain mean is "
                  "declared\n"));
}

TEST(Causes, NonfiniteSkipSpeaksOfLargeOnesWhereTheyAreSkipped) {
  TraceJudgement j = judgement();
  j.causes = {"nonfinite-skip"};
  EXPECT_TRUE(has(text_report(j), "\n  nonfinite-skip: a microbatch that is not finite is treated otherwise\n"));
  j.plan.spec = parse_spec("masked(multi_steps(sgd(0.5), k=2, skip=large(1)), mask=[w])");
  EXPECT_TRUE(
      has(text_report(j), "\n  nonfinite-skip: a microbatch that is not finite, or too large, is treated otherwise\n"));
}

TEST(Causes, FormulaClaimsNothingOfWhatIsHidden) {
  TraceJudgement j = judgement();
  j.causes = {"formula"};
  EXPECT_TRUE(has(text_report(j), "\n  formula: the update rule or its hyper-parameters are other ones\n"));
  j.hidden = "state/of[0]/mu/w";
  EXPECT_TRUE(has(text_report(j), "\n  formula: no other cause fits what is shown; what is hidden might tell one\n"));
}

// All that the contracts and the specs held against a trace may name.
TEST(Causes, AreEachInWords) {
  for (const char* id : {"absent",         "api-state",   "backend-split",  "boundary", "clip-place",
                         "decay-form",     "dtype",       "empty",          "eps",      "formula",
                         "tied",           "micro-state", "shape",          "persist",  "nonfinite-skip",
                         "partial-window", "sign",        "schedule-count", "sum-mean", "token-weight",
                         "time-index"})
    EXPECT_NE(cause_in_words(id), id);
}

TEST(HiddenState, IsNamedInBothReports) {
  TraceJudgement j = judgement();
  j.hidden = "state/acc_grads/w";
  EXPECT_TRUE(has(text_report(j), "the trace hides state/acc_grads/w"));
  EXPECT_TRUE(has(json_report(j), R"("hidden": "state/acc_grads/w")"));
}

}  // namespace
}  // namespace microstep
