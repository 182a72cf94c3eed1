// An accumulator behind a link, or two in one chain: what came into it is not shown, so it answers for its own faults
// alone.
#include "trial/spoiled_run.hpp"

namespace microstep {
namespace {

struct Faulty {
  const char *claim, *actual, *contract;
};

class BehindALink : public testing::TestWithParam<Faulty> {};

const char* const summed = "chain(adam(0.1), apply_every(2))";
const char* const meant = "chain(trace(0.9), multi_steps(scale(-0.1), k=2))";

INSTANTIATE_TEST_SUITE_P(
    OfAnotherLink, BehindALink,
    testing::Values(Faulty{summed, "chain(adam(0.3), apply_every(2))", "reduction.sum"},
                    Faulty{summed, "chain(adam(0.05), apply_every(2))", "reduction.sum"},
                    Faulty{summed, "chain(adam(0.1, b2=0.99), apply_every(2))", "reduction.sum"},
                    Faulty{summed, "chain(adam(0.1, eps=0.01), apply_every(2))", "state.accumulator_empty"},
                    Faulty{meant, "chain(trace(0.9, nesterov=true), multi_steps(scale(-0.1), k=2))",
                           "reduction.mean"}));

TEST_P(BehindALink, TheAccumulatorIsNotBlamedForWhatComesIn) {
  const auto& [claim, actual, id] = GetParam();
  const TraceJudgement judgement = judged_as(claim, dumped_run(actual));
  EXPECT_EQ(judgement.faithful.outcome, Outcome::broken);
  EXPECT_EQ(verdict_on(judgement, id).outcome, Outcome::undecidable) << verdict_on(judgement, id).evidence;
}

void each_number(DumpedTrace& dumped, std::int64_t row, double (*change)(double now, double before)) {
  for (const Column& column : dumped.trace.schema().columns()) {
    if (column.path.find("/grad_acc/") == std::string::npos) continue;
    auto now = numbers_of(dumped, column.path, row), before = numbers_of(dumped, column.path, row - 1);
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = static_cast<float>(change(now[i], before[i]));
  }
}

// Rows 1, 3, 5 open windows.
TEST(BehindALink, WhatIsLeftOfAClosedWindowIsSeen) {
  DumpedTrace dumped = dumped_run(summed);
  each_number(dumped, 3, [](double now, double before) { return now + before; });
  const TraceJudgement judgement = judged_as(summed, dumped);
  ASSERT_EQ(verdict_on(judgement, "state.accumulator_empty").outcome, Outcome::broken);
  EXPECT_EQ(verdict_on(judgement, "state.accumulator_empty").place->microstep, 3);
  EXPECT_EQ(verdict_on(judgement, "reduction.sum").outcome, Outcome::broken);
}

TEST(BehindALink, AnInputThatIsLostIsSeen) {
  DumpedTrace dumped = dumped_run(summed);
  each_number(dumped, 4, [](double, double before) { return before; });
  const TraceJudgement judgement = judged_as(summed, dumped);
  EXPECT_EQ(verdict_on(judgement, "reduction.sum").outcome, Outcome::broken);
  EXPECT_EQ(verdict_on(judgement, "state.accumulator_empty").outcome, Outcome::holds);
}

TEST(BehindALink, AKthOfALaterInputIsSeen) {
  DumpedTrace dumped = dumped_run(summed);
  each_number(dumped, 4, [](double now, double before) { return (now - before) / 2; });
  EXPECT_EQ(verdict_on(judged_as(summed, dumped), "reduction.sum").outcome, Outcome::broken);
}

TEST(BehindALink, AMeanInPlaceOfTheSumIsSeen) {
  DumpedTrace dumped = dumped_run(summed);
  each_number(dumped, 4, [](double now, double before) { return before + (now - before) / 2; });
  EXPECT_EQ(verdict_on(judged_as(summed, dumped), "reduction.sum").outcome, Outcome::broken);
}

// Where nothing is summed and nothing is left, a number that is a little off is neither.
TEST(BehindALink, ASmallFaultBeforeAWindowOfOneIsNotTheAccumulators) {
  const char* const spec = "chain(clip_by_global_norm(0.5), apply_every(1))";
  DumpedTrace dumped = dumped_run(spec);
  for (const Column& column : dumped.trace.schema().columns())
    for (std::int64_t row = 1; row < dumped.trace.rows(); ++row)
      if (column.path.starts_with("updates/") || column.path.find("/grad_acc/") != std::string::npos)
        for (double& x : numbers_of(dumped, column.path, row)) x = static_cast<float>(x * (1 - 0x1p-20));
  const TraceJudgement judgement = judged_as(spec, dumped);
  EXPECT_EQ(judgement.faithful.outcome, Outcome::broken);
  for (const char* id : {"reduction.sum", "state.accumulator_empty"})
    EXPECT_EQ(verdict_on(judgement, id).outcome, Outcome::undecidable) << verdict_on(judgement, id).evidence;
}

// grad_acc holds the sum, and its k-th comes out.
TEST(Emission, OfASumThatIsDividedBreaksTheSum) {
  for (const char* spec : {"apply_every(2)", "chain(sgd(0.1), apply_every(2))"}) {
    DumpedTrace dumped = dumped_run(spec);
    for (const Column& column : dumped.trace.schema().columns())
      for (std::int64_t row = 2; row < dumped.trace.rows() && column.path.starts_with("updates/"); row += 2) {
        auto update = numbers_of(dumped, column.path, row);
        const std::string leaf = column.path.substr(8);
        auto params = numbers_of(dumped, "params/" + leaf, row), before = numbers_of(dumped, "params/" + leaf, row - 1);
        for (std::size_t i = 0; i < update.size(); ++i) params[i] = static_cast<float>(before[i] + (update[i] /= 2));
      }
    const TraceJudgement judgement = judged_as(spec, dumped);
    ASSERT_EQ(verdict_on(judgement, "reduction.sum").outcome, Outcome::broken) << spec;
    EXPECT_EQ(verdict_on(judgement, "reduction.sum").place->path.substr(0, 8), "updates/");
    EXPECT_EQ(judgement.causes, std::vector<std::string>{"sum-mean"}) << spec;
  }
}

// A count that goes on to k where it begins anew is the accumulator's own.
TEST(Counter, OfApplyEveryIsNoTimeIndex) {
  const char* const spec = "chain(sgd(0.1), apply_every(2))";
  DumpedTrace dumped = dumped_run(spec);
  const std::size_t count = dumped.trace.schema().find_count("state/of[1]/count").value();
  for (std::int64_t row = 2; row < dumped.trace.rows(); row += 2) dumped.trace.count(row, count) = 2;
  EXPECT_EQ(judged_as(spec, dumped).causes, std::vector<std::string>{"boundary"});
}

// With k = 1 the sum is the mean: a factor is another one's.
TEST(WindowOfOne, IsReducedRightWhateverComesOut) {
  for (const char* actual : {"multi_steps(sgd(0.05), k=1)", "multi_steps(sgd(0.2), k=1)"}) {
    const TraceJudgement judgement = judged_as("multi_steps(sgd(0.1), k=1)", dumped_run(actual));
    EXPECT_NE(verdict_on(judgement, "reduction.mean").outcome, Outcome::broken) << actual;
    EXPECT_EQ(judgement.causes, std::vector<std::string>{"formula"}) << actual;
  }
}

// Means come at 2, 4, ..., sums of three at 3, 6, 9, 12; nothing is held back after 6 and 12 alone.
TEST(TwoAccumulators, AnUpdateAmidACommonWindowIsNotDue) {
  const char* const spec = "chain(multi_steps(sgd(0.1), k=2), apply_every(3))";
  const TraceJudgement judgement = judged_as(spec, dumped_run(spec, {.windows = 2}));
  EXPECT_EQ(judgement.faithful.outcome, Outcome::holds) << judgement.faithful.reason;
  for (const char* id : {"emission.every_k", "emission.silent_zero", "emission.silent_params"}) {
    const Verdict& verdict = verdict_on(judgement, id);
    ASSERT_EQ(verdict.outcome, Outcome::broken) << id << ": " << verdict.evidence;
    EXPECT_EQ(verdict.place->microstep, 3) << id;
    EXPECT_EQ(verdict.causes, std::vector<std::string>{"boundary"}) << id;
  }
}

}  // namespace
}  // namespace microstep
