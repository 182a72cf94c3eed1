// Loops that do otherwise than they claim in one known way: the way is named, and nothing beside it.
#include "trial/renamed_run.hpp"

namespace microstep {
namespace {

using Causes = std::vector<std::string>;

struct Loop {
  const char *name, *claim, *actual;
  Renamed renamed;
  Causes causes;
  std::int64_t windows = 4;
};

class FaultyLoop : public testing::TestWithParam<Loop> {};

TEST_P(FaultyLoop, IsNamed) {
  const Loop& loop = GetParam();
  const TraceJudgement judgement =
      judged_as(loop.claim, renamed_run(loop.actual, loop.renamed, {.windows = loop.windows}));
  EXPECT_EQ(judgement.outcome, Outcome::broken);
  EXPECT_EQ(judgement.causes, loop.causes);
}

TEST_P(FaultyLoop, IsShownAsASpecThatItIsFaithfulTo) {
  const Loop& loop = GetParam();
  const DumpedTrace dumped = renamed_run(loop.actual, {{"state", ""}}, {.windows = loop.windows});
  const TraceJudgement judgement = judged_as(loop.claim, dumped);
  ASSERT_TRUE(judgement.explained_by);
  const Faithfulness faithful = judged_as(to_string(*judgement.explained_by), dumped).faithful;
  EXPECT_GT(faithful.judged, 0);
  EXPECT_EQ(faithful.outside, 0) << to_string(*judgement.explained_by);
}

// A clip in each microstep; the state stands as in the spec that ran, as claimed, or is not shown.
TEST(ShownState, IsSaidWithTheSpecThatExplains) {
  const char *const claim = "multi_steps(chain(clip(0.25), sgd(0.1, momentum=0.9)), k=2)",
                    *const actual = "chain(clip(0.25), multi_steps(sgd(0.1, momentum=0.9), k=2))";
  const Renamed as_claimed = {{"state/of[1]/of[0]/", "state/of[0]/of[1]/"}, {"state/of[1]/", "state/"}};
  for (const auto& [paths, state] : {std::pair{Renamed{}, ShownState::kept},
                                     {as_claimed, ShownState::renamed},
                                     {Renamed{{"state", ""}}, ShownState::left_out}}) {
    const DumpedTrace dumped = renamed_run(actual, paths);
    const TraceJudgement judgement = judged_as(claim, dumped);
    ASSERT_TRUE(judgement.explained_by);
    EXPECT_EQ(to_string(*judgement.explained_by), actual);
    EXPECT_EQ(judgement.explained_state, state);
    if (state == ShownState::kept) {
      EXPECT_EQ(judged_as(actual, dumped).faithful.outcome, Outcome::holds);
    }
  }
}

// What the other spec does not keep is left out too.
TEST(ShownState, IsLeftOutWhereTheSpecHasLess) {
  const PlanOptions ragged{.windows = 4, .ragged = true};
  const DumpedTrace other =
      renamed_run("multi_steps(sgd(0.1), k=2)", {{"state/acc_grads/", "state/of[9]/acc/"}}, ragged);
  const TraceJudgement less = judged_as("multi_steps(sgd(0.1), k=2, reduce=weighted)", other);
  ASSERT_TRUE(less.explained_by);
  EXPECT_EQ(less.explained_state, ShownState::left_out);
}

// Behind a clip nothing depends on where a link without state stands: it is left where it was.
TEST(Explained, ByWhatMovesTheLeast) {
  const TraceJudgement judgement = judged_as("multi_steps(chain(clip(0.25), sgd(0.1)), k=2)",
                                             dumped_run("chain(clip(0.25), multi_steps(sgd(0.1), k=2))"));
  ASSERT_TRUE(judgement.explained_by);
  EXPECT_EQ(to_string(*judgement.explained_by), "chain(clip(0.25), multi_steps(sgd(0.1), k=2))");
}

void PrintTo(const Loop& loop, std::ostream* out) { *out << loop.name; }

auto named = [](const auto& info) { return std::string(info.param.name); };

// The claim's accumulator is the whole spec, the loop's the second link.
const Renamed first_of_two{{"state/of[1]/", "state/"}};
const Renamed second_of_two{{"state/of[1]/of[0]/", "state/of[0]/of[1]/"}, {"state/of[1]/", "state/"}};

INSTANTIATE_TEST_SUITE_P(
    UnderAMask, FaultyLoop,
    testing::Values(Loop{"state",
                         "multi_steps(masked(adam(0.1), mask=[w]), k=2)",
                         "chain(masked(adam(0.1), mask=[w]), multi_steps(chain(), k=2))",
                         first_of_two,
                         {"micro-state"},
                         12},
                    Loop{"clip_and_state",
                         "multi_steps(masked(chain(clip(0.25), adam(0.1)), mask=[w]), k=2)",
                         "chain(masked(chain(clip(0.25), adam(0.1)), mask=[w]), multi_steps(chain(), k=2))",
                         first_of_two,
                         {"clip-place", "micro-state"}},
                    Loop{"clip_of_a_masked_chain",
                         "multi_steps(masked(chain(clip(0.25), scale(-0.1)), mask=[w]), k=2)",
                         "chain(masked(clip(0.25), mask=[w]), multi_steps(masked(scale(-0.1), mask=[w]), k=2))",
                         first_of_two,
                         {"clip-place"}},
                    Loop{"clip_before_what_is_not_masked",
                         "multi_steps(chain(masked(clip(0.25), mask=[w]), adam(0.1)), k=2)",
                         "chain(masked(clip(0.25), mask=[w]), multi_steps(adam(0.1), k=2))",
                         second_of_two,
                         {"clip-place"}},
                    Loop{"clip_in_the_middle",
                         "multi_steps(chain(scale(2), clip(0.25), scale(-1)), k=2)",
                         "chain(scale(2), clip(0.25), multi_steps(scale(-1), k=2))",
                         {{"state/of[2]/", "state/"}},
                         {"clip-place"}},
                    Loop{"around_the_accumulator",
                         "masked(multi_steps(chain(clip(0.25), sgd(0.1, momentum=0.9)), k=2), mask=[w])",
                         "masked(chain(clip(0.25), sgd(0.1, momentum=0.9), multi_steps(chain(), k=2)), mask=[w])",
                         {{"state/of[0]/of[1]/", "state/of[0]/of[0]/of[1]/"}, {"state/of[0]/of[2]/", "state/of[0]/"}},
                         {"clip-place", "micro-state"}}),
    named);

// Where both accumulators have the fault, or one of them.
#define IN_GROUPS(w, rest) "chain(masked(" w ", mask=[w]), masked(" rest ", mask=[b, s]))"
const char* const groups = IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=2)", "multi_steps(adam(0.1), k=2)");

INSTANTIATE_TEST_SUITE_P(
    InMaskedGroups, FaultyLoop,
    testing::Values(
        Loop{"sum_in_both",
             groups,
             IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=2, reduce=sum)",
                       "multi_steps(adam(0.1), k=2, reduce=sum)"),
             {},
             {"sum-mean"}},
        Loop{"sum_in_the_first",
             groups,
             IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=2, reduce=sum)", "multi_steps(adam(0.1), k=2)"),
             {},
             {"sum-mean"}},
        Loop{"twice_as_long",
             groups,
             IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=4)", "multi_steps(adam(0.1), k=4)"),
             {},
             {"boundary"}},
        Loop{"awake_in_both",
             groups,
             IN_GROUPS("chain(sgd(0.1, momentum=0.9), multi_steps(chain(), k=2))",
                       "chain(adam(0.1), multi_steps(chain(), k=2))"),
             {{"state/of[0]/of[0]/of[0]/", "state/of[0]/of[0]/of[0]/"},
              {"state/of[0]/of[0]/of[1]/", "state/of[0]/of[0]/"},
              {"state/of[1]/of[0]/of[1]/", "state/of[1]/of[0]/"}},
             {"micro-state"}},
        Loop{"awake_in_the_second",
             groups,
             IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=2)", "chain(adam(0.1), multi_steps(chain(), k=2))"),
             {{"state/of[1]/of[0]/of[1]/", "state/of[1]/of[0]/"}},
             {"micro-state"}}),
    named);

