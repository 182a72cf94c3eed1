// Are two plans the same computation? Same, different and undecidable on small cases.
#include "bound/plans.hpp"

namespace microstep::testing_bound {
namespace {

using Names = std::vector<std::string>;

TEST(Decide, MultiStepsIsTheLargeBatch) {
  for (const char* spec : {"multi_steps(adam(0.1), k=4)", "multi_steps(sgd(0.1, momentum=0.9), k=3)",
                           "multi_steps(adamw(0.1, weight_decay=0.3), k=2)", "chain(apply_every(1), adam(0.1))",
                           "multi_steps(multi_steps(adam(0.1), k=2), k=3)"}) {
    for (const char* problem : {"mlp(3, 5, 2)", "replay", "logistic_regression(4, 3)"}) {
      const Semantics s = against(plan_of(spec, problem));
      EXPECT_EQ(s.verdict, Sameness::same) << spec << " " << problem << " " << s.reason;
      EXPECT_EQ(s.windows, 3);
      EXPECT_TRUE(s.differences.empty());
    }
  }
}

TEST(Decide, SixtyWindowsOfAdamOnAnMlpStayNarrow) {
  const Semantics s = against(plan_of("multi_steps(adam(0.1), k=4)", "mlp(3, 5, 2)", {.windows = 60}));
  EXPECT_EQ(s.verdict, Sameness::same) << s.reason;
  EXPECT_EQ(s.windows, 60);
  EXPECT_GT(s.widest, 0);
  EXPECT_LE(s.widest, undecidable_width);
  std::printf("widest ball of 60 windows: %.2e\n", s.widest);
  RecordProperty("widest", testing::PrintToString(s.widest));
}

TEST(Decide, DyadicProbesHaveNoRadiusAtAll) {
  const Semantics s = against(replay_of("multi_steps(sgd(0.5, momentum=0.5), k=3)", {6, 12, 3, 0, -9, 6}));
  EXPECT_EQ(s.verdict, Sameness::same);
  EXPECT_EQ(s.widest, 0);
}

TEST(Decide, AdamBehindApplyEveryDiffersInItsCountFirst) {
  const Semantics s = against(replay_of("chain(adam(0.1), apply_every(2))", {2, 4, 1, 3}, Dtype::float32, 1));
  EXPECT_EQ(s.verdict, Sameness::different);
  EXPECT_EQ(s.windows, 1);
  EXPECT_EQ(paths(s), (Names{"state/of[0]/count", "state/of[0]/mu/w", "state/of[0]/nu/w", "updates/w", "params/w"}));
  const Difference& first = s.differences.front();
  EXPECT_TRUE(first.is_count);
  EXPECT_EQ(static_cast<double>(first.accumulated.value), 2);
  EXPECT_EQ(static_cast<double>(first.reference.value), 1);
  EXPECT_EQ(first.window, 1);
  EXPECT_EQ(first.microstep, 2);
}

TEST(Decide, ASumUnderAdamDiffersInTheStateThoughNotMuchInTheParams) {
  const Semantics s = against(replay_of("multi_steps(adam(0.1, eps=0), k=2, reduce=sum)", {2, 4}));
  EXPECT_EQ(s.verdict, Sameness::different);
  EXPECT_EQ(paths(s), (Names{"state/of[0]/mu/w", "state/of[0]/nu/w"}));
  // mu .1 * 6 against .1 * 3, on the grid of float32.
  EXPECT_EQ(ulps(s.differences[0]), 0x1p23);
}

TEST(Decide, TheSumOfASumLossIsItsLargeBatch) {
  EXPECT_EQ(against(plan_of("multi_steps(sgd(0.1), k=3, reduce=sum)", "mlp(3, 5, 2)", {.loss = Loss::sum})).verdict,
            Sameness::same);
  EXPECT_EQ(against(plan_of("multi_steps(sgd(0.1), k=3, reduce=sum)", "mlp(3, 5, 2)")).verdict, Sameness::different);
  EXPECT_EQ(against(plan_of("chain(sgd(0.1), apply_every(3))", "mlp(3, 5, 2)", {.loss = Loss::sum})).verdict,
            Sameness::same);
}

TEST(Decide, RaggedMicrobatchesNeedTheWeightedMean) {
  const PlanOptions ragged{.ragged = true};
  EXPECT_EQ(against(plan_of("multi_steps(adam(0.1), k=2)", "mlp(3, 5, 2)", ragged)).verdict, Sameness::different);
  EXPECT_EQ(against(plan_of("multi_steps(adam(0.1), k=2, reduce=weighted)", "mlp(3, 5, 2)", ragged)).verdict,
            Sameness::same);
  EXPECT_EQ(against(plan_of("multi_steps(multi_steps(adam(0.1), k=3, reduce=weighted), k=3, reduce=weighted)",
                            "mlp(3, 5, 2)", ragged))
                .verdict,
            Sameness::same);
}

TEST(Decide, OneUnitInTheLastPlaceIsDifferent) {
  const Semantics s = against(replay_of("multi_steps(scale(-1), k=2)", {2, 4}), "scale(-1.0000000000000002)");
  EXPECT_EQ(s.verdict, Sameness::different);
  EXPECT_EQ(paths(s), (Names{"updates/w", "params/w"}));
  EXPECT_EQ(s.differences[0].index, 0);
}

TEST(Decide, ADifferenceInALaterWindowNamesIt) {
  const Plan plan = replay_of("multi_steps(sgd([[0, 1], [2, 0.5]]), k=2)", {2, 4, 1, 3, 5, 7, 2, 2});
  const Semantics s = against(plan, "sgd([[0, 1], [3, 0.5]])");
  EXPECT_EQ(s.verdict, Sameness::different);
  EXPECT_EQ(s.windows, 3);
  EXPECT_EQ(s.differences[0].window, 3);
  EXPECT_EQ(s.differences[0].microstep, 6);
}

TEST(Decide, NamesNodesWithoutCounterpart) {
  const Plan plan = replay_of("multi_steps(chain(trace(0.5), ema(0.5)), k=2)", {2, 4});
  EXPECT_EQ(against(plan, "trace(0.5)").unpaired, Names{"state/of[0]/of[1]"});
  EXPECT_EQ(against(replay_of("multi_steps(scale(-1), k=2)", {2, 4}), "chain(scale(-1), trace(0))").unpaired,
            Names{"reference state/of[1]"});
}

TEST(Decide, RefusesOtherNumbersOfWindows) {
  const Plan plan = replay_of("multi_steps(sgd(1), k=2)", {2, 4, 1, 3});
  const Plan reference = large_batch_of(plan);
  try {
    decide({plan, reference, {{0, 1}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "plan.windows");
  }
}

TEST(Decide, AFlushedWindowIsComparedToo) {
  for (const char* policy : {"flush", "flush_by_k"}) {
    const std::string spec = std::string("multi_steps(sgd(1), k=3, partial=") + policy + ")";
    const Semantics s = against(replay_of(spec, {2, 8, 32, 3, 5}));
    EXPECT_EQ(s.windows, 2);
    EXPECT_EQ(s.verdict, policy == std::string("flush") ? Sameness::same : Sameness::different);
  }
}

}  // namespace
}  // namespace microstep::testing_bound
