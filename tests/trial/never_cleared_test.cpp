// An accumulator that no window clears, as with a forgotten zero_grad: each window gives all gradients since the start.
#include <fmt/format.h>

#include <limits>

#include "trial/renamed_run.hpp"

namespace microstep {
namespace {

using Causes = std::vector<std::string>;

Tree<double>& gradient_at(Plan& plan, std::int64_t t) {
  return plan.given[static_cast<std::size_t>(plan.batches[static_cast<std::size_t>(t)][0])].gradient;
}

double weight_at(const Plan& plan, std::int64_t t) {
  return plan.given[static_cast<std::size_t>(plan.batches[static_cast<std::size_t>(t)][0])].weight;
}

void add(Tree<double>& sum, const Tree<double>& part, double times) {
  for (std::size_t leaf = 0; leaf < sum.leaf_count(); ++leaf)
    for (std::size_t i = 0; i < sum.values(leaf).size(); ++i)
      sum.values(leaf)[i] = round_to(sum.leaf(leaf).dtype, sum.values(leaf)[i] + times * part.values(leaf)[i]);
}

/// Its window's first gradient holds what came before. running: it goes on counting, too, so that all are one mean.
Plan leftovers_of(const Plan& plan, const std::vector<bool>& skipped, bool running) {
  Plan faulty = plan, given = plan;
  const bool weighted = to_string(plan.spec).find("weighted") != std::string::npos;
  std::vector<std::int64_t> before;
  for (const auto& window : windows(plan, skipped)) {
    for (std::int64_t t : before)
      add(gradient_at(faulty, window[0]), gradient_at(given, t),
          weighted ? weight_at(plan, t) / weight_at(plan, window[0]) : 1);
    const auto own = static_cast<double>(window.size()), all = own + static_cast<double>(before.size());
    for (std::int64_t t : window)
      if (running) add(gradient_at(faulty, t), gradient_at(faulty, t), own / all - 1);
    before.insert(before.end(), window.begin(), window.end());
  }
  return faulty;
}

/// The loop's trace, with the gradients that came in; of which each has another weight.
DumpedTrace never_cleared(std::string_view spec, PlanOptions options, bool running = false, bool skips_second = false) {
  options.examples = 1;
  Plan plan = make_plan(parse_spec(spec), parse_spec("replay", OpKind::problem), options);
  for (std::size_t i = 0; i < plan.given.size(); ++i) plan.given[i].weight = 1 + static_cast<double>(i % 3);
  std::vector<bool> skipped(plan.batches.size(), false);
  skipped[1] = skips_second;
  if (skips_second) gradient_at(plan, 1).values(0)[0] = std::numeric_limits<double>::quiet_NaN();
  DumpedTrace dumped, shown;
  dumped.trace = run(leftovers_of(plan, skipped, running));
  shown.trace = run(plan);
  for (std::int64_t t = 0; t < std::ssize(plan.batches); ++t) dumped.weights.push_back(weight_at(plan, t));
  for (const Column& column : shown.trace.schema().columns())
    for (std::int64_t row = 1; row < shown.trace.rows() && column.path.starts_with("gradients/"); ++row)
      std::ranges::copy(numbers_of(shown, column.path, row), numbers_of(dumped, column.path, row).begin());
  return dumped;
}

const Renamed no_sum{{"state/acc_", ""}, {"state/of[0]/grad_acc/", ""}}, no_state{{"state/", ""}},
    no_updates{{"state/acc_", ""}, {"updates/", ""}}, params_only{{"state/", ""}, {"updates/", ""}};

void expect_left(std::string_view spec, const DumpedTrace& dumped) {
  const TraceJudgement judgement = judged_as(spec, dumped);
  EXPECT_EQ(judgement.outcome, Outcome::broken) << spec;
  EXPECT_EQ(judgement.causes, Causes{"boundary"}) << spec;
  EXPECT_TRUE(judgement.never_cleared) << spec;
  EXPECT_FALSE(judgement.explained_by) << spec;
}

class NeverCleared : public testing::TestWithParam<std::tuple<const char*, const char*, int, std::int64_t>> {};

// Some do not show the accumulator; the last shows it as empty at each window's end.
TEST_P(NeverCleared, IsTheBoundary) {
  const auto& [inner, reduce, k, windows] = GetParam();
  const std::string spec = fmt::format("multi_steps({}, k={}, reduce={})", inner, k, reduce);
  const DumpedTrace dumped = never_cleared(spec, {.windows = windows});
  for (const Renamed& hidden : {no_sum, no_state, no_updates, params_only, Renamed{}})
    expect_left(spec, renamed(dumped, hidden));
}

INSTANTIATE_TEST_SUITE_P(Loops, NeverCleared,
                         testing::Combine(testing::Values("sgd(0.1)", "sgd(0.1, momentum=0.9)", "adam(0.1)",
                                                          "adamw(0.1, weight_decay=0.05)"),
                                          testing::Values("mean", "sum", "weighted"), testing::Values(2, 3),
                                          testing::Values(2, 3)));

TEST(NeverClearedToo, AreOtherDtypesOtherAccumulatorsAndShortWindows) {
  for (Dtype dtype : {Dtype::float64, Dtype::bfloat16}) {
    const char* const spec = "multi_steps(sgd(0.5), k=2)";
    expect_left(spec, renamed(never_cleared(spec, {.dtype = dtype}), no_sum));
  }
  const char* const narrow = "multi_steps(sgd(0.1), k=3, acc_dtype=float32)";
  expect_left(narrow, renamed(never_cleared(narrow, {.dtype = Dtype::float64}), no_sum));
  const char* const sums = "chain(apply_every(2), scale(-0.1))";
  expect_left(sums, renamed(never_cleared(sums, {}), no_sum));
  const char* const flushed = "multi_steps(sgd(0.1), k=3, partial=flush)";
  expect_left(flushed, renamed(never_cleared(flushed, {.windows = 2, .partial = 2}), no_sum));
}

TEST(NeverClearedToo, IsOneMeanOfAllGradients) {
  for (const char* spec : {"multi_steps(sgd(0.1, momentum=0.9), k=2)", "multi_steps(adam(0.1), k=3)"})
    for (const Renamed& hidden : {no_sum, no_state}) expect_left(spec, renamed(never_cleared(spec, {}, true), hidden));
}

TEST(NeverClearedToo, LeavesOutWhatWasSkipped) {
  const char* const spec = "multi_steps(adam(0.1), k=2, skip=not_finite)";
  expect_left(spec, renamed(never_cleared(spec, {.windows = 4}, false, true), no_sum));
}

// What came before is in what the inner received, as far as that is shown.
TEST(NeverCleared, BreaksTheReduction) {
  for (const char* inner : {"sgd(0.1)", "sgd(0.1, momentum=0.9)", "adam(0.1)"})
    for (const std::string reduce : {"mean", "sum", "weighted"})
      for (bool running : {false, true}) {
        const std::string spec = fmt::format("multi_steps({}, k=3, reduce={})", inner, reduce);
        if (running && reduce != "mean") continue;
        const TraceJudgement judgement = judged_as(spec, renamed(never_cleared(spec, {}, running), no_sum));
        const Verdict& verdict = verdict_on(judgement, "reduction." + reduce);
        ASSERT_EQ(verdict.outcome, Outcome::broken) << spec << ": " << verdict.evidence;
        EXPECT_EQ(verdict.causes, Causes{"boundary"}) << spec;
        EXPECT_EQ(verdict.place->microstep, 6) << spec;
      }
}

TEST(OneWindow, HasNothingLeftOfAnother) {
  const char* const spec = "multi_steps(sgd(0.1), k=3)";
  const TraceJudgement judgement = judged_as(spec, renamed(never_cleared(spec, {.windows = 1}), no_sum));
  EXPECT_EQ(judgement.faithful.outcome, Outcome::holds);
  EXPECT_FALSE(judgement.never_cleared);
}

// The first window is wrong as well: nothing could be left then.
TEST(AnotherLearningRate, IsNotWhatIsLeft) {
  for (const char* actual : {"multi_steps(sgd(0.2), k=2, reduce=sum)", "multi_steps(sgd(0.13), k=2)"}) {
    const TraceJudgement judgement =
        judged_as("multi_steps(sgd(0.1), k=2)", renamed(never_cleared(actual, {}), no_sum));
    EXPECT_FALSE(judgement.never_cleared);
    EXPECT_NE(judgement.causes, Causes{"boundary"});
  }
}

}  // namespace
}  // namespace microstep
