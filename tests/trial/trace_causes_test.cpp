// Our own run of one spec, dumped as that of another: the cause is what the two differ in.
#include <gtest/gtest.h>

#include <algorithm>

#include "microstep/json/trace.hpp"
#include "microstep/train/run.hpp"
#include "microstep/train/setup.hpp"
#include "microstep/trial/compare.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {
namespace {

using Causes = std::vector<std::string>;

struct Case {
  const char *name, *claim, *actual;
  Causes causes;
  bool is_explained = true;
  PlanOptions options = {};
};

TraceJudgement judged(const Case& c) {
  const Plan plan = make_plan(parse_spec(c.actual), parse_spec("replay", OpKind::problem), c.options);
  DumpedTrace dumped;
  dumped.spec = c.claim;
  dumped.trace = run(plan);
  // In bfloat16 the balls of Adam are infinitely wide where it is not told.
  if (c.options.dtype == Dtype::bfloat16) dumped.hyper_precision = plan.hyper_precision;
  for (const auto& batch : plan.batches) {
    double weight = 0;
    for (std::int64_t i : batch) weight += plan.given[static_cast<std::size_t>(i)].weight;
    dumped.weights.push_back(weight);
  }
  return judge_trace(encode_dumped_trace(dumped), "run", std::nullopt);
}

class OtherSpec : public testing::TestWithParam<Case> {};

const char* const adam = "multi_steps(adam(0.1), k=2)";
const PlanOptions ragged{.windows = 4, .ragged = true};
const PlanOptions partial{.windows = 4, .partial = 1};
const PlanOptions in_float64{.windows = 4, .dtype = Dtype::float64};

INSTANTIATE_TEST_SUITE_P(
    Claimed, OtherSpec,
    testing::Values(
        Case{"sum_for_mean", adam, "multi_steps(adam(0.1), k=2, reduce=sum)", {"sum-mean"}},
        Case{"mean_for_sum", "multi_steps(sgd(0.1), k=3, reduce=sum)", "multi_steps(sgd(0.1), k=3)", {"sum-mean"}},
        Case{"mean_of_means",
             "multi_steps(sgd(0.1), k=3, reduce=weighted)",
             "multi_steps(sgd(0.1), k=3)",
             {"token-weight"},
             true,
             ragged},
        Case{"window_too_short", "multi_steps(adam(0.1), k=3)", adam, {"boundary"}},
        Case{"window_too_long", adam, "multi_steps(adam(0.1), k=3)", {"boundary"}},
        Case{"divided_by_k",
             "multi_steps(sgd(0.1), k=3, partial=flush)",
             "multi_steps(sgd(0.1), k=3, partial=flush_by_k)",
             {"partial-window"},
             true,
             partial},
        Case{"narrow_accumulator",
             "multi_steps(sgd(0.1), k=3)",
             "multi_steps(sgd(0.1), k=3, acc_dtype=float32)",
             {"dtype"},
             true,
             in_float64},
        Case{"twice_as_long", adam, "multi_steps(adam(0.1), k=4)", {"boundary"}},
        Case{"much_longer", "multi_steps(sgd(0.1), k=2)", "multi_steps(sgd(0.1), k=7)", {"boundary"}},
        Case{"four_times_as_long", "multi_steps(sgd(0.1), k=3)", "multi_steps(sgd(0.1), k=12)", {"boundary"}},
        Case{"a_third", "multi_steps(sgd(0.1), k=30)", "multi_steps(sgd(0.1), k=10)", {"boundary"}},
        Case{"no_clip",
             "multi_steps(chain(clip_by_global_norm(0.5), sgd(0.1)), k=2)",
             "multi_steps(chain(clip_by_global_norm(99), sgd(0.1)), k=2)",
             {"formula"},
             false},
        Case{"clip_of_numbers",
             "multi_steps(chain(clip_by_global_norm(0.5), sgd(0.1)), k=2)",
             "multi_steps(chain(clip(0.25), sgd(0.1)), k=2)",
             {"formula"},
             false},
        Case{"clip_in_each_leaf",
             "multi_steps(chain(clip_by_global_norm(0.25), sgd(0.1)), k=2)",
             "multi_steps(chain(masked(clip_by_global_norm(0.25), mask=[w]), masked(clip_by_global_norm(0.25), "
             "mask=[b]), masked(clip_by_global_norm(0.25), mask=[s]), sgd(0.1)), k=2)",
             {"formula"},
             false},
        Case{"inner_awake", adam, "chain(adam(0.1), multi_steps(chain(), k=2))", {"micro-state", "api-state"}},
        Case{"inner_awake_and_sum", adam, "chain(adam(0.1), apply_every(2))", {"micro-state", "sum-mean", "api-state"}},
        Case{"clip_outside",
             "multi_steps(chain(clip(0.25), adam(0.1)), k=2)",
             "chain(clip(0.25), multi_steps(adam(0.1), k=2))",
             {"clip-place", "api-state"}},
        Case{"schedule_outside",
             "multi_steps(chain(sgd(1), scale_by_schedule([[0, 1], [2, 0.5]])), k=2)",
             "chain(multi_steps(sgd(1), k=2), scale_by_schedule([[0, 1], [2, 0.5]]))",
             {"schedule-count", "api-state"}},
        Case{"mean_for_apply_every",
             "chain(apply_every(3), scale(-0.1))",
             "chain(multi_steps(chain(), k=3), scale(-0.1))",
             {"sum-mean", "api-state"}},
        Case{"decay_in_the_moments",
             "multi_steps(adamw(0.1, weight_decay=0.3), k=2)",
             "multi_steps(chain(add_decayed_weights(0.3), adam(0.1)), k=2)",
             {"decay-form", "api-state"}},
        Case{"other_lr", "multi_steps(adam(0.2), k=2)", adam, {"formula"}, false},
        Case{"other_b1", "multi_steps(adam(0.1, b1=0.8), k=2)", adam, {"formula"}, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(OtherSpec, IsTheCause) {
  const TraceJudgement judgement = judged(GetParam());
  EXPECT_EQ(judgement.outcome, Outcome::broken);
  EXPECT_EQ(judgement.causes, GetParam().causes);
  EXPECT_EQ(judgement.explained_by.has_value(), GetParam().is_explained);
}

TEST(Explained, ByTheSpecThatRan) {
  const TraceJudgement judgement = judged({"", adam, "multi_steps(adam(0.1), k=2, reduce=sum)", {}});
  ASSERT_TRUE(judgement.explained_by);
  EXPECT_EQ(to_string(*judgement.explained_by), "multi_steps(adam(0.1), k=2, reduce=sum)");
}

// Every number is in its ball: a wider accumulator rounds less. Only its dtype is another.
TEST(Explained, ByTheDtypeThatAnAccumulatorHas) {
  const char* const wider = "multi_steps(adam(0.1), k=2, acc_dtype=float32)";
  const TraceJudgement judgement = judged({"", adam, wider, {}, true, {.windows = 4, .dtype = Dtype::bfloat16}});
  EXPECT_FALSE(judgement.faithful.first);
  EXPECT_EQ(judgement.causes, Causes{"dtype"});
  ASSERT_TRUE(judgement.explained_by);
  EXPECT_EQ(to_string(*judgement.explained_by), wider);
  EXPECT_EQ(judgement.explained_state, ShownState::kept);
}

TEST(Causes, OfAFaithfulTraceAreThoseOfItsSpec) {
  for (const char* spec : {"chain(adam(0.1), apply_every(2))", "multi_steps(adam(0.1), k=3, reduce=sum)"}) {
    const TraceJudgement judgement = judged({"", spec, spec, {}});
    EXPECT_EQ(judgement.faithful.outcome, Outcome::holds);
    EXPECT_EQ(judgement.outcome, Outcome::broken);
    CompareRequest request;
    request.spec = parse_spec(spec);
    request.problem = parse_spec("replay", OpKind::problem);
    EXPECT_EQ(judgement.causes, compare(request).causes) << spec;
    EXPECT_FALSE(judgement.explained_by);
  }
}

TEST(Causes, AreNoneWhereNothingIsBroken) { EXPECT_EQ(judged({"", adam, adam, {}}).causes, Causes{}); }

}  // namespace
}  // namespace microstep
