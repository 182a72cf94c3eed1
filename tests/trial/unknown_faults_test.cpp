// Faults that are none of the known ones: no known one is named.
#include <limits>

#include "trial/renamed_run.hpp"

namespace microstep {
namespace {

using Causes = std::vector<std::string>;
const double nan = std::numeric_limits<double>::quiet_NaN();
const char* const adam = "multi_steps(adam(0.1), k=2)";

struct Other {
  const char *claim, *actual;
  Renamed renamed = {};
};

class OtherHyper : public testing::TestWithParam<Other> {};

TEST_P(OtherHyper, IsTheFormula) {
  const TraceJudgement judgement = judged_as(GetParam().claim, renamed_run(GetParam().actual, GetParam().renamed));
  EXPECT_EQ(judgement.faithful.outcome, Outcome::broken);
  EXPECT_EQ(judgement.causes, Causes{"formula"});
  EXPECT_NE(verdict_on(judgement, "reduction.mean").outcome, Outcome::broken)
      << verdict_on(judgement, "reduction.mean").evidence;
}

// 1 - 0.99 is a tenth of 1 - 0.9, as the first correction 1 - 0.9 is of 1; 1 - 0 is ten times as much.
INSTANTIATE_TEST_SUITE_P(OfTheMoments, OtherHyper,
                         testing::Values(Other{adam, "multi_steps(adam(0.1, b1=0.999, b2=0.9), k=2)"},
                                         Other{adam, "multi_steps(adam(0.1, b1=0.99), k=2)"},
                                         Other{adam, "multi_steps(adam(0.1, b1=0), k=2)"},
                                         Other{adam, "multi_steps(adam(0.1, b1=0.5), k=2)"},
                                         Other{adam, "multi_steps(adam(0.1, b2=0.9), k=2)"},
                                         Other{adam, "multi_steps(adam(0.1, b2=0.9999), k=2)"}));

// Of a leaf with one number nearly any ratio is that of some gradients; not so in each leaf and window.
TEST(SwappedDecays, AreTheFormulaInLeavesOfOneNumberToo) {
  const Spec problem = parse_spec("linear_regression(features=1, targets=1)", OpKind::problem);
  for (const char* k : {"2", "3", "4", "10"})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const std::string actual = std::string("multi_steps(adam(0.1, b1=0.999, b2=0.9), k=") + k + ")";
      DumpedTrace dumped;
      dumped.trace = run(make_plan(parse_spec(actual), problem, {.windows = 4, .seed = seed}));
      const TraceJudgement judgement = judged_as(std::string("multi_steps(adam(0.1), k=") + k + ")", dumped);
      EXPECT_EQ(judgement.causes, Causes{"formula"}) << k << " " << seed;
    }
}

// Adam makes the same of k times the gradients: a factor of its updates is none of theirs. 10 and the root of 0.1 are
// its first corrections.
const Renamed without_state{{"state", ""}};
const char* const by_three = "multi_steps(chain(scale_by_adam(), scale(-0.1)), k=3)";
INSTANTIATE_TEST_SUITE_P(
    OfTheStep, OtherHyper,
    testing::Values(Other{adam, "multi_steps(adam(0.2), k=2)", without_state},
                    Other{adam, "multi_steps(adam(0.05), k=2)", without_state},
                    Other{adam, "multi_steps(adam(0.4), k=2)", without_state},
                    Other{by_three, "multi_steps(chain(scale_by_adam(), scale(-0.3)), k=3)", without_state},
                    Other{by_three, "multi_steps(chain(scale_by_adam(), scale(-0.2)), k=3)", without_state},
                    Other{adam, "multi_steps(adam(0.2), k=2)"}, Other{adam, "multi_steps(adam(1), k=2)"},
                    Other{adam, "multi_steps(adam(0.01), k=2)"}));

const char* const adamw = "multi_steps(adamw(0.1, weight_decay=0.01), k=3)";
INSTANTIATE_TEST_SUITE_P(OfTheDecay, OtherHyper,
                         testing::Values(Other{adamw, "multi_steps(adamw(0.1, weight_decay=0.013), k=3)"},
                                         Other{adamw, "multi_steps(adamw(0.1, weight_decay=0.005), k=3)"}));

INSTANTIATE_TEST_SUITE_P(BehindAClip, OtherHyper,
                         testing::Values(Other{"multi_steps(chain(clip(0.25), adam(0.1)), k=2)",
                                               "multi_steps(chain(clip(0.25), adam(0.17)), k=2)"},
                                         Other{"multi_steps(chain(clip_by_global_norm(1), sgd(0.1)), k=2)",
                                               "multi_steps(chain(clip_by_global_norm(1), sgd(0.17)), k=2)"},
                                         Other{"multi_steps(chain(clip(0.25), sgd(0.1, momentum=0.9)), k=2)",
                                               "multi_steps(chain(clip(0.25), sgd(0.1, momentum=0.5)), k=2)"},
                                         Other{"multi_steps(chain(clip(0.25), adam(0.1)), k=2)",
                                               "multi_steps(chain(clip(0.25), adam(0.1, b1=0.8)), k=2)", without_state},
                                         Other{"multi_steps(chain(clip(99), trace(0.9)), k=2)",
                                               "multi_steps(chain(clip(99), trace(0.8)), k=2)"}));

#define IN_GROUPS(w, rest) "chain(masked(" w ", mask=[w]), masked(" rest ", mask=[b, s]))"
const char* const groups = IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=2)", "multi_steps(adam(0.1), k=2)");

