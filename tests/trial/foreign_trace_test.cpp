// Traces that lack something: what a row lacks is said to be missing, hidden state is followed from where its spec
// starts it.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "microstep/trial/judge_trace.hpp"

namespace microstep {
namespace {

// multi_steps(sgd(0.5), k=2): means 3 and 4, updates -1.5 and -2.
const std::string sgd_trace = R"x({"schema":"microstep/trace/1","spec":"multi_steps(sgd(0.5), k=2)",
 "initial":{"params":{"w":{"dtype":"float32","shape":[1],"values":[1]}},
  "state":{"counts":{"mini_step":0,"gradient_step":0},"slots":{"acc_grads":{"w":[0]}}}},
 "steps":[
  {"gradients":{"w":[2]},"updates":{"w":[0]},"params":{"w":[1]},"state":{"counts":{"mini_step":1,"gradient_step":0},"slots":{"acc_grads":{"w":[2]}}}},
  {"gradients":{"w":[4]},"updates":{"w":[-1.5]},"params":{"w":[-0.5]},"state":{"counts":{"mini_step":0,"gradient_step":1},"slots":{"acc_grads":{"w":[0]}}}},
  {"gradients":{"w":[2]},"updates":{"w":[0]},"params":{"w":[-0.5]},"state":{"counts":{"mini_step":1,"gradient_step":1},"slots":{"acc_grads":{"w":[2]}}}},
  {"gradients":{"w":[6]},"updates":{"w":[-2]},"params":{"w":[-2.5]},"state":{"counts":{"mini_step":0,"gradient_step":2},"slots":{"acc_grads":{"w":[0]}}}}]})x";

// Once, in the last place where it stands.
std::string replaced(const std::string& text, const std::string& what, const std::string& with) {
  std::string edited = text;
  const std::size_t at = edited.rfind(what);
  if (at == std::string::npos) throw std::runtime_error("not in the text: " + what);
  return edited.replace(at, what.size(), with);
}

std::string hidden(const std::string& text) {
  return std::regex_replace(text, std::regex(R"("state":\{)"), R"("raw":{)");
}

TraceJudgement judged(const std::string& text, const std::optional<Spec>& spec = std::nullopt) {
  return judge_trace(text, "hand", spec);
}

