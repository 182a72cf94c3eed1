// Two runs, dumped each by a loop of its own: what their difference is.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "trial/paired_run.hpp"

namespace microstep {
namespace {

using Causes = std::vector<std::string>;

class Sound : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Against, Sound,
                         testing::Values("multi_steps(sgd(0.1), k=3)", "multi_steps(adam(0.1), k=2)",
                                         "multi_steps(adamw(0.01), k=4)",
                                         "multi_steps(sgd(0.1, momentum=0.9), k=2, reduce=weighted)",
                                         "multi_steps(chain(clip_by_global_norm(0.5), adam(0.1)), k=3)",
                                         "multi_steps(multi_steps(ema(0.9), k=2), k=2)", "adam(0.1)",
                                         "multi_steps(sgd(0.1), k=2, acc_dtype=bfloat16)"),
                         [](const auto& info) { return fmt::format("spec{}", info.index); });

// The large batch's gradient is rounded from the same numbers in another order, and nothing else is.
TEST_P(Sound, ALargeBatchOfTheSameGradientsIsExplained) {
  for (Dtype dtype : {Dtype::float64, Dtype::float32}) {
    PlanOptions options{.windows = 3, .examples = 3};
    options.ragged = std::string_view(GetParam()).find("weighted") != std::string_view::npos;
    options.dtype = dtype;
    PairedRun runs(GetParam(), options);
    runs.give_gradients();
    const Against found = runs.judged();
    EXPECT_TRUE(found.answer == Answered::explained || found.answer == Answered::same) << words_of(found);
    EXPECT_EQ(found.windows.size(), 3U);
    EXPECT_TRUE(found.causes.empty() && found.record.empty());
  }
}

// Every number is 40 steps of its grid further, as another order of a backward pass may make it.
TEST_P(Sound, GradientsOfAnotherRoundingAreExplained) {
  PairedRun runs(GetParam());
  runs.give_gradients();
  for (std::size_t window = 0; window < 3; ++window)
    for (std::size_t leaf = 0; leaf < 3; ++leaf)
      for (double& x : runs.gradient(window, leaf)) x = from_bits(Dtype::float32, bits_of(Dtype::float32, x) + 40);
  runs.run_large();
  const Against found = runs.judged();
  EXPECT_EQ(found.answer, Answered::explained) << words_of(found);
  EXPECT_TRUE(found.windows.at(0).same_params);
}

class Faulty : public testing::Test {
 protected:
  Faulty() : runs("multi_steps(adam(0.1), k=2)") { runs.give_gradients(); }
  /// Each number of the large batch's gradients as that of the window's two.
  void set(const std::function<double(double, double)>& of) {
    for (std::size_t window = 0; window < 3; ++window)
      for (std::size_t leaf = 0; leaf < 3; ++leaf)
        for (std::size_t i = 0; i < runs.gradient(window, leaf).size(); ++i) {
          const auto first = static_cast<std::int64_t>(2 * window) + 1;
          runs.gradient(window, leaf)[i] =
              round_to(Dtype::float32, of(runs.microgradient(first, leaf)[i], runs.microgradient(first + 1, leaf)[i]));
        }
    runs.run_large();
  }
  void expect_semantic(const Causes& causes) const {
    const Against found = runs.judged();
    EXPECT_EQ(found.answer, Answered::semantic) << words_of(found);
    EXPECT_EQ(found.causes, causes);
    ASSERT_TRUE(found.first);
    EXPECT_EQ(found.first->window, 1);
    EXPECT_TRUE(found.first->path.starts_with("gradients/")) << found.first->path;
  }

