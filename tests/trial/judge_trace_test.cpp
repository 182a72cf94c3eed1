// Traces written by hand, every number dyadic so that no ball has a radius; each planted fault is found where it is.
#include "microstep/trial/judge_trace.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <regex>

namespace microstep {
namespace {

struct Row {
  double gradient, update, w, acc;
  std::int64_t mini_step, gradient_step;
};
using Rows = std::vector<Row>;

// multi_steps(sgd(0.5), k=2): means 3 and 4, updates -1.5 and -2.
Rows right() {
  return {
      {0, 0, 1, 0, 0, 0}, {2, 0, 1, 2, 1, 0}, {4, -1.5, -0.5, 0, 0, 1}, {2, 0, -0.5, 2, 1, 1}, {6, -2, -2.5, 0, 0, 2}};
}

std::string state_of(const Row& row) {
  return fmt::format(R"x({{"counts":{{"mini_step":{},"gradient_step":{}}},"slots":{{"acc_grads":{{"w":[{}]}}}}}})x",
                     row.mini_step, row.gradient_step, row.acc);
}

std::string text_of(const Rows& rows) {
  std::string text = fmt::format(
      R"x({{"schema":"microstep/trace/1","spec":"multi_steps(sgd(0.5), k=2)","initial":{{"params":{{"w":{{"dtype":"float32","shape":[1],"values":[{}]}}}},"state":{}}},"steps":[)x",
      rows[0].w, state_of(rows[0]));
  for (std::size_t t = 1; t < rows.size(); ++t)
    text += fmt::format(R"x({}{{"gradients":{{"w":[{}]}},"updates":{{"w":[{}]}},"params":{{"w":[{}]}},"state":{}}})x",
                        t > 1 ? "," : "", rows[t].gradient, rows[t].update, rows[t].w, state_of(rows[t]));
  return text + "]}";
}

TraceJudgement judged(const Rows& rows) { return judge_trace(text_of(rows), "hand", std::nullopt); }

Outcome outcome_of(const TraceJudgement& judgement, std::string_view id) {
  for (const Verdict& verdict : judgement.contracts)
    if (verdict.contract == id) return verdict.outcome;
  return Outcome::not_applicable;
}

TEST(JudgeTrace, TheRightOneHasNoRoomAndIsFaithful) {
  const TraceJudgement judgement = judged(right());
  EXPECT_EQ(judgement.faithful.outcome, Outcome::holds);
  EXPECT_EQ(judgement.faithful.judged, judgement.faithful.exact);
  EXPECT_EQ(judgement.microsteps, 4);
  for (const Verdict& verdict : judgement.contracts)
    EXPECT_NE(verdict.outcome, Outcome::broken) << verdict.contract << ": " << verdict.evidence;
  for (const char* id : {"reduction.mean", "reduction.large_batch", "emission.every_k", "state.accumulator_empty"})
    EXPECT_EQ(outcome_of(judgement, id), Outcome::holds) << id;
}

// The gradient 8 is left out: the large batch is that of 2 and 4, whose mean is 3. Another microstep may follow.
TEST(JudgeTrace, TheLargeBatchIsThatOfWhatIsNotSkipped) {
  Rows rows = {{0, 0, 1, 0, 0, 0}, {2, 0, 1, 2, 1, 0}, {8, 0, 1, 2, 1, 0}, {4, -1.5, -0.5, 0, 0, 1}};
  for (const Row& next : {Row{0, 0, 0, 0, 0, 0}, Row{2, 0, -0.5, 2, 1, 1}}) {
    if (next.gradient != 0) rows.push_back(next);
    const TraceJudgement judgement =
        judge_trace(text_of(rows), "hand", parse_spec("multi_steps(sgd(0.5), k=2, skip=large(5))"));
    EXPECT_EQ(judgement.outcome, Outcome::holds);
    EXPECT_EQ(outcome_of(judgement, "reduction.large_batch"), Outcome::holds);
  }
}

struct Fault {
  const char* name;
  std::function<void(Rows&)> plant;
  std::int64_t microstep;
  const char* path;
  const char* broken;
};

const std::vector<Fault>& faults() {
  static const std::vector<Fault> table = {
      {"half of each gradient", [](Rows& r) { r[3].acc = 1; }, 3, "state/acc_grads/w", "reduction.mean"},
      {"accumulator not cleared", [](Rows& r) { r[2].acc = 3; }, 2, "state/acc_grads/w", "state.accumulator_empty"},
      {"emission in a held microstep", [](Rows& r) { r[3].update = -0.25, r[3].w = -0.75, r[4].w = -2.75; }, 3,
       "updates/w", "emission.silent_zero"},
      {"params moved in a held microstep", [](Rows& r) { r[3].w = -0.75, r[4].w = -2.75; }, 3, "params/w",
       "emission.silent_params"},
      {"count not advanced", [](Rows& r) { r[2].gradient_step = 0, r[3].gradient_step = 0, r[4].gradient_step = 1; }, 2,
       "state/gradient_step", "emission.counters"},
      {"window not closed", [](Rows& r) { r[4].mini_step = 2; }, 4, "state/mini_step", "emission.counters"},
      {"nothing came out", [](Rows& r) { r[4].update = 0, r[4].w = -0.5; }, 4, "updates/w", "emission.every_k"},
      {"update not added", [](Rows& r) { r[4].w = -0.5; }, 4, "params/w", "reduction.large_batch"},
      {"last gradient only",
       [](Rows& r) {
         r[1].acc = 0;
         r[2].update = -1, r[2].w = 0, r[3].w = 0, r[4].w = -2;
       },
       1, "state/acc_grads/w", "reduction.mean"},
  };
  return table;
}

// The accumulator is right before 4 and 6 come in; what it became is not shown.
TEST(Doubled, UpdatesAreThoseOfTwiceTheLearningRateToo) {
  Rows rows = right();
  rows[2].update = -3, rows[2].w = rows[3].w = -2;
  rows[4].update = -4, rows[4].w = -6;
  const TraceJudgement judgement = judged(rows);
  EXPECT_EQ(judgement.faithful.first->path, "updates/w");
  EXPECT_EQ(outcome_of(judgement, "reduction.mean"), Outcome::undecidable);
}

class PlantedFault : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PlantedFault, IsFoundWhereItIs) {
  const Fault& fault = faults()[GetParam()];
  Rows rows = right();
  fault.plant(rows);
  const TraceJudgement judgement = judged(rows);
  EXPECT_EQ(judgement.faithful.outcome, Outcome::broken) << fault.name;
  ASSERT_TRUE(judgement.faithful.first) << fault.name;
  EXPECT_EQ(judgement.faithful.first->microstep, fault.microstep) << fault.name;
  EXPECT_EQ(judgement.faithful.first->path, fault.path) << fault.name;
  EXPECT_EQ(outcome_of(judgement, fault.broken), Outcome::broken) << fault.name;
}

TEST_P(PlantedFault, IsNotCoveredByWhatWasDecidedOfTheSpec) {
  Rows rows = right();
  faults()[GetParam()].plant(rows);
  const TraceJudgement judgement = judged(rows);
  for (const char* id : {"reduction.large_batch", "state.large_batch", "reduction.order_free"})
    EXPECT_NE(outcome_of(judgement, id), Outcome::holds) << id;
}

INSTANTIATE_TEST_SUITE_P(ByHand, PlantedFault, ::testing::Range(std::size_t{0}, faults().size()));

TEST(JudgeTrace, TheGivenSpecGoesBeforeTheOneInTheFile) {
  const auto judgement = judge_trace(text_of(right()), "hand", parse_spec("multi_steps(sgd(0.25), k=2)"));
  ASSERT_TRUE(judgement.faithful.first);
  EXPECT_EQ(judgement.faithful.first->path, "updates/w");
  EXPECT_EQ(judgement.faithful.first->microstep, 2);
  EXPECT_TRUE(judgement.faithful.first->expected.value == -0.75);
}

}  // namespace
}  // namespace microstep
