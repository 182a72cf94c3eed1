// Our own runs, their state hidden: never accused, and green only where what is shown tells how windows are reduced.
#include <gtest/gtest.h>

#include <regex>

#include "microstep/json/trace.hpp"
#include "microstep/train/run.hpp"
#include "microstep/train/setup.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {
namespace {

std::string run_of(std::string_view spec, Dtype dtype, std::int64_t windows = 12) {
  PlanOptions options;
  options.windows = windows;
  options.dtype = dtype;
  const Plan plan = make_plan(parse_spec(spec), parse_spec("replay", OpKind::problem), options);
  DumpedTrace dumped;
  dumped.spec = spec;
  dumped.trace = run(plan);
  for (const auto& batch : plan.batches) {
    double weight = 0;
    for (std::int64_t i : batch) weight += plan.given[static_cast<std::size_t>(i)].weight;
    dumped.weights.push_back(weight);
  }
  return encode_dumped_trace(dumped);
}

std::string hidden(const std::string& text) {
  return std::regex_replace(text, std::regex(R"("state":)"), R"("hidden":)");
}

std::string without_mu(const std::string& text) {
  return std::regex_replace(text, std::regex(R"re("mu":\s*\{[^}]*\},)re"), "");
}

TraceJudgement judged(const std::string& text, const std::optional<Spec>& spec = std::nullopt) {
  return judge_trace(text, "run", spec);
}

class HiddenRun : public testing::TestWithParam<std::tuple<Dtype, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Honest, HiddenRun,
    testing::Combine(testing::Values(Dtype::float64, Dtype::float32, Dtype::bfloat16),
                     testing::Values("multi_steps(adam(0.1), k=3)",
                                     "chain(adamw(0.1, weight_decay=0.3), apply_every(2))",
                                     "multi_steps(sgd(0.1, momentum=0.9, nesterov=true), k=3, reduce=weighted)",
                                     "chain(clip_by_global_norm(0.5), ema(0.9), scale(-0.3))",
                                     "multi_steps(chain(clip(0.25), trace(0.9), sgd([[0, 0.1], [2, 0.01]])), k=2)")));

TEST_P(HiddenRun, IsNotAccused) {
  const auto& [dtype, spec] = GetParam();
  const TraceJudgement judgement = judged(hidden(run_of(spec, dtype)));
  EXPECT_NE(judgement.faithful.outcome, Outcome::broken)
      << judgement.faithful.first->path << " " << judgement.faithful.first->microstep;
  EXPECT_FALSE(judgement.hidden.empty());
}

TEST(HiddenSgd, IsDecidedByItsUpdates) {
  for (Dtype dtype : {Dtype::float64, Dtype::float32}) {
    const std::string text = hidden(run_of("multi_steps(sgd(0.1), k=3)", dtype));
    EXPECT_EQ(judged(text).outcome, Outcome::holds) << judged(text).faithful.reason;
    EXPECT_EQ(judged(text, parse_spec("multi_steps(sgd(0.1), k=3, reduce=sum)")).faithful.outcome, Outcome::broken);
    EXPECT_EQ(judged(text, parse_spec("multi_steps(sgd(0.1), k=4)")).faithful.outcome, Outcome::broken);
  }
}

// Momentum scales with the gradients, so the sum shows; Adam does not, so that nothing but its state tells.
TEST(HiddenMomentum, Decides) {
  const std::string text = hidden(run_of("multi_steps(sgd(0.1, momentum=0.9), k=3)", Dtype::float32));
  EXPECT_EQ(judged(text).outcome, Outcome::holds) << judged(text).faithful.reason;
  EXPECT_EQ(judged(text, parse_spec("multi_steps(sgd(0.1, momentum=0.9), k=3, reduce=sum)")).faithful.outcome,
            Outcome::broken);
}

TEST(HiddenAdam, DoesNotTellTheSumFromTheMean) {
  const TraceJudgement judgement = judged(hidden(run_of("multi_steps(adam(0.1, eps=0), k=3)", Dtype::float32)));
  EXPECT_EQ(judgement.outcome, Outcome::undecidable);
  EXPECT_EQ(judgement.faithful.reason,
            "the trace hides state/acc_grads/w, and what it shows is that of multi_steps(adam(0.1, eps=0), k=3, "
            "reduce=sum) as well");
}

// The spec is not the large batch, but the trace may be of one that is.
TEST(HiddenAdam, DeclaredAsTheSumIsNotBroken) {
  const std::string text = hidden(run_of("multi_steps(adam(0.1, eps=0), k=3)", Dtype::float32));
  const TraceJudgement judgement = judged(text, parse_spec("multi_steps(adam(0.1, eps=0), k=3, reduce=sum)"));
  EXPECT_EQ(judgement.outcome, Outcome::undecidable);
  EXPECT_TRUE(judgement.causes.empty());
  for (const Verdict& verdict : judgement.contracts) EXPECT_NE(verdict.outcome, Outcome::broken) << verdict.contract;
}

TEST(HiddenAdam, OfFirstMomentsOnlyTells) {
  const std::string text = without_mu(run_of("multi_steps(adam(0.1), k=3)", Dtype::float32));
  EXPECT_EQ(judged(text).hidden, "state/of[0]/mu/w");
  EXPECT_EQ(judged(text).outcome, Outcome::holds) << judged(text).faithful.reason;
  EXPECT_EQ(judged(text, parse_spec("multi_steps(adam(0.1), k=3, reduce=sum)")).faithful.outcome, Outcome::broken);
}

// A clip by the norm makes the same of the mean and of the sum where it acts in every window, and the weighted mean of
// equal weights is the mean. Where one window is not clipped, its update tells. Halves of these gradients are exact.
TEST(HiddenAccumulator, BehindAClipIsToldByWhatIsNotClipped) {
  const std::string clipped = hidden(run_of("multi_steps(clip_by_global_norm(0.001), k=2)", Dtype::float32));
  EXPECT_EQ(judged(clipped).outcome, Outcome::undecidable);
  EXPECT_TRUE(judged(clipped).faithful.reason.ends_with("reduce=sum) as well")) << judged(clipped).faithful.reason;
  const std::string free = hidden(run_of("multi_steps(clip_by_global_norm(1000), k=2)", Dtype::float32));
  EXPECT_EQ(judged(free).outcome, Outcome::holds) << judged(free).faithful.reason;
  const std::string shown = run_of("multi_steps(clip_by_global_norm(0.001), k=2)", Dtype::float32, 2);
  EXPECT_EQ(judged(shown).outcome, Outcome::holds) << judged(shown).faithful.reason;
  const std::string single = hidden(run_of("multi_steps(clip_by_global_norm(0.001), k=1)", Dtype::float32));
  EXPECT_EQ(judged(single).outcome, Outcome::holds) << judged(single).faithful.reason;
}

TEST(HiddenAccumulator, WithoutAWindowTellsNothing) {
  const std::string text = hidden(run_of("multi_steps(sgd(0.1), k=3)", Dtype::float32, 1));
  const TraceJudgement judgement = judged(text, parse_spec("multi_steps(sgd(0.1), k=5)"));
  EXPECT_NE(judgement.outcome, Outcome::holds);
  const TraceJudgement longer =
      judged(hidden(run_of("sgd(0)", Dtype::float32, 2)), parse_spec("multi_steps(sgd(1), k=5)"));
  EXPECT_EQ(longer.outcome, Outcome::undecidable) << longer.faithful.reason;
}

}  // namespace
}  // namespace microstep