  PairedRun runs;
};

TEST_F(Faulty, HowFarTheGradientsAreApartIsSaid) {
  set([](double a, double b) {
    const double mean = round_to(Dtype::float32, (a + b) / 2);
    return from_bits(Dtype::float32, bits_of(Dtype::float32, mean) + 40);
  });
  const Against found = runs.judged();
  EXPECT_EQ(found.answer, Answered::explained) << words_of(found);
  const GradientGap& gap = found.windows.at(0).gap.value();
  EXPECT_EQ(gap.ulps, 40);
  EXPECT_EQ(gap.window, 1);
  double largest = 0, off = std::fabs(gap.large_batch - static_cast<double>(gap.accumulated.value));
  for (std::size_t i = 0; i < static_cast<std::size_t>(element_count(gap.shape)); ++i) {
    const std::size_t leaf = runs.plan.params.layout().find(gap.path.substr(10)).value();
    largest = std::max(largest, std::fabs(runs.microgradient(1, leaf)[i] + runs.microgradient(2, leaf)[i]) / 2);
  }
  EXPECT_EQ(gap.relative, static_cast<double>(Wide(off) / Wide(largest)));
}

TEST_F(Faulty, TheSumForTheMean) {
  set([](double a, double b) { return a + b; });
  expect_semantic({"sum-mean"});
}

TEST_F(Faulty, TheMeanDividedOnceMore) {
  set([](double a, double b) { return (a + b) / 4; });
  expect_semantic({"sum-mean"});
}

TEST_F(Faulty, OneMicrobatchIsLeftOut) {
  set([](double a, double) { return a; });
  expect_semantic({"boundary"});
  set([](double, double b) { return b / 2; });
  expect_semantic({"boundary"});
}

// Three examples and one: the mean of all is not the mean of both means.
TEST_F(Faulty, MicrobatchesOfUnequalSize) {
  runs.own.weights = {3, 1, 3, 1, 3, 1};
  set([](double a, double b) { return (3 * a + b) / 4; });
  expect_semantic({"token-weight"});
}

// As far from the mean as another gradient would be, and none that is known.
TEST_F(Faulty, OtherDataIsUndecidableWithWhatToRecord) {
  int t = 0;
  set([&](double a, double b) { return (a + b) / 2 + 0.3 * (++t % 3 - 1) * (std::fabs(a) + std::fabs(b)); });
  const Against found = runs.judged();
  EXPECT_EQ(found.answer, Answered::undecidable) << words_of(found);
  EXPECT_TRUE(found.causes.empty());
  EXPECT_EQ(found.record.front(), "both runs with gradients that are computed and recorded in float64");
  EXPECT_EQ(found.windows.front().answer, Answered::undecidable);
}

// A loss scale of 8 is no reduction of two; what it is is said.
TEST_F(Faulty, OneFactorThatNoReductionMakesIsNamed) {
  set([](double a, double b) { return 4 * (a + b); });
  const Against found = runs.judged();
  EXPECT_EQ(found.answer, Answered::undecidable) << words_of(found);
  EXPECT_NE(found.reason.find("; each number is 8 times what is due"), std::string::npos) << found.reason;
}

TEST_F(Faulty, ADifferentStartIsUndecidable) {
  runs.large.params.values(0)[1] += 1;
  set([](double a, double b) { return (a + b) / 2; });
  const Against found = runs.judged();
  EXPECT_EQ(found.answer, Answered::undecidable) << words_of(found);
  EXPECT_NE(found.reason.find("the runs start apart, at params/w[0, 1]"), std::string::npos) << found.reason;
  EXPECT_EQ(found.record, Causes{"both runs from the same params and state"});
}

TEST_F(Faulty, AnotherSpecIsSemanticByItsFirstDifference) {
  runs.large.spec = parse_spec("adam(0.2)");
  set([](double a, double b) { return (a + b) / 2; });
  const Against found = runs.judged();
  EXPECT_EQ(found.answer, Answered::semantic) << words_of(found);
  ASSERT_TRUE(found.first);
  EXPECT_TRUE(found.first->path.starts_with("updates/")) << found.first->path;
  EXPECT_FALSE(found.causes.empty());
}

TEST_F(Faulty, ARunThatIsNotItsSpecsIsSemantic) {
  set([](double a, double b) { return (a + b) / 2; });
  for (DumpedTrace* dumped : {&runs.own, &runs.other}) {
    const DumpedTrace kept = *dumped;
    double& x = numbers_of(*dumped, "params/w", dumped->trace.rows() - 1)[0];
    x = round_to(Dtype::float32, x + 1);
    const Against found = runs.judged();
    EXPECT_EQ(found.answer, Answered::semantic) << words_of(found);
    EXPECT_NE(found.reason.find("params/w[0, 0]"), std::string::npos) << found.reason;
    *dumped = kept;
  }
}

// Adam's first step on 0 is 0, on the smallest gradient it is the learning rate: between them, anything.
TEST(Hull, ThatIsAsWideAsItsLeafIsUndecidable) {
  PairedRun runs("multi_steps(adam(0.1), k=2)");
  for (std::size_t t = 0; t < 2; ++t)
    for (std::int64_t example : runs.plan.batches[t]) {
      runs.plan.given[static_cast<std::size_t>(example)].gradient.values(0)[0] = 0;
      runs.large.given[static_cast<std::size_t>(example)].gradient.values(0)[0] = 0;
    }
  runs.run_own();
  runs.run_large();
  runs.give_gradients();
  EXPECT_EQ(runs.judged().answer, Answered::explained) << words_of(runs.judged());
  runs.gradient(0, 0)[0] = 0x1p-20;
  runs.run_large();
  const Against found = runs.judged();
  EXPECT_EQ(found.answer, Answered::undecidable) << words_of(found);
  EXPECT_NE(found.reason.find("what lies between both gradients gives anything"), std::string::npos) << found.reason;
  EXPECT_EQ(found.record, Causes{"both runs with gradients that are computed and recorded in float64"});
}

TEST(Against, ASumIsThatOfASumLoss) {
  PlanOptions options{.windows = 3, .examples = 3};
  options.loss = Loss::sum;
  const Against found = PairedRun("chain(apply_every(3), sgd(0.1))", options).judged();
  EXPECT_NE(found.answer, Answered::semantic) << words_of(found);
}

TEST(Against, WhatFillsNoWindowIsNotCompared) {
  PairedRun runs("multi_steps(sgd(0.1), k=3)", {.windows = 2, .partial = 2, .examples = 3});
  const Against found = runs.judged();
  EXPECT_EQ(found.not_compared, Causes{"microsteps 7 to 8, which fill no window"});
}

}  // namespace
}  // namespace microstep
