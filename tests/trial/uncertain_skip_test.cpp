// A norm that roundings of the dtype put on either side of the threshold: the trace says on which side its loop saw it.
#include <fmt/format.h>

#include <regex>

#include "bound/plans.hpp"
#include "microstep/judge/contract.hpp"
#include "trial/renamed_run.hpp"

namespace microstep {
namespace {

// The second has the norm 1 but for roundings, the fifth is too large in any of them.
DumpedTrace run_below(const std::string& spec, const char* max_norm, std::size_t microsteps = 7) {
  const float x = .6F, y = .8F;
  std::vector<std::vector<double>> gradients = {{.25, .5}, {x, y}, {.5, .25}, {.125, .5}, {3, 4}, {.5, .5}, {.25, 0}};
  gradients.resize(microsteps);
  const Plan plan = testing_bound::two_elements(fmt::format(fmt::runtime(spec), max_norm), gradients);
  DumpedTrace dumped;
  dumped.trace = run(plan);
  dumped.weights.assign(plan.batches.size(), 1);
  return dumped;
}

TraceJudgement judged_at_one(const std::string& spec, const DumpedTrace& dumped) {
  return judged_as(fmt::format(fmt::runtime(spec), "1"), dumped);
}

TEST(UncertainSkip, IsTakenFromTheCountsThatTheTraceShows) {
  for (const char* spec : {"multi_steps(sgd(0.5), k=1, skip=large({}))", "multi_steps(sgd(0.5), k=2, skip=large({}))",
                           "multi_steps(adam(0.5), k=3, skip=large({}), partial=flush)",
                           "multi_steps(sgd(0.5), k=4, skip=large({}), partial=drop)",
                           "chain(scale(1), multi_steps(sgd(0.5), k=2, skip=large({})))",
                           "masked(multi_steps(sgd(0.5), k=[[0, 1], [2, 2]], skip=large({})), mask=[w])",
                           "multi_steps(multi_steps(sgd(0.5), k=2, skip=large({})), k=1)"})
    for (const char* seen_at : {"0.999", "1.001"}) {
      const TraceJudgement judgement = judged_at_one(spec, run_below(spec, seen_at));
      EXPECT_EQ(judgement.outcome, Outcome::holds) << spec << seen_at << judgement.faithful.reason;
      EXPECT_EQ(verdict_on(judgement, "reduction.large_batch").outcome, Outcome::holds) << spec << seen_at;
    }
}

// The window comes out at the end of the run with the second gradient or without it, and the counts move alike.
TEST(UncertainSkip, IsUndecidableWhereTheLastOneLetsAWindowOut) {
  const std::string spec = "multi_steps(sgd(0.5), k=3, skip=large({}), partial=flush)";
  for (const char* seen_at : {"0.999", "1.001"})
    EXPECT_EQ(judged_at_one(spec, run_below(spec, seen_at, 2)).outcome, Outcome::undecidable) << seen_at;
}

// The fifth gradient is left out by every rounding.
TEST(UncertainSkip, IsNotTakenFromThemWhereItIsCertain) {
  const std::string spec = "multi_steps(sgd(0.5), k=2, skip=large({}))";
  EXPECT_EQ(judged_at_one(spec, run_below(spec, "100")).outcome, Outcome::broken);
}

TEST(UncertainSkip, IsUndecidableWhereTheTraceHidesTheCounts) {
  const std::string spec = "multi_steps(sgd(0.5), k=2, skip=large(1))";
  const std::string text = encode_dumped_trace(run_below(spec, ""));
  const std::string hidden = std::regex_replace(text, std::regex(R"x("counts": ?\{"mini[^}]*\}, ?)x"), "");
  ASSERT_NE(text, hidden);
  const TraceJudgement judgement = judge_trace(hidden, "run", parse_spec(spec));
  EXPECT_EQ(judgement.outcome, Outcome::undecidable);
  EXPECT_EQ(judgement.faithful.reason,
            "it is not certain in the declared dtype whether a microbatch is skipped for its norm, and the trace does "
            "not tell; record mini_step and gradient_step of the accumulator after every microstep");
  ASSERT_EQ(judgement.contracts.size(), contracts().size());
  EXPECT_EQ(verdict_on(judgement, "reduction.large_batch").outcome, Outcome::undecidable);
  EXPECT_EQ(verdict_on(judgement, "state.resume").outcome, Outcome::not_applicable);
}

}  // namespace
}  // namespace microstep
