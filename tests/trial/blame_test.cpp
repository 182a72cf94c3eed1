// Which contracts are said to be broken, and which are not blamed for another's fault.
#include "microstep/trial/compare.hpp"
#include "trial/renamed_run.hpp"

namespace microstep {
namespace {

const char* const adam = "multi_steps(adam(0.1), k=2)";

TEST(Silence, IsAskedOfTheLeavesOutsideOfAMaskToo) {
  for (const char* spec : {"masked(multi_steps(sgd(0.5), k=2), mask=[w])", "masked(apply_every(2), mask=[w])"}) {
    const TraceJudgement judgement = judged_as(spec, dumped_run(spec));
    EXPECT_EQ(judgement.faithful.outcome, Outcome::holds);
    for (const char* id : {"emission.every_k", "emission.silent_zero", "emission.silent_params"}) {
      const Verdict& verdict = verdict_on(judgement, id);
      ASSERT_EQ(verdict.outcome, Outcome::broken) << id << verdict.evidence;
      EXPECT_FALSE(verdict.place->path.ends_with("/w")) << verdict.place->path;
    }
  }
}

TEST(Silence, IsAskedOfThemByCompareToo) {
  CompareRequest request;
  request.spec = parse_spec("masked(multi_steps(sgd(0.5), k=2), mask=[w0])");
  request.problem = parse_spec("mlp(3, 5, 2)", OpKind::problem);
  const Comparison comparison = compare(request);
  for (const char* id : {"emission.every_k", "emission.silent_zero", "emission.silent_params"}) {
    const auto verdict = std::ranges::find(comparison.contracts, id, &Verdict::contract);
    EXPECT_EQ(verdict->outcome, Outcome::broken) << id << ": " << verdict->evidence;
  }
}

// The mask lets the others by: that they move does not speak for w, of which nothing comes out.
TEST(Emission, OfALeafIsNotThatOfAnother) {
  const char* const spec = "masked(multi_steps(sgd(0.5), k=2), mask=[w])";
  DumpedTrace dumped = dumped_run(spec);
  for (std::int64_t row = 1; row < dumped.trace.rows(); ++row)
    for (const Column& column : dumped.trace.schema().columns())
      if (column.path.starts_with("updates/") && (row % 2 == 1 || column.path == "updates/w"))
        std::ranges::fill(numbers_of(dumped, column.path, row), 0.0);
  const TraceJudgement judgement = judged_as(spec, dumped);
  ASSERT_EQ(verdict_on(judgement, "emission.every_k").outcome, Outcome::broken);
  EXPECT_EQ(verdict_on(judgement, "emission.every_k").place->path, "updates/w");
}

// The weights differ, so the mean of means is not the large batch; the trace has the weighted mean, which is.
TEST(Decision, OfTheSpecIsNotHeldAgainstATraceOfAnother) {
  const PlanOptions ragged{.windows = 4, .ragged = true};
  const TraceJudgement judgement =
      judged_as("multi_steps(sgd(0.1), k=2)", dumped_run("multi_steps(sgd(0.1), k=2, reduce=weighted)", ragged));
  EXPECT_EQ(judgement.faithful.outcome, Outcome::broken);
  EXPECT_EQ(verdict_on(judgement, "reduction.mean").outcome, Outcome::broken);
  EXPECT_EQ(verdict_on(judgement, "reduction.mean").causes, std::vector<std::string>{"token-weight"});
  const Verdict& verdict = verdict_on(judgement, "reduction.large_batch");
  EXPECT_EQ(verdict.outcome, Outcome::undecidable);
  EXPECT_TRUE(verdict.evidence.starts_with("the spec breaks it, but the trace was not found to be the spec's: "));
}

TEST(Counter, OfEmissionsThatIsWrongBreaksNothingElse) {
  DumpedTrace dumped = dumped_run(adam);
  const std::size_t count = dumped.trace.schema().find_count("state/gradient_step").value();
  for (std::int64_t row = 1; row < dumped.trace.rows(); ++row) dumped.trace.count(row, count) += (row + 1) / 2;
  const TraceJudgement judgement = judged_as(adam, dumped);
  for (const Verdict& verdict : judgement.contracts)
    EXPECT_EQ(verdict.outcome == Outcome::broken, verdict.contract == "emission.counters") << verdict.contract;
}

TEST(NoWindow, IsUndecidableAndWhatComparesWindowsDoesNotApply) {
  const char* const all_skipped = "multi_steps(adam(0.1), k=2, skip=large(0.001))";
  const TraceJudgement judgement = judged_as(all_skipped, dumped_run(all_skipped));
  EXPECT_EQ(judgement.outcome, Outcome::undecidable);
  EXPECT_EQ(judgement.faithful.reason, "no window closes");
  for (const char* id : {"reduction.large_batch", "state.large_batch", "state.count_once"}) {
    EXPECT_EQ(verdict_on(judgement, id).outcome, Outcome::not_applicable) << id;
    EXPECT_EQ(verdict_on(judgement, id).evidence, "no window closes") << id;
  }
  EXPECT_EQ(verdict_on(judgement, "emission.silent_zero").outcome, Outcome::holds);
}

/// What was left of the first window is still there when the first gradient of the next one comes in.
DumpedTrace with_leftovers(const std::string& spec, bool adds) {
  DumpedTrace dumped = dumped_run(spec);
  dumped.trace.presence(2, dumped.trace.schema().find_column("state/acc_grads/w").value()) = Presence::dense;
  auto left = numbers_of(dumped, "state/acc_grads/w", 2), next = numbers_of(dumped, "state/acc_grads/w", 3);
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = 1000.1F;
    const double g = numbers_of(dumped, "gradients/w", 3)[i] = 0.1F * static_cast<float>(i + 1);
    next[i] = static_cast<float>(left[i] + (adds ? g : static_cast<float>(g - left[i])));
  }
  return dumped;
}

// A sum goes on from it; a running mean replaces it, but for how that rounds.
TEST(Leftovers, AreTheReductionsWhereTheNextWindowTakesThemIn) {
  for (bool adds : {false, true}) {
    const std::string id = adds ? "sum" : "mean", spec = "multi_steps(sgd(0.1), k=2, reduce=" + id + ")";
    const TraceJudgement judgement = judged_as(spec, with_leftovers(spec, adds));
    EXPECT_EQ(verdict_on(judgement, "state.accumulator_empty").outcome, Outcome::broken) << id;
    const Verdict& verdict = verdict_on(judgement, "reduction." + id);
    ASSERT_EQ(verdict.outcome == Outcome::broken, adds) << verdict.evidence;
    if (adds) {
      EXPECT_EQ(verdict.place->microstep, 3);
    }
  }
}

// 1, then a sum of 3 in place of a mean, then -3: nothing is due of the sum, where a mean of 3 and -3 would give some.
TEST(Emission, OfASumThatIsZeroWasNotDue) {
  const char* const spec = "multi_steps(sgd(0.5), k=3)";
  DumpedTrace dumped = dumped_run("multi_steps(sgd(0.5), k=3, reduce=sum)");
  for (const Column& column : dumped.trace.schema().columns())
    for (std::int64_t row = 1; row < dumped.trace.rows(); ++row) {
      const double g = row % 3 == 0 ? -3 : row % 3, sum = row % 3 == 1 ? 1 : row % 3 == 2 ? 3 : 0;
      const bool is_gradient = column.path.starts_with("gradients/");
      if (is_gradient || column.path.starts_with("state/acc_grads/"))
        std::ranges::fill(numbers_of(dumped, column.path, row), is_gradient ? g : sum);
      if (column.path.starts_with("updates/")) std::ranges::fill(numbers_of(dumped, column.path, row), 0.0);
      if (column.path.starts_with("params/"))
        std::ranges::copy(numbers_of(dumped, column.path, 0), numbers_of(dumped, column.path, row).begin());
    }
  const TraceJudgement judgement = judged_as(spec, dumped);
  EXPECT_EQ(verdict_on(judgement, "emission.every_k").outcome, Outcome::holds);
  EXPECT_EQ(verdict_on(judgement, "reduction.mean").outcome, Outcome::broken);
}

// Beside the accumulator a loop shows a counter of its own, where the spec has no link.
TEST(Counter, OfALinkThatTheSpecLacksIsNotTheAccumulators) {
  const Renamed paths = {{"state/of[0]/", "state/of[1]/of[0]/"}};
  const TraceJudgement judgement = judged_as(adam, renamed(dumped_run(adam), paths));
  EXPECT_EQ(verdict_on(judgement, "emission.counters").outcome, Outcome::holds);
  EXPECT_NE(verdict_on(judgement, "state.accumulator_empty").outcome, Outcome::broken);
}

struct Other {
  const char *claim, *actual;
  Outcome outcome;
};

class OfTheReduction : public testing::TestWithParam<Other> {};

const char* const momentum = "multi_steps(sgd(0.1, momentum=0.9), k=2)";
const char* const sgd = "multi_steps(sgd(0.1), k=3)";
const char* const adamw = "multi_steps(adamw(0.1, weight_decay=0.01), k=2)";
const char* const scheduled = "multi_steps(adam([[0, 0.1], [2, 0.01]]), k=2)";

INSTANTIATE_TEST_SUITE_P(
    Claimed, OfTheReduction,
    testing::Values(Other{adam, "multi_steps(adam(0.2), k=2)", Outcome::holds},
                    Other{adam, "multi_steps(adam(0.1, b2=0.99), k=2)", Outcome::holds},
                    Other{adam, "multi_steps(adam(0.1, eps=0.001), k=2)", Outcome::holds},
                    Other{adam, "multi_steps(adam(0.1, eps=0, eps_root=0.001), k=2)", Outcome::holds},
                    Other{momentum, "multi_steps(sgd(0.1, momentum=0.9, nesterov=true), k=2)", Outcome::holds},
                    Other{adamw, "multi_steps(adamw(0.1, weight_decay=0), k=2)", Outcome::holds},
                    Other{scheduled, "multi_steps(adam([[0, 0.1], [1, 0.01]]), k=2)", Outcome::holds},
                    Other{sgd, "multi_steps(sgd(0.13), k=3)", Outcome::undecidable},
                    Other{sgd, "multi_steps(scale(0.1), k=3)", Outcome::undecidable},
                    Other{sgd, "multi_steps(sgd(0.1), k=3, reduce=sum)", Outcome::broken},
                    Other{adam, "multi_steps(adam(0.1), k=2, reduce=sum)", Outcome::broken},
                    Other{momentum, "multi_steps(sgd(0.1, momentum=0.9), k=2, reduce=sum)", Outcome::broken},
                    Other{sgd, "multi_steps(chain(scale(3), sgd(0.1)), k=3)", Outcome::undecidable},
                    Other{sgd, "multi_steps(chain(clip_by_global_norm(0.1), sgd(0.1)), k=3)", Outcome::undecidable},
                    Other{sgd, "multi_steps(chain(scale(0.75), sgd(0.1)), k=3)", Outcome::undecidable}));

TEST_P(OfTheReduction, OnlyWhatAnotherReductionMakesIsHeldAgainstIt) {
  const auto& [claim, actual, outcome] = GetParam();
  const TraceJudgement judgement = judged_as(claim, dumped_run(actual));
  EXPECT_EQ(judgement.faithful.outcome, Outcome::broken);
  EXPECT_EQ(verdict_on(judgement, "reduction.mean").outcome, outcome)
      << verdict_on(judgement, "reduction.mean").evidence;
}

}  // namespace
}  // namespace microstep