const Renamed step_by_step{{"state/of[1]/count", "state/of[0]/schedule_count"},
                           {"state/of[0]/of[0]/", "state/of[0]/"},
                           {"state/of[0]/", "state/"}};
#define SCHEDULE "[[0, 0.1], [2, 0.05], [5, 0.01]]"

INSTANTIATE_TEST_SUITE_P(
    OfSchedules, FaultyLoop,
    testing::Values(Loop{"adam",
                         "multi_steps(adam(" SCHEDULE "), k=2)",
                         "chain(multi_steps(adam(1), k=2), scale_by_schedule(" SCHEDULE "))",
                         step_by_step,
                         {"schedule-count"},
                         10},
                    Loop{"adam_whose_count_is_right",
                         "multi_steps(adam(" SCHEDULE "), k=2)",
                         "chain(multi_steps(adam(1), k=2), scale_by_schedule(" SCHEDULE "))",
                         {{"state/of[1]/", ""}, {"state/of[0]/of[0]/", "state/of[0]/"}, {"state/of[0]/", "state/"}},
                         {"schedule-count"},
                         10},
                    Loop{"adam_read_behind_the_count",
                         "multi_steps(adam([[0, 0.1], [2, 0.05], [6, 0.01]]), k=2)",
                         "chain(multi_steps(adam(1), k=2), scale_by_schedule([[0, 0.1], [1, 0.05], [5, 0.01]]))",
                         step_by_step,
                         {"schedule-count"}},
                    Loop{"sgd",
                         "multi_steps(sgd(" SCHEDULE "), k=3)",
                         "chain(multi_steps(sgd(1), k=3), scale_by_schedule(" SCHEDULE "))",
                         {{"state/of[1]/count", "state/of[0]/count"}, {"state/of[0]/", "state/"}},
                         {"schedule-count"}},
                    Loop{"momentum",
                         "multi_steps(sgd(" SCHEDULE ", momentum=0.9), k=2)",
                         "chain(multi_steps(sgd(1, momentum=0.9), k=2), scale_by_schedule(" SCHEDULE "))",
                         {{"state/of[1]/count", "state/of[0]/count"},
                          {"state/of[0]/of[0]/", "state/of[0]/"},
                          {"state/of[0]/", "state/"}},
                         {"schedule-count"}},
                    Loop{"with_the_moments",
                         "multi_steps(adam(" SCHEDULE "), k=2)",
                         "chain(adam(" SCHEDULE "), multi_steps(chain(), k=2))",
                         first_of_two,
                         {"micro-state"}},
                    Loop{"of_windows_with_moments_of_microsteps",
                         "multi_steps(adam([[0, 0.1], [2, 0.05]]), k=2)",
                         "chain(adam([[0, 0.1], [4, 0.05]]), multi_steps(chain(), k=2))",
                         first_of_two,
                         {"micro-state"}}),
    named);

