// The mean of what is not finite hangs on its form: (inf + 1)/2 is infinite, inf + (1 - inf)/2 is not a number.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "microstep/trial/judge_trace.hpp"

namespace microstep {
namespace {

// multi_steps(INNER, k=2) on Infinity, 1, 1, 1 as a loop that adds and divides has it.
std::string text_of(const char* inner, const char* head, const char* update, const char* second, const char* end) {
  auto step = [](const char* gradient, const char* moved, const char* w, const char* acc, int mini, int emitted) {
    return fmt::format(
        R"x({{"gradients":{{"w":[{}]}},"updates":{{"w":[{}]}},"params":{{"w":[{}]}},"state":{{"counts":{{"mini_step":{},"gradient_step":{}}},"slots":{{"acc_grads":{{"w":[{}]}}}}}}}})x",
        gradient, moved, w, mini, emitted, acc);
  };
  return fmt::format(
      R"x({{"schema":"microstep/trace/1",{}"spec":"multi_steps({}, k=2)","initial":{{"params":{{"w":{{"dtype":"float32","shape":[1],"values":[0]}}}},"state":{{"counts":{{"mini_step":0,"gradient_step":0}},"slots":{{"acc_grads":{{"w":[0]}}}}}}}},"steps":[{},{},{},{}]}})x",
      head, inner, step(R"("Infinity")", "0", "0", R"("Infinity")", 1, 0), step("1", update, update, "0", 0, 1),
      step("1", "0", update, "1", 1, 1), step("1", second, end, "0", 0, 2));
}

Outcome outcome_of(const TraceJudgement& judgement, const char* id) {
  return std::ranges::find(judgement.contracts, id, &Verdict::contract)->outcome;
}

TEST(InfiniteMean, OfAFormThatIsNotStatedBreaksNothing) {
  for (const char* update : {R"("-Infinity")", R"("NaN")"}) {
    const TraceJudgement judgement = judge_trace(text_of("sgd(1)", "", update, "-1", update), "hand", std::nullopt);
    for (const Verdict& verdict : judgement.contracts)
      EXPECT_NE(verdict.outcome, Outcome::broken) << verdict.contract << ": " << verdict.evidence;
    EXPECT_EQ(outcome_of(judgement, "reduction.large_batch"), Outcome::undecidable);
  }
}

TEST(InfiniteMean, OfARunningFormIsNotTheLargeBatch) {
  const char* running = R"x("running_mean":true,)x";
  const TraceJudgement own =
      judge_trace(text_of("sgd(1)", running, R"("NaN")", "-1", R"("NaN")"), "hand", std::nullopt);
  EXPECT_EQ(own.faithful.outcome, Outcome::holds) << own.faithful.reason;
  EXPECT_EQ(outcome_of(own, "reduction.large_batch"), Outcome::broken);
}

// A clip makes 1 of infinity and NaN of NaN: it is the form that would tell, and no precision.
TEST(InfiniteMean, SaysThatItsFormDecides) {
  const TraceJudgement judgement = judge_trace(text_of("clip(1)", "", "1", "1", "2"), "hand", std::nullopt);
  EXPECT_EQ(judgement.outcome, Outcome::undecidable);
  EXPECT_TRUE(judgement.faithful.reason.ends_with("; the trace may say more: state its running_mean"))
      << judgement.faithful.reason;
}

}  // namespace
}  // namespace microstep
