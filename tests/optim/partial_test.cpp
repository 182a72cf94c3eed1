// A last window that is not full: hold, flush with its true length, flush divided by k, drop.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

// 2, 4 in a window of three, the second is the run's last.
struct Ended {
  Loop<Exact> loop;
  Numbers update;
};

Ended ended(const std::string& arguments, const Numbers& gradients = {2, 4}) {
  auto loop = exact_loop("multi_steps(sgd(1), k=3" + arguments + ")", {0});
  Numbers update;
  for (std::size_t t = 0; t < gradients.size(); ++t)
    update = loop.step({gradients[t]}, {1.0 + 2.0 * static_cast<double>(t), t + 1 == gradients.size()});
  return {std::move(loop), update};
}

TEST(Partial, HoldKeepsTheWindowOpen) {
  const Ended e = ended("");
  EXPECT_EQ(e.update, Numbers{0});
  EXPECT_EQ(slot(e.loop.state, "acc_grads"), Numbers{3});
  EXPECT_EQ(e.loop.state.count("mini_step"), 2);
}

TEST(Partial, FlushTakesTheTrueLength) {
  const Ended e = ended(", partial=flush");
  EXPECT_EQ(e.update, Numbers{-3});
  EXPECT_EQ(slot(e.loop.state, "acc_grads"), Numbers{0});
  EXPECT_EQ(e.loop.state.count("mini_step"), 0);
  EXPECT_EQ(e.loop.state.count("gradient_step"), 1);
  EXPECT_EQ(ended(", partial=flush", {6}).update, Numbers{-6});
}

TEST(Partial, FlushByKDividesByTheFullLength) {
  EXPECT_EQ(ended(", partial=flush_by_k").update, Numbers{-2});
  EXPECT_EQ(ended(", partial=flush_by_k", {6}).update, Numbers{-2});
  EXPECT_EQ(ended(", partial=flush_by_k", {3, 6, 9}).update, Numbers{-6});
}

TEST(Partial, ASumIsFlushedAsItIs) {
  EXPECT_EQ(ended(", reduce=sum, partial=flush").update, Numbers{-6});
  EXPECT_EQ(ended(", reduce=sum, partial=flush_by_k").update, Numbers{-6});
}

TEST(Partial, AWeightedMeanIsFlushedByItsWeights) {
  // Weights 1 and 3: (2 + 12)/4.
  EXPECT_EQ(ended(", reduce=weighted, partial=flush").update, Numbers{-3.5});
}

TEST(Partial, DropForgetsTheWindow) {
  const Ended e = ended(", partial=drop");
  EXPECT_EQ(e.update, Numbers{0});
  EXPECT_EQ(slot(e.loop.state, "acc_grads"), Numbers{0});
  EXPECT_EQ(e.loop.state.count("mini_step"), 0);
  EXPECT_EQ(e.loop.state.count("gradient_step"), 0);
}

TEST(Partial, FullWindowsAreTheSameUnderEveryPolicy) {
  for (const char* policy : {"hold", "flush", "flush_by_k", "drop"})
    EXPECT_EQ(ended(std::string(", partial=") + policy, {2, 8, 32}).update, Numbers{-14}) << policy;
}

TEST(Partial, NothingHappensBeforeTheEnd) {
  for (const char* policy : {"flush", "flush_by_k", "drop"}) {
    auto loop = exact_loop(std::string("multi_steps(sgd(1), k=3, partial=") + policy + ")", {0});
    EXPECT_EQ(loop.step({2}), Numbers{0});
    EXPECT_EQ(loop.step({8}), Numbers{0});
    EXPECT_EQ(loop.step({32}), Numbers{-14}) << policy;
  }
}

TEST(Partial, ASkippedLastMicrobatchStillLetsTheWindowOut) {
  EXPECT_EQ(ended(", skip=not_finite, partial=flush", {2, 4, not_a_number}).update, Numbers{-3});
  EXPECT_EQ(ended(", skip=not_finite, partial=flush_by_k", {2, 4, not_a_number}).update, Numbers{-2});
  const Ended dropped = ended(", skip=not_finite, partial=drop", {2, 4, not_a_number});
  EXPECT_EQ(dropped.update, Numbers{0});
  EXPECT_EQ(dropped.loop.state.count("mini_step"), 0);
  EXPECT_EQ(ended(", skip=not_finite, partial=flush", {not_a_number}).update, Numbers{0});
}

TEST(Partial, AFlushedWindowThatIsNotFiniteIsThrownAway) {
  const Ended e = ended(", skip=window_not_finite, partial=flush", {infinity, 4});
  EXPECT_EQ(e.update, Numbers{0});
  EXPECT_EQ(e.loop.state.count("gradient_step"), 0);
}

TEST(Partial, TheEndIsPassedOnToANestedAccumulator) {
  auto loop = exact_loop("multi_steps(multi_steps(sgd(1), k=2, partial=flush), k=2)", {0});
  loop.step({2});
  EXPECT_EQ(loop.step({4}, {1, true}), Numbers{-3});
}

}  // namespace
}  // namespace microstep::testing_optim