const Renamed parts{{"state/of[0]/of[0]/", "state/of[0]/"}, {"state/of[0]/", "state/"}};

INSTANTIATE_TEST_SUITE_P(
    OfDecay, FaultyLoop,
    testing::Values(Loop{"k_times_at_the_end",
                         "multi_steps(adamw(0.1, weight_decay=0.01), k=3)",
                         "multi_steps(adamw(0.1, weight_decay=0.03), k=3)",
                         {},
                         {"decay-form"}},
                    Loop{"k_times_in_a_chain",
                         "multi_steps(chain(scale_by_adam(), add_decayed_weights(0.01), scale(-0.1)), k=3)",
                         "multi_steps(chain(scale_by_adam(), add_decayed_weights(0.03), scale(-0.1)), k=3)",
                         {},
                         {"decay-form"}},
                    Loop{"in_each_microstep",
                         "multi_steps(adamw(0.1, weight_decay=0.01), k=2)",
                         "chain(multi_steps(scale_by_adam(), k=2), add_decayed_weights(0.01), scale(-0.1))",
                         parts,
                         {"decay-form"},
                         12},
                    Loop{"in_each_microstep_on_some_leaves",
                         "multi_steps(adamw(0.1, weight_decay=0.01, mask=[w]), k=2)",
                         "chain(multi_steps(scale_by_adam(), k=2), add_decayed_weights(0.01, mask=[w]), scale(-0.1))",
                         parts,
                         {"decay-form"}},
                    Loop{"in_each_microstep_at_the_rate_of_its_window",
                         "multi_steps(adamw([[0, 0.1], [2, 0.05]], weight_decay=0.01), k=2)",
                         "chain(multi_steps(scale_by_adam(), k=2), add_decayed_weights(0.01), "
                         "scale_by_schedule([[0, -0.1], [4, -0.05]]))",
                         {{"state/of[2]/", ""}, {"state/of[0]/of[0]/", "state/of[0]/"}, {"state/of[0]/", "state/"}},
                         {"decay-form"}},
                    Loop{"of_sgd_in_each_microstep",
                         "multi_steps(chain(add_decayed_weights(0.01), sgd(0.1)), k=3)",
                         "chain(multi_steps(chain(), k=3), add_decayed_weights(0.01), sgd(0.1))",
                         {{"state/of[0]/", "state/"}},
                         {"decay-form"}}),
    named);

}  // namespace
}  // namespace microstep
