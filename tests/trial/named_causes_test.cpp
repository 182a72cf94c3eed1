// The causes that are named of a trace with one fault, and no others beside them.
#include <fmt/format.h>

#include <regex>

#include "trial/renamed_run.hpp"

namespace microstep {
namespace {

using Causes = std::vector<std::string>;
const char* const adam = "multi_steps(adam(0.1), k=2)";

void copy_row(DumpedTrace& dumped, std::string_view path, std::int64_t from, std::int64_t to) {
  std::ranges::copy(numbers_of(dumped, path, from), numbers_of(dumped, path, to).begin());
}

TEST(NamedCauses, OfParamsThatOneWindowDoesNotHandOn) {
  DumpedTrace dumped = dumped_run(adam);
  copy_row(dumped, "params/w", 3, 4);
  const TraceJudgement judgement = judged_as(adam, dumped);
  EXPECT_EQ(judgement.causes, Causes{"api-state"});
  EXPECT_EQ(verdict_on(judgement, "reduction.large_batch").causes, Causes{"api-state"});
  EXPECT_EQ(verdict_on(judgement, "emission.silent_params").causes, Causes{"api-state"});
}

// 1 - 0.99 is ten times 1 - 0.999, as 1 is ten times the correction 1 - b1 of the first step.
TEST(NamedCauses, OfAnotherB2) {
  const TraceJudgement judgement =
      judged_as("multi_steps(adam(0.1, b2=0.999), k=2)", dumped_run("multi_steps(adam(0.1, b2=0.99), k=2)"));
  EXPECT_EQ(judgement.faithful.first->path, "state/of[0]/nu/w");
  EXPECT_EQ(judgement.causes, Causes{"formula"});
}

// A decay that is small beside the step: both scale with the learning rate, so that what is wrong looks like the step.
TEST(NamedCauses, OfAnotherLearningRateAreNotItsDecay) {
  for (const char* spec : {"adamw({}, weight_decay=0.0001)", "multi_steps(adamw({}, weight_decay=0.0001), k=3)"}) {
    const std::string claim = fmt::format(fmt::runtime(spec), 0.1), actual = fmt::format(fmt::runtime(spec), 0.17);
    EXPECT_EQ(judged_as(claim, dumped_run(actual)).causes, Causes{"formula"}) << spec;
  }
}

TEST(NamedCauses, OfAnAccumulatorThatIsNotCleared) {
  DumpedTrace dumped = dumped_run(adam);
  const std::int64_t last = dumped.trace.rows() - 1;
  const std::size_t column = dumped.trace.schema().find_column("state/acc_grads/w").value();
  dumped.trace.presence(last, column) = Presence::dense;
  copy_row(dumped, "state/acc_grads/w", last - 1, last);
  const TraceJudgement judgement = judged_as(adam, dumped);
  EXPECT_EQ(judgement.causes, Causes{"boundary"});
  EXPECT_EQ(verdict_on(judgement, "state.accumulator_empty").outcome, Outcome::broken);
}

// What the inner's step gives is shown nowhere: its state stays as it was at the start.
TEST(NamedCauses, OfAStateThatIsNeverHandedOn) {
  for (const char* spec : {adam, "multi_steps(sgd(0.1, momentum=0.9), k=2)"}) {
    DumpedTrace dumped = dumped_run(spec);
    const Schema& schema = dumped.trace.schema();
    for (std::int64_t row = 1; row < dumped.trace.rows(); ++row) {
      for (std::size_t i = 0; i < schema.columns().size(); ++i)
        if (schema.columns()[i].path.starts_with("state/of[0]/"))
          std::ranges::copy(dumped.trace.numbers(0, i), dumped.trace.numbers(row, i).begin());
      for (std::size_t i = 0; i < schema.count_paths().size(); ++i)
        if (schema.count_paths()[i].starts_with("state/of[0]/")) dumped.trace.count(row, i) = 0;
    }
    EXPECT_EQ(judged_as(spec, dumped).causes, Causes{"api-state"}) << spec;
  }
}

/// The gradients of each microstep are divided by k before they are added, and then once more.
TEST(NamedCauses, OfTwoDivisionsAreTheSame) {
  for (const char* k : {"2", "3", "5"}) {
    DumpedTrace dumped = dumped_run(fmt::format("multi_steps(sgd(0.1), k={})", k));
    const double length = std::stod(k);
    for (const Column& column : dumped.trace.schema().columns())
      if (column.path.starts_with("state/acc_grads/") || column.path.starts_with("updates/"))
        for (std::int64_t row = 1; row < dumped.trace.rows(); ++row)
          for (double& number : numbers_of(dumped, column.path, row)) number = static_cast<float>(number / length);
    EXPECT_EQ(judged_as(fmt::format("multi_steps(sgd(0.1), k={})", k), dumped).causes, Causes{"sum-mean"}) << k;
  }
}

/// Each gradient is k times too small, and no accumulator is shown; what Adam keeps of earlier windows is what it was.
TEST(NamedCauses, OfGradientsThatAreDividedBeforehandAreThatWithMomentsToo) {
  for (const char* k : {"2", "3"}) {
    const std::string actual = fmt::format("multi_steps(chain(scale({:.17g}), adam(0.1)), k={})", 1 / std::stod(k), k);
    DumpedTrace dumped = renamed_run(actual, {{"state/acc_grads/", ""}, {"state/of[0]/of[1]/", "state/of[0]/"}});
    EXPECT_EQ(judged_as(fmt::format("multi_steps(adam(0.1), k={})", k), dumped).causes, Causes{"sum-mean"}) << k;
  }
}

// A window's first gradient is halved, as by one more in the divisor; its second is not one in three.
TEST(NamedCauses, OfHalvedGradientsOfThreeAreTheFormula) {
  DumpedTrace dumped = dumped_run("multi_steps(sgd(0.1), k=3)");
  for (const Column& column : dumped.trace.schema().columns())
    if (column.path.starts_with("state/acc_grads/"))
      for (std::int64_t row = 1; row < dumped.trace.rows(); ++row)
        for (double& number : numbers_of(dumped, column.path, row)) number /= 2;
  EXPECT_EQ(judged_as("multi_steps(sgd(0.1), k=3)", dumped).causes, Causes{"formula"});
}

/// The params shrink by an eighth in the first, held microstep.
DumpedTrace decayed(const char* spec) {
  DumpedTrace dumped = dumped_run(spec);
  dumped.trace.presence(1, dumped.trace.schema().find_column("updates/w").value()) = Presence::dense;
  for (std::size_t i = 0; i < numbers_of(dumped, "params/w", 0).size(); ++i) {
    numbers_of(dumped, "updates/w", 1)[i] = numbers_of(dumped, "params/w", 0)[i] / -8;
    numbers_of(dumped, "params/w", 1)[i] += numbers_of(dumped, "updates/w", 1)[i];
  }
  return dumped;
}

TEST(NamedCauses, OfDecayInAHeldMicrostepAreNotTheSleepingState) {
  for (const char* spec : {"multi_steps(sgd(0.1), k=2)", adam})
    EXPECT_EQ(judged_as(spec, decayed(spec)).causes, Causes{"decay-form"}) << spec;
  const char* const adamw = "multi_steps(adamw(0.1, weight_decay=0.125), k=2)";
  EXPECT_EQ(verdict_on(judged_as(adamw, decayed(adamw)), "emission.silent_zero").causes,
            (Causes{"decay-form", "micro-state"}));
}

TEST(NamedCauses, OfAnUpdateInAHeldMicrostepNeedAnInnerThatMoves) {
  const char* const sgd = "multi_steps(sgd(0.1), k=2)";
  DumpedTrace dumped = decayed(sgd);
  numbers_of(dumped, "updates/w", 1)[0] *= 3;
  EXPECT_EQ(judged_as(sgd, dumped).causes, Causes{"boundary"});
}

// It counts microsteps, but moves where the window ends and nowhere else.
TEST(NamedCauses, OfACountOfMicrostepsAreNotAMovingState) {
  DumpedTrace dumped = dumped_run(adam);
  const std::size_t count = dumped.trace.schema().find_count("state/of[0]/count").value();
  for (std::int64_t row = 1; row < dumped.trace.rows(); ++row) dumped.trace.count(row, count) *= 2;
  const TraceJudgement judgement = judged_as(adam, dumped);
  EXPECT_EQ(verdict_on(judgement, "state.inner_asleep").outcome, Outcome::holds);
  EXPECT_EQ(verdict_on(judgement, "state.count_once").causes, Causes{"time-index"});
  EXPECT_EQ(judgement.causes, Causes{"time-index"});
}

// The moments sleep, and their counter does not; or all of them move, so that the counter is theirs.
TEST(NamedCauses, OfACounterThatMovesAloneAreNotTheState) {
  DumpedTrace alone = dumped_run(adam);
  const DumpedTrace awake = renamed_run("chain(adam(0.1), multi_steps(chain(), k=2))", {{"state/of[1]/", "state/"}});
  const std::size_t count = alone.trace.schema().find_count("state/of[0]/count").value();
  for (std::int64_t row = 1; row < alone.trace.rows(); ++row) alone.trace.count(row, count) = row;
  EXPECT_EQ(judged_as(adam, alone).causes, Causes{"time-index"});
  EXPECT_EQ(verdict_on(judged_as(adam, alone), "state.inner_asleep").causes, Causes{"time-index"});
  EXPECT_EQ(verdict_on(judged_as(adam, awake), "state.inner_asleep").causes, Causes{"micro-state"});
  EXPECT_EQ(verdict_on(judged_as(adam, awake), "state.count_once").causes, Causes{"micro-state"});
}

// From some microstep on, or in the last alone; of a param or of a slot.
TEST(NamedCauses, OfAnotherShapeAreNoLeafThatComesOrGoes) {
  const std::string text = encode_dumped_trace(dumped_run(adam));
  for (const char* leaf : {R"("params":\{"w":)", R"("acc_grads":\{"w":)", R"("nu":\{"w":)"})
    for (std::size_t begin : {text.rfind(R"("gradients":)"), text.find(R"("gradients":)")}) {
      const std::regex numbers("(" + std::string(leaf) + R"()(\[[^\]]*\]))");
      const std::string changed = std::regex_replace(text.substr(begin), numbers, R"($1{"shape":[3,2],"values":$2})");
      ASSERT_NE(changed, text.substr(begin));
      const TraceJudgement judgement = judge_trace(text.substr(0, begin) + changed, "run", parse_spec(adam));
      EXPECT_EQ(judgement.causes, Causes{"shape"}) << leaf;
      EXPECT_EQ(verdict_on(judgement, "form.shape").outcome, Outcome::broken);
      EXPECT_EQ(verdict_on(judgement, "form.keys").outcome, Outcome::holds);
    }
}

}  // namespace
}  // namespace microstep
