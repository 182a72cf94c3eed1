// One factor of all updates, and updates that are right and do not reach the params as they are.
#include <fmt/format.h>

#include "trial/renamed_run.hpp"

namespace microstep {
namespace {

using Causes = std::vector<std::string>;

class OneFactor : public testing::TestWithParam<std::tuple<int, int, const char*>> {};

// k/(k+1) and k/(k-1) are what another divisor would make, and another learning rate.
TEST_P(OneFactor, BehindAHiddenAccumulatorIsUndecidable) {
  const auto& [k, more, momentum] = GetParam();
  const auto spec = [&k = k, &momentum = momentum](double lr) {
    return fmt::format("multi_steps(sgd({:.17g}{}), k={})", lr, momentum, k);
  };
  const std::string claim = spec(0.5), actual = spec(0.5 * k / (k + more));
  for (const Renamed& hidden : {Renamed{{"state/acc_grads/", ""}, {"state/of[0]/", ""}}, Renamed{{"state/", ""}},
                                Renamed{{"state/", ""}, {"updates/", ""}}}) {
    const TraceJudgement judgement = judged_as(claim, renamed_run(actual, hidden));
    EXPECT_EQ(judgement.causes, Causes{"formula"});
    const Verdict& verdict = verdict_on(judgement, "reduction.mean");
    EXPECT_EQ(verdict.outcome, Outcome::undecidable) << verdict.evidence;
    EXPECT_TRUE(verdict.evidence.find("by one factor: as by another learning rate") != std::string::npos)
        << verdict.evidence;
  }
}

INSTANTIATE_TEST_SUITE_P(OfTheLength, OneFactor,
                         testing::Combine(testing::Values(3, 4, 5), testing::Values(-1, 1),
                                          testing::Values("", ", momentum=0.9")));

/// A running mean that divides by one more than it has taken. Where k is 2, its first number is a k-th as well.
TEST(OneMore, InTheDivisorThatIsShownIsTheFormula) {
  for (int k : {3, 4}) {
    const std::string spec = fmt::format("multi_steps(sgd(0.5), k={})", k);
    DumpedTrace dumped = dumped_run(spec);
    for (const Column& column : dumped.trace.schema().columns())
      for (std::int64_t row = 1; row < dumped.trace.rows(); ++row) {
        const double taken = static_cast<double>((row - 1) % k + 1);
        if (column.path.starts_with("state/acc_grads/") || column.path.starts_with("updates/"))
          for (double& x : numbers_of(dumped, column.path, row)) x = static_cast<float>(x * taken / (taken + 1));
      }
    const TraceJudgement judgement = judged_as(spec, dumped);
    EXPECT_EQ(judgement.causes, Causes{"formula"}) << spec;
    EXPECT_EQ(verdict_on(judgement, "reduction.mean").outcome, Outcome::broken) << spec;
    EXPECT_EQ(verdict_on(judgement, "reduction.mean").causes, Causes{"formula"}) << spec;
  }
}

// Adam's moments of gradients that are divided by four.
TEST(OneMore, ThatTheMomentsShowIsTheFormula) {
  const DumpedTrace dumped = renamed_run("multi_steps(chain(scale(0.75), adam(0.1)), k=3)",
                                         {{"state/acc_grads/", ""}, {"state/of[0]/of[1]/", "state/of[0]/"}});
  const TraceJudgement judgement = judged_as("multi_steps(adam(0.1), k=3)", dumped);
  EXPECT_EQ(judgement.causes, Causes{"formula"});
  EXPECT_EQ(verdict_on(judgement, "reduction.mean").outcome, Outcome::undecidable);
}

/// Each update is added so many times.
DumpedTrace added(const std::string& spec, int times) {
  DumpedTrace dumped = dumped_run(spec);
  for (const char* leaf : {"w", "b", "s"})
    for (std::int64_t row = 1; row < dumped.trace.rows(); ++row) {
      const auto before = numbers_of(dumped, fmt::format("params/{}", leaf), row - 1),
                 after = numbers_of(dumped, fmt::format("params/{}", leaf), row);
      const std::size_t updates = dumped.trace.schema().find_column(fmt::format("updates/{}", leaf)).value();
      std::ranges::copy(before, after.begin());
      for (std::size_t i = 0; i < after.size(); ++i)
        for (int n = 0; n < times && dumped.trace.presence(row, updates) == Presence::dense; ++n)
          after[i] = static_cast<float>(after[i] + dumped.trace.numbers(row, updates)[i]);
    }
  return dumped;
}

TEST(RightUpdates, ThatAreAddedTwiceOrNotAtAllAreNotHandedOn) {
  for (const char* inner : {"sgd(0.1)", "sgd(0.1, momentum=0.9)", "adam(0.1)"})
    for (int k : {2, 3})
      for (int times : {0, 2}) {
        const std::string spec = fmt::format("multi_steps({}, k={})", inner, k);
        const TraceJudgement judgement = judged_as(spec, added(spec, times));
        EXPECT_EQ(judgement.causes, Causes{"api-state"}) << spec << " " << times;
        const Verdict& verdict = verdict_on(judgement, "reduction.large_batch");
        EXPECT_EQ(verdict.outcome, Outcome::broken) << spec << " " << times;
        EXPECT_EQ(verdict.causes, Causes{"api-state"}) << spec << " " << times;
      }
}

// Nothing is known of those, but that the window is reduced right.
TEST(RightUpdates, ThatAreAddedOftenAreNoOtherReduction) {
  for (int times : {3, 4}) {
    const std::string spec = fmt::format("multi_steps(sgd(0.1), k={})", times);
    EXPECT_EQ(judged_as(spec, added(spec, times)).causes, Causes{"formula"}) << times;
  }
}

}  // namespace
}  // namespace microstep
