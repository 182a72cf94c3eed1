// A leaf without any gradient in a window is absent to the inner, though its accumulator is recorded as zeros.
#include <gtest/gtest.h>

#include <regex>

#include "microstep/json/trace.hpp"
#include "microstep/train/run.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {
namespace {

// Leaves w and s of one element; s has a gradient where the pattern has an x.
std::string run_of(std::string_view spec, std::string_view pattern) {
  Plan plan;
  plan.spec = parse_spec(spec);
  plan.problem = parse_spec("replay", OpKind::problem);
  plan.gradient_layout = make_layout({{"w", {1}, Dtype::float32}, {"s", {1}, Dtype::float32}});
  plan.params = filled(plan.gradient_layout, 1.0);
  for (std::size_t t = 0; t < pattern.size(); ++t) {
    plan.batches.push_back({static_cast<std::int64_t>(t)});
    plan.given.push_back({filled(plan.gradient_layout, static_cast<double>(t + 1)), 1});
    if (pattern[t] != 'x') plan.given.back().gradient.mark(1, Presence::absent);
  }
  check(plan);
  DumpedTrace dumped;
  dumped.spec = spec;
  dumped.trace = run(plan);
  return encode_dumped_trace(dumped);
}

class AbsentGradient : public testing::TestWithParam<std::tuple<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Of, AbsentGradient,
    testing::Combine(testing::Values("multi_steps(adamw(0.1), k=1)", "multi_steps(adamw(0.1), k=2)",
                                     "multi_steps(sgd(0.5, momentum=0.5), k=2, reduce=sum)",
                                     "multi_steps(trace(0.5), k=2, reduce=weighted)",
                                     "multi_steps(adamw(0.1), k=2, skip=large(6))",
                                     "multi_steps(multi_steps(adamw(0.1), k=2), k=2)",
                                     "chain(multi_steps(trace(0.5), k=2), apply_every(1))",
                                     "multi_steps(adamw(0.1), k=3, partial=flush)"),
                     testing::Values("........", "xx......", ".x......", "xxxx....", "x..xx...", "......x.")));

TEST_P(AbsentGradient, OfAnHonestRunIsFaithfullyAbsent) {
  const auto& [spec, pattern] = GetParam();
  const std::string text = run_of(spec, pattern);
  const TraceJudgement shown = judge_trace(text, "run", std::nullopt);
  EXPECT_EQ(shown.faithful.outcome, Outcome::holds)
      << shown.faithful.reason << (shown.faithful.first ? shown.faithful.first->path : "");
  const std::string hidden = std::regex_replace(text, std::regex(R"("state":)"), R"("hidden":)");
  EXPECT_NE(judge_trace(hidden, "run", std::nullopt).faithful.outcome, Outcome::broken);
}

// One step of adamw(0.1) from 1 on a gradient of zeros is its decay, -0.1 * 0.0001 * 1.
std::string one_step(const char* gradients, const char* moved) {
  const std::string start = R"x({"dtype":"float32","shape":[1],"values":[1]})x";
  auto state = [](const std::string& n) {
    return R"x({"counts":{"mini_step":0,"gradient_step":)x" + n +
           R"x(},"slots":{"acc_grads":{"w":[0],"s":[0]}},"of":[{"counts":{"count":)x" + n +
           R"x(},"slots":{"mu":{"w":[0],"s":[0]},"nu":{"w":[0],"s":[0]}}}]})x";
  };
  return R"x({"schema":"microstep/trace/1","spec":"multi_steps(adamw(0.1), k=1)","initial":{"params":{"w":)x" + start +
         ",\"s\":" + start + "},\"state\":" + state("0") + "},\"steps\":[{\"gradients\":" + gradients +
         R"x(,"updates":{"w":[-1e-05],"s":[)x" + moved + R"x(]},"params":{"w":[0.99999],"s":[)x" +
         (moved == std::string("0") ? "1" : "0.99999") + "]},\"state\":" + state("1") + "}]}";
}

TEST(AbsentGradient, DoesNotDecayItsLeafAndOneOfZerosDoes) {
  auto outcome = [](const char* gradients, const char* moved) {
    return judge_trace(one_step(gradients, moved), "hand", std::nullopt).faithful.outcome;
  };
  EXPECT_EQ(outcome(R"x({"w":[0]})x", "0"), Outcome::holds);
  EXPECT_EQ(outcome(R"x({"w":[0]})x", "-1e-05"), Outcome::broken);
  EXPECT_EQ(outcome(R"x({"w":[0],"s":[0]})x", "-1e-05"), Outcome::holds);
  EXPECT_EQ(outcome(R"x({"w":[0],"s":[0]})x", "0"), Outcome::broken);
}

}  // namespace
}  // namespace microstep
