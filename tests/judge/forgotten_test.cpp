// A microbatch that is skipped for its norm is finite: only what moves with it tells that it was taken.
#include <gtest/gtest.h>

#include "judge/hand.hpp"

namespace microstep {
namespace {

// Gradients 2, 8, 4; 8 is skipped, so that the window's mean is 3.
Envelope skipping_run() {
  return hand_trace(
      {{"params/w", {0, 0, 0, -3}},
       {"gradients/w", {0, 2, 8, 4}},
       {"updates/w", {0, 0, 0, -3}},
       {"state/acc_grads/w", {0, 2, 2, 0}},
       {"state/of[0]/trace/w", {0, 0, 0, 3}}},
      {{"state/mini_step", {0, 1, 1, 0}}, {"state/gradient_step", {0, 0, 0, 1}}, {"state/of[0]/count", {0, 0, 0, 1}}});
}

void skip(Hand& hand) {
  hand.experiment.plans = {
      {Role::accumulated, hand_plan("multi_steps(sgd([[0, 1], [9, 0.5]], momentum=0.5), k=2, skip=large(5))", 3)}};
  hand.evidence.windows = {{0, 2}};
  hand.evidence.skipped_microsteps = {false, true, false};
  hand.evidence.observed = {{Role::accumulated, skipping_run()}};
  hand.evidence.expected = {{Role::accumulated, skipping_run()}};
}

TEST(Skipped, AMicrobatchThatLeavesAllAsItWasIsForgotten) {
  Hand hand;
  skip(hand);
  EXPECT_EQ(hand.judge("state.nonfinite_forgotten").outcome, Outcome::holds);
}

// From the skipped microbatch on, as a program would show it.
TEST(Skipped, AMicrobatchThatMovesANumberIsRemembered) {
  for (const char* path : {"params/w", "state/acc_grads/w", "state/of[0]/trace/w"}) {
    Hand hand;
    skip(hand);
    for (std::int64_t row : {2, 3}) at(hand.run(), path, row).value += 1;
    const Verdict verdict = hand.judge("state.nonfinite_forgotten");
    ASSERT_EQ(verdict.outcome, Outcome::broken) << path;
    EXPECT_EQ(verdict.place->path, path);
    EXPECT_EQ(verdict.place->microstep, 2);
    EXPECT_EQ(verdict.causes.at(0), "nonfinite-skip") << path;
  }
}

TEST(Skipped, AMicrobatchThatMovesACountIsRemembered) {
  for (const char* path : {"state/gradient_step", "state/of[0]/count"}) {
    Hand hand;
    skip(hand);
    for (std::int64_t row : {2, 3}) ++hand.run().count(row, hand.run().schema().find_count(path).value());
    const Verdict verdict = hand.judge("state.nonfinite_forgotten");
    EXPECT_EQ(verdict.outcome, Outcome::broken) << path;
  }
}

}  // namespace
}  // namespace microstep
