// Given gradients, per microbatch and per example: sum(w g)/sum(w) for the mean loss, sum(w g) for the sum loss.
#include "train/plans.hpp"

namespace microstep::testing_train {
namespace {

Numbers updates(const Plan& plan) { return history(run(plan), "updates/w"); }

TEST(Replay, PerMicrobatchReachesTheOptimizerAsItIs) {
  EXPECT_EQ(updates(replay_of("sgd(1)", {2, 8, -3})), (Numbers{-2, -8, 3}));
  EXPECT_EQ(updates(replay_of("multi_steps(sgd(1), k=2)", {2, 8, 1, 3})), (Numbers{0, -5, 0, -2}));
}

TEST(Replay, WeightsOfMicrobatchesReachTheWeightedMean) {
  EXPECT_EQ(updates(replay_of("multi_steps(sgd(1), k=2, reduce=weighted)", {2, 8}, {}, {3, 1})), (Numbers{0, -3.5}));
  EXPECT_EQ(updates(replay_of("multi_steps(sgd(1), k=2)", {2, 8}, {}, {3, 1})), (Numbers{0, -5}));
}

TEST(Replay, PerExampleIsTheMeanOfTheBatch) {
  EXPECT_EQ(updates(replay_of("sgd(1)", {2, 8, 1, 5}, {{0, 1}, {2, 3}})), (Numbers{-5, -3}));
  EXPECT_EQ(updates(replay_of("sgd(1)", {2, 8}, {{0, 1}}, {3, 1})), Numbers{-3.5});
}

TEST(Replay, SumLossAddsWhatTheMeanDivides) {
  Plan plan = replay_of("sgd(1)", {2, 8, 1}, {{0, 1}, {2}}, {3, 1, 2});
  plan.loss = Loss::sum;
  EXPECT_EQ(updates(plan), (Numbers{-14, -2}));
  plan.loss = Loss::mean;
  EXPECT_EQ(updates(plan), (Numbers{-3.5, -1}));
}

TEST(Replay, RaggedMicrobatchesNeedTheirWeights) {
  // Examples 2, 8 | 2: the batch of three has the mean 4, the mean of the means 5 and 2 is 3.5.
  const std::vector<std::vector<std::int64_t>> ragged = {{0, 1}, {2}};
  EXPECT_EQ(updates(replay_of("multi_steps(sgd(1), k=2)", {2, 8, 2}, ragged)), (Numbers{0, -3.5}));
  EXPECT_EQ(updates(replay_of("multi_steps(sgd(1), k=2, reduce=weighted)", {2, 8, 2}, ragged)), (Numbers{0, -4}));
  EXPECT_EQ(updates(large_batch_of(replay_of("multi_steps(sgd(1), k=2)", {2, 8, 2}, ragged))), Numbers{-4});
}

TEST(Replay, TheLargeBatchOfWeightedMicrobatchesIsTheTokenMean) {
  const Plan plan = replay_of("multi_steps(sgd(1), k=2, reduce=weighted)", {2, 8, 4, 4}, {}, {3, 1, 5, 1});
  EXPECT_EQ(updates(plan), (Numbers{0, -3.5, 0, -4}));
  EXPECT_EQ(updates(large_batch_of(plan)), (Numbers{-3.5, -4}));
}

TEST(Replay, AnAbsentLeafCountsAsZeroUnlessAllAreAbsent) {
  Plan plan = replay_of("sgd(1)", {2, 8, 6}, {{0, 1}, {1}, {1, 2}});
  plan.given[1].gradient.mark(0, Presence::absent);
  const Trace trace = run(plan);
  EXPECT_EQ(at(trace, 1, "gradients/w"), Numbers{1});
  EXPECT_EQ(at(trace, 2, "gradients/w"), Numbers{});
  EXPECT_EQ(at(trace, 3, "gradients/w"), Numbers{3});
  EXPECT_EQ(at(trace, 3, "params/w"), Numbers{-4});
}

TEST(Replay, AZeroLeafIsZero) {
  Plan plan = replay_of("sgd(1)", {2, 8}, {{0, 1}, {1}});
  plan.given[1].gradient.mark(0, Presence::zero);
  EXPECT_EQ(updates(plan), (Numbers{-1, 0}));
}

TEST(Replay, WeightsAreRoundedToTheLeafLikeHyperParameters) {
  // 257 is no bfloat16: 256 (ties to even). 256 * 2 = 512; /256 again 2.
  Plan plan = replay_of("sgd(1)", {2, 2}, {{0}, {0, 1}}, {257, 257}, Dtype::bfloat16);
  plan.loss = Loss::sum;
  EXPECT_EQ(updates(plan), (Numbers{-512, -1024}));
}

TEST(BatchWeight, IsTheSumOfWeightsOrTheNumberOfExamples) {
  const Plan plan = replay_of("sgd(1)", {1, 2, 3}, {{0, 2}, {1}}, {3, 5, 0.5});
  EXPECT_EQ(batch_weight(plan, plan.batches[0]), 3.5);
  EXPECT_EQ(batch_weight(plan, plan.batches[1]), 5);
  const Plan trained = plan_of("sgd(1)", "linear_regression");
  EXPECT_EQ(batch_weight(trained, {4, 7, 9}), 3);
}

TEST(Problem, RefusesAnUnknownOne) {
  Plan plan = replay_of("sgd(1)", {1});
  plan.problem.op = "sudoku";
  EXPECT_EQ(refused([&] { run(plan); }), "spec.unknown-op");
}

}  // namespace
}  // namespace microstep::testing_train
