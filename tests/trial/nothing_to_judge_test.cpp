// Where there is nothing to compare or to judge, it is said; and what a dumped trace has too much is told where it is.
#include <gtest/gtest.h>

#include <algorithm>

#include "microstep/golden/file.hpp"
#include "microstep/trial/compare.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {
namespace {

std::vector<std::string> warnings_of(const char* spec) {
  return compare({parse_spec(spec), parse_spec("mlp(3, 5, 2)", OpKind::problem), {}, {}}).warnings;
}

TEST(NothingMoves, IsAWarning) {
  const std::vector<std::string> zeros = {"no update moved any param: nothing was compared but zeros"};
  for (const char* spec : {"chain(sgd(0), apply_every(2))", "multi_steps(scale(0), k=2)", "multi_steps(sgd(0), k=2)"})
    EXPECT_EQ(warnings_of(spec), zeros) << spec;
  EXPECT_EQ(warnings_of("multi_steps(sgd(0.5), k=2)"), std::vector<std::string>());
}

TEST(NothingMoves, ButTheStateIsNotSaidToBeZeros) {
  const std::vector<std::string> still = {
      "no update moved any param: of them nothing was compared but where they start"};
  EXPECT_EQ(warnings_of("multi_steps(sgd(0, momentum=0.5), k=2)"), still);
}

std::string text_of(const std::string& shape, const std::string& values, const std::string& of = "",
                    const std::string& in_step = "") {
  const std::string leaf = R"x({"dtype":"float32","shape":)x" + shape + R"x(,"values":)x" + values + "}";
  const std::string row = R"x("gradients":{"w":)x" + leaf + R"x(},"updates":{"w":)x" + leaf + R"x(},"params":{"w":)x" +
                          leaf + "}" + in_step;
  return R"x({"schema":"microstep/trace/1","spec":"multi_steps(sgd(0.5), k=1)","initial":{"params":{"w":)x" + leaf +
         R"x(},"state":{"of":[)x" + of + R"x(]}},"steps":[{)x" + row + "},{" + row + "}]}";
}

TraceJudgement judged(const std::string& text) { return judge_trace(text, "hand", std::nullopt); }

TEST(NoNumber, IsUndecidable) {
  const TraceJudgement judgement = judged(text_of("[0]", "[]"));
  EXPECT_EQ(judgement.outcome, Outcome::undecidable);
  EXPECT_EQ(judgement.faithful.reason, "the trace has no number to judge");
  EXPECT_EQ(judged(text_of("[1]", "[0]")).outcome, Outcome::holds);
}

// multi_steps has one inner, and sgd none: an empty state is none of the numbers, but it is one too many.
TEST(InnerState, ThatTheSpecHasNoPlaceForBreaksTheKeys) {
  EXPECT_EQ(judged(text_of("[1]", "[0]", "{}")).outcome, Outcome::holds);
  for (const auto& [of, place] : {std::pair("{},{}", "state/of[1]"), {R"x({"of":[{}]})x", "state/of[0]/of[0]"}}) {
    const TraceJudgement judgement = judged(text_of("[1]", "[0]", of));
    EXPECT_EQ(judgement.outcome, Outcome::broken) << of;
    const auto keys = std::ranges::find(judgement.contracts, "form.keys", &Verdict::contract);
    EXPECT_EQ(keys->outcome, Outcome::broken);
    EXPECT_TRUE(keys->evidence.starts_with(place)) << keys->evidence;
    EXPECT_EQ(judgement.causes, std::vector<std::string>{"api-state"}) << of;
  }
}

TEST(InnerState, OfAStepIsLookedAtToo) {
  const TraceJudgement judgement = judged(text_of("[1]", "[0]", "{}", R"x(,"state":{"of":[{},{}]})x"));
  EXPECT_NE(judgement.faithful.reason.find("state/of[1] (run accumulated, microstep 1)"), std::string::npos)
      << judgement.faithful.reason;
}

TEST(PlaceInADumpedTrace, IsOneLineInItsOwnTerms) {
  try {
    judged(text_of("[1]", "[0]", "", R"x(,"weight":-1)x"));
    FAIL() << "not refused";
  } catch (const FileError& error) {
    EXPECT_EQ(error.id() + " " + error.place(), "plan.weight hand#/steps/0/weight");
  }
}

}  // namespace
}  // namespace microstep