Verdict verdict_of(const TraceJudgement& judgement, std::string_view id) {
  const auto found = std::ranges::find(judgement.contracts, id, &Verdict::contract);
  return found == judgement.contracts.end() ? Verdict{} : *found;
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

struct Lost {
  const char *name, *what, *with, *place;
};

class LostInOneStep : public testing::TestWithParam<Lost> {};

INSTANTIATE_TEST_SUITE_P(
    ByHand, LostInOneStep,
    testing::Values(
        Lost{"params", R"("params":{"w":[-0.5]},)", "", "params/w (run accumulated, microstep 3): missing"},
        Lost{"a_leaf_of_params", R"("params":{"w":[-0.5]})", R"("params":{})",
             "params/w (run accumulated, microstep 3): missing"},
        Lost{"updates", R"("updates":{"w":[-2]},)", "", "updates/w (run accumulated, microstep 4): missing"},
        Lost{"the_state", R"(,"state":{"counts":{"mini_step":1,"gradient_step":1},"slots":{"acc_grads":{"w":[2]}}})",
             "", "state/acc_grads/w (run accumulated, microstep 3): missing"},
        Lost{"a_leaf_of_the_state", R"("acc_grads":{"w":[2]})", R"("acc_grads":{})",
             "state/acc_grads/w (run accumulated, microstep 3): missing"},
        Lost{"a_count", R"("mini_step":1,)", "", "state/mini_step (run accumulated, microstep 3): missing"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(LostInOneStep, IsMissingAndNotZero) {
  const TraceJudgement judgement = judged(replaced(sgd_trace, GetParam().what, GetParam().with));
  EXPECT_EQ(judgement.outcome, Outcome::broken);
  EXPECT_EQ(judgement.faithful.outside, 0);
  for (const Verdict& verdict : judgement.contracts) {
    EXPECT_EQ(verdict.outcome == Outcome::broken, verdict.contract == "form.keys") << verdict.contract;
    EXPECT_FALSE(says(verdict.evidence, "was due")) << verdict.evidence;
  }
  EXPECT_TRUE(says(verdict_of(judgement, "form.keys").evidence, GetParam().place));
  EXPECT_TRUE(says(judgement.faithful.reason, GetParam().place)) << judgement.faithful.reason;
}

// The step after one that lacks something is followed on from the step before it.
TEST(LostThenWrong, IsStillFound) {
  const std::string lost = replaced(sgd_trace, R"("params":{"w":[-0.5]},)", "");
  const TraceJudgement judgement = judged(replaced(lost, "[-2.5]", "[-2.75]"));
  ASSERT_TRUE(judgement.faithful.first);
  EXPECT_EQ(judgement.faithful.first->path, "params/w");
  EXPECT_EQ(judgement.faithful.first->microstep, 4);
  EXPECT_TRUE(judgement.faithful.first->expected.value == -2.5);
}

// A leaf without gradient is unused, not missing: the first window's mean is then 4 / 2.
TEST(AbsentGradient, IsLegal) {
  std::string text =
      std::regex_replace(sgd_trace, std::regex(R"re("gradients":\{"w":\[2\]\},"updates":\{"w":\[0\]\})re"),
                         R"("gradients":{},"updates":{})");
  text = std::regex_replace(text, std::regex(R"re("acc_grads":\{"w":\[2\]\})re"), R"("acc_grads":{"w":[0]})");
  for (const auto& [from, to] :
       {std::pair("[-1.5]", "[-1]"), {"[-0.5]", "[0]"}, {"[-0.5]", "[0]"}, {"[-2]", "[-1.5]"}, {"[-2.5]", "[-1.5]"}})
    text = replaced(text, from, to);
  const TraceJudgement judgement = judged(text);
  EXPECT_EQ(judgement.outcome, Outcome::holds) << judgement.faithful.reason;
}

// The mean of 4 and 2 closes the only window; a claim that skips all of them closes none.
TEST(SkippedMicrobatch, IsNoneOfTheLargeBatchNorAreAll) {
  const std::string text = R"x({"schema":"microstep/trace/1","spec":"multi_steps(sgd(0.5), k=2, skip=not_finite)",
   "initial":{"params":{"w":{"dtype":"float32","shape":[1],"values":[1]}},
    "state":{"counts":{"mini_step":0,"gradient_step":0},"slots":{"acc_grads":{"w":[0]}}}},
   "steps":[
    {"gradients":{"w":[4]},"updates":{"w":[0]},"params":{"w":[1]},"state":{"counts":{"mini_step":1,"gradient_step":0},"slots":{"acc_grads":{"w":[4]}}}},
    {"gradients":{"w":["NaN"]},"updates":{"w":[0]},"params":{"w":[1]},"state":{"counts":{"mini_step":1,"gradient_step":0},"slots":{"acc_grads":{"w":[4]}}}},
    {"gradients":{"w":["NaN"]},"updates":{"w":[0]},"params":{"w":[1]},"state":{"counts":{"mini_step":1,"gradient_step":0},"slots":{"acc_grads":{"w":[4]}}}},
    {"gradients":{"w":[2]},"updates":{"w":[-1.5]},"params":{"w":[-0.5]},"state":{"counts":{"mini_step":0,"gradient_step":1},"slots":{"acc_grads":{"w":[0]}}}}]})x";
  EXPECT_EQ(judged(text).outcome, Outcome::holds) << judged(text).faithful.reason;
  EXPECT_EQ(verdict_of(judged(text), "reduction.large_batch").outcome, Outcome::holds);
  const TraceJudgement all_skipped = judged(text, parse_spec("multi_steps(sgd(0.5), k=2, skip=large(0.25))"));
  EXPECT_EQ(all_skipped.outcome, Outcome::broken);
  EXPECT_FALSE(all_skipped.causes.empty());
}

TEST(HiddenState, IsNamedAndItsUpdatesDecide) {
  const TraceJudgement judgement = judged(hidden(sgd_trace));
  EXPECT_EQ(judgement.outcome, Outcome::holds) << judgement.faithful.reason;
  EXPECT_EQ(judgement.hidden, "state/acc_grads/w");
  for (const char* id : {"emission.every_k", "emission.silent_zero", "emission.silent_params", "reduction.mean"})
    EXPECT_EQ(verdict_of(judgement, id).outcome, Outcome::holds) << id;
  for (const char* id : {"state.large_batch", "state.accumulator_empty", "emission.counters"})
    EXPECT_EQ(verdict_of(judgement, id).outcome, Outcome::not_applicable) << id;
}

TEST(HiddenState, OfOneCountIsNamedByIt) {
  const std::string text = std::regex_replace(sgd_trace, std::regex(R"("mini_step":\d,)"), "");
  EXPECT_EQ(judged(text).hidden, "state/mini_step");
  EXPECT_EQ(judged(text).outcome, Outcome::holds);
}

struct Fault {
  const char* name;
  std::vector<std::pair<std::string, std::string>> edits;
  const char* broken;
};

class HiddenFault : public testing::TestWithParam<Fault> {};

INSTANTIATE_TEST_SUITE_P(
    ByHand, HiddenFault,
    testing::Values(
        Fault{"sum_for_mean", {{"[-1.5]", "[-3]"}, {"[-2]", "[-4]"}}, "reduction.mean"},
        Fault{"held_update", {{R"("updates":{"w":[0]})", R"("updates":{"w":[-0.25]})"}}, "emission.silent_zero"},
        Fault{"held_params", {{"[-0.5]", "[-0.75]"}}, "emission.silent_params"},
        Fault{"nothing_came_out", {{"[-2]", "[0]"}, {"[-2.5]", "[-0.5]"}}, "emission.every_k"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(HiddenFault, IsFoundFromTheUpdates) {
  std::string text = hidden(sgd_trace);
  for (const auto& [what, with] : GetParam().edits) text = replaced(text, what, with);
  const TraceJudgement judgement = judged(text);
  EXPECT_EQ(judgement.outcome, Outcome::broken);
  EXPECT_EQ(judgement.faithful.outcome, Outcome::broken);
  EXPECT_EQ(verdict_of(judgement, GetParam().broken).outcome, Outcome::broken) << judgement.faithful.reason;
}

}  // namespace
}  // namespace microstep