INSTANTIATE_TEST_SUITE_P(
    InMaskedGroups, OtherHyper,
    testing::Values(
        Other{groups, IN_GROUPS("multi_steps(sgd(0.17, momentum=0.9), k=2)", "multi_steps(adam(0.1), k=2)")},
        Other{groups, IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=2)", "multi_steps(adam(0.17), k=2)")},
        Other{groups, IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=2)", "multi_steps(adam(0.1, b1=0.7), k=2)")}));

// What stays at its first value is read one late, or stretched, in the second window, and in the third it is not.
const char* const falling = "multi_steps(adam([[0, 0.1], [1, 0.07], [2, 0.05]]), k=2)";
INSTANTIATE_TEST_SUITE_P(OfTheSchedule, OtherHyper,
                         testing::Values(Other{falling, "multi_steps(adam([[0, 0.1], [9, 0.05]]), k=2)"},
                                         Other{falling, "multi_steps(adam([[0, 0.1], [1, 0.09], [2, 0.08]]), k=2)"}));

// Windows of other lengths: what the spec itself breaks says nothing of the trace.
const char* const uneven = IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=2)", "multi_steps(adam(0.1), k=3)");
INSTANTIATE_TEST_SUITE_P(
    InUnevenGroups, OtherHyper,
    testing::Values(
        Other{uneven, IN_GROUPS("multi_steps(sgd(0.17, momentum=0.9), k=2)", "multi_steps(adam(0.1), k=3)")},
        Other{uneven, IN_GROUPS("multi_steps(sgd(0.17, momentum=0.9), k=2)", "multi_steps(adam(0.1), k=3)"),
              without_state},
        Other{uneven, IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=2)", "multi_steps(adam(0.3), k=3)")},
        Other{uneven, IN_GROUPS("multi_steps(sgd(0.1, momentum=0.9), k=2)", "multi_steps(adam(0.1, b1=0.8), k=3)"),
              without_state}));

DumpedTrace with_number(const char* spec, const char* path, std::int64_t row, double number) {
  DumpedTrace dumped = dumped_run(spec);
  dumped.trace.presence(row, dumped.trace.schema().find_column(path).value()) = Presence::dense;
  numbers_of(dumped, path, row)[0] = number;
  return dumped;
}

// No gradient is other than finite, so that it is none's skip; a division by a correction of 0 would leave no number of
// the update. What is seen is that it is not finite: of where it comes from nothing is known.
// In one row, as if the step had been another; all that follows goes on from what is recorded.
TEST(OneWrongNumber, OfAStateIsNoStateThatMovesInEachMicrostep) {
  for (const char* path : {"state/of[0]/mu/w", "state/of[0]/nu/w"})
    for (std::int64_t row : {2, 4})
      EXPECT_EQ(judged_as(adam, with_number(adam, path, row, 3)).causes, Causes{"formula"});
}

// The first gradient of a window is its mean so far: it does not pass by a mask because of that.
TEST(OneWrongNumber, OfAMaskedAccumulatorIsNoAbsentLeaf) {
  EXPECT_EQ(judged_as(groups, with_number(groups, "state/of[0]/of[0]/acc_grads/w", 1, 3)).causes, Causes{"formula"});
}

TEST(OneNaN, IsWhatIsSeenAndNoMore) {
  for (const char* spec : {adam, "multi_steps(sgd(0.1), k=2)", "multi_steps(adam(0.1), k=2, skip=not_finite)"})
    for (const char* path : {"params/w", "updates/w", "state/acc_grads/w"})
      for (std::int64_t row : {1, 2, 4})
        EXPECT_EQ(judged_as(spec, with_number(spec, path, row, nan)).causes, Causes{"backend-split"})
            << spec << path << row;
}

TEST(OneNaN, BehindAGradientThatIsNotFiniteIsItsTreatment) {
  DumpedTrace dumped = with_number(adam, "params/w", 4, nan);
  numbers_of(dumped, "gradients/w", 3)[0] = nan;
  EXPECT_EQ(judged_as("multi_steps(adam(0.1), k=2, skip=not_finite)", dumped).causes, Causes{"nonfinite-skip"});
}

TEST(AllNaN, OfTheFirstUpdateAreACorrectionAtTimeZero) {
  DumpedTrace dumped = dumped_run(adam);
  for (const char* path : {"updates/w", "updates/b", "updates/s"}) std::ranges::fill(numbers_of(dumped, path, 2), nan);
  EXPECT_EQ(judged_as(adam, dumped).causes, (Causes{"time-index", "backend-split"}));
}

DumpedTrace mlp_run(const char* spec) {
  const Spec problem = parse_spec("mlp(3, 5, 2)", OpKind::problem);
  DumpedTrace dumped;
  dumped.trace = run(make_plan(parse_spec(spec), problem, {.windows = 4, .dtype = Dtype::float64}));
  return dumped;
}

// The balls of a float32 accumulator hold what is right and all that is near: they tell nothing of what is off by a
// hundred thousandth of what float32 rounds, 2^-41 of 2^-24. Nor do those of weights that are all the same.
TEST(SmallFault, IsNotExplainedByBallsThatAreWide) {
  for (const char* spec : {"multi_steps(sgd(0.1), k=3)", "multi_steps(adam(0.1), k=3)"})
    for (const Renamed& paths : {Renamed{}, without_state}) {
      DumpedTrace dumped = renamed(mlp_run(spec), paths);
      for (double& number : numbers_of(dumped, "updates/w0", 6)) number *= 1 + 0x1p-41;
      const TraceJudgement judgement = judged_as(spec, dumped);
      EXPECT_EQ(judgement.causes, Causes{"formula"}) << spec;
      EXPECT_FALSE(judgement.explained_by) << spec << to_string(*judgement.explained_by);
    }
}

// Handed on to all params that follow, it lies in every ball of a float32 accumulator. That would have rounded the
// other windows, too, which are right.
TEST(SmallFault, InOneWindowIsNoNarrowAccumulator) {
  for (const Renamed& paths : {Renamed{}, without_state}) {
    DumpedTrace dumped = renamed(mlp_run("multi_steps(sgd(0.1), k=3)"), paths);
    for (double& number : numbers_of(dumped, "updates/w0", 6)) number *= 1 + 0x1p-41;
    for (std::int64_t row = 6; row < dumped.trace.rows(); ++row) {
      const auto before = numbers_of(dumped, "params/w0", row - 1), update = numbers_of(dumped, "updates/w0", row);
      const bool held =
          dumped.trace.presence(row, dumped.trace.schema().find_column("updates/w0").value()) != Presence::dense;
      auto after = numbers_of(dumped, "params/w0", row);
      for (std::size_t i = 0; i < after.size(); ++i) after[i] = before[i] + (held ? 0 : update[i]);
    }
    const TraceJudgement judgement = judged_as("multi_steps(sgd(0.1), k=3)", dumped);
    // Each update, and the param that it is added to.
    EXPECT_EQ(judgement.faithful.outside, 2 * std::ssize(numbers_of(dumped, "updates/w0", 6)));
    EXPECT_EQ(judgement.causes, Causes{"formula"});
    EXPECT_FALSE(judgement.explained_by);
  }
}

TEST(NarrowAccumulator, IsExplainedWhereItShows) {
  const char* const narrow = "multi_steps(sgd(0.1), k=3, acc_dtype=float32)";
  const TraceJudgement judgement = judged_as("multi_steps(sgd(0.1), k=3)", mlp_run(narrow));
  EXPECT_EQ(judgement.causes, Causes{"dtype"});
  ASSERT_TRUE(judgement.explained_by);
  EXPECT_EQ(to_string(*judgement.explained_by), narrow);
}

}  // namespace
}  // namespace microstep
