// Two accumulators that both have a skip rule: each microbatch is left out by the one whose rule it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "microstep/json/trace.hpp"
#include "microstep/train/run.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {
namespace {

constexpr double bad = std::numeric_limits<double>::infinity();

DumpedTrace run_of(std::string_view spec, const std::vector<double>& gradients) {
  Plan plan;
  plan.spec = parse_spec(spec);
  plan.problem = parse_spec("replay", OpKind::problem);
  plan.gradient_layout = make_layout({{"w", {1}, Dtype::float32}});
  plan.params = filled(plan.gradient_layout, 0.0);
  for (double g : gradients) {
    plan.batches.push_back({static_cast<std::int64_t>(plan.given.size())});
    plan.given.push_back({filled(plan.gradient_layout, g), 1});
  }
  check(plan);
  DumpedTrace dumped;
  dumped.spec = spec;
  dumped.trace = run(plan);
  dumped.running_mean = true;
  return dumped;
}

TraceJudgement judged(const DumpedTrace& dumped) {
  return judge_trace(encode_dumped_trace(dumped), "run", std::nullopt);
}

struct Case {
  const char* spec;
  std::vector<double> gradients;
};

class NestedSkips : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Of, NestedSkips,
    testing::Values(
        Case{"multi_steps(multi_steps(sgd(1), k=1, skip=large(20)), k=2, skip=not_finite)", {50, 50, 1, 1}},
        Case{"multi_steps(multi_steps(sgd(1), k=1, skip=large(20)), k=2, skip=not_finite)", {50, bad, 50, 1, bad, 1}},
        Case{"multi_steps(multi_steps(sgd(1), k=2, skip=large(20)), k=3, skip=not_finite)",
             {50, 50, 50, 1, 1, 1, 1, 1, 1}},
        Case{"multi_steps(multi_steps(sgd(1), k=2, skip=large(20)), k=2, skip=window_not_finite)",
             {1, 1, bad, 1, 50, 50, 1, 1}},
        Case{"multi_steps(multi_steps(sgd(1), k=2, skip=window_not_finite), k=2, skip=large(20))",
             {1, 1, 30, 2, 2, 1, 1, 3, 3}},
        Case{
            "multi_steps(multi_steps(sgd(1), k=2, skip=large(20), partial=flush), k=2, skip=not_finite, partial=flush)",
            {50, 50, 1, 1, 1, 1, 50, bad}},
        Case{"multi_steps(chain(scale(2), multi_steps(sgd(1), k=1, skip=large(20))), k=2, skip=large(40))",
             {50, 30, 30, 1, 1}}));

TEST_P(NestedSkips, OfAnHonestRunBreakNothing) {
  const TraceJudgement judgement = judged(run_of(GetParam().spec, GetParam().gradients));
  EXPECT_EQ(judgement.outcome, Outcome::holds) << judgement.faithful.reason;
  for (const Verdict& verdict : judgement.contracts)
    EXPECT_NE(verdict.outcome, Outcome::broken) << verdict.contract << ": " << verdict.evidence;
  for (const char* id : {"emission.counters", "state.accumulator_empty", "state.nonfinite_forgotten"})
    EXPECT_EQ(std::ranges::find(judgement.contracts, id, &Verdict::contract)->outcome, Outcome::holds) << id;
}

// What the outer one took in microstep 1 it lets out in microstep 2: a counter that stands still there is wrong.
TEST(NestedSkips, StillSeeACounterThatIsOff) {
  DumpedTrace dumped =
      run_of("multi_steps(multi_steps(sgd(1), k=1, skip=large(20)), k=2, skip=not_finite)", {50, 50, 1, 1});
  dumped.trace.count(1, *dumped.trace.schema().find_count("state/mini_step")) = 0;
  const TraceJudgement judgement = judged(dumped);
  EXPECT_EQ(std::ranges::find(judgement.contracts, "emission.counters", &Verdict::contract)->outcome, Outcome::broken);
}

// The inner one left the first window out: a param that moves with it remembers.
TEST(NestedSkips, StillSeeAWindowThatIsRemembered) {
  DumpedTrace dumped =
      run_of("multi_steps(multi_steps(sgd(1), k=1, skip=large(20)), k=2, skip=not_finite)", {50, 50, 1, 1});
  dumped.trace.numbers(2, *dumped.trace.schema().find_column("params/w"))[0] = -50;
  const TraceJudgement judgement = judged(dumped);
  const auto verdict = std::ranges::find(judgement.contracts, "state.nonfinite_forgotten", &Verdict::contract);
  EXPECT_EQ(verdict->outcome, Outcome::broken);
  EXPECT_EQ(verdict->place->path, "params/w");
}

}  // namespace
}  // namespace microstep
