// masked: the inner sees the leaves of the mask only; the others pass, and its state is absent on them.
#include "microstep/optim/leaves.hpp"
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

LayoutPointer two_leaves(Dtype dtype = Dtype::float64) { return make_layout({{"w", {1}, dtype}, {"b", {1}, dtype}}); }

std::vector<bool> matched(std::vector<Value> globs) {
  const auto layout = make_layout({{"w0", {}}, {"w10", {}}, {"layer0/w", {}}});
  return matching_leaves(*layout, globs);
}

TEST(Mask, IsAListOfGlobs) {
  using Bits = std::vector<bool>;
  EXPECT_EQ(matched({}), (Bits{true, true, true}));
  EXPECT_EQ(matched({"w0"}), (Bits{true, false, false}));
  EXPECT_EQ(matched({"w?"}), (Bits{true, false, false}));
  EXPECT_EQ(matched({"w*"}), (Bits{true, true, false}));
  EXPECT_EQ(matched({"*w"}), (Bits{false, false, true}));
  EXPECT_EQ(matched({"l*0/*", "w1?"}), (Bits{false, true, true}));
  EXPECT_EQ(matched({"w"}), (Bits{false, false, false}));
}

TEST(Masked, PassesTheOtherLeavesUnchanged) {
  Loop<Exact> loop("masked(sgd(0.5, momentum=0.5), mask=[w])", two_leaves(), {0, 0});
  EXPECT_EQ(loop.step({2, 7}), (Numbers{-1, 7}));
  EXPECT_EQ(loop.step({4, 9}), (Numbers{-2.5, 9}));
  const auto& trace = loop.state.of[0].slot("trace");
  EXPECT_EQ(trace.presence(0), Presence::dense);
  EXPECT_EQ(trace.presence(1), Presence::absent);
}

TEST(Masked, TheInnerNormSeesItsLeavesOnly) {
  Loop<Exact> loop("masked(clip_by_global_norm(1), mask=[w])", two_leaves(), {0, 0});
  EXPECT_EQ(loop.step({4, 3}), (Numbers{1, 3}));
}

TEST(Masked, AnAccumulatorInsideHoldsItsLeavesOnly) {
  Loop<Exact> loop("masked(multi_steps(sgd(1), k=2), mask=[w])", two_leaves(), {0, 0});
  EXPECT_EQ(loop.step({2, 7}), (Numbers{0, 7}));
  EXPECT_EQ(loop.step({4, 9}), (Numbers{-3, 9}));
  EXPECT_EQ(loop.state.of[0].slot("acc_grads").presence(1), Presence::absent);
}

TEST(Masked, AHiddenLeafKeepsItsPresenceAndDtype) {
  Loop<Emulated<double>> loop("masked(multi_steps(sgd(1), k=1, acc_dtype=float32), mask=[w])",
                              two_leaves(Dtype::bfloat16), {0, 0});
  EXPECT_EQ(loop.step({2, 7}), (Numbers{-2, 7}));
  for (std::size_t i : {0, 1}) EXPECT_EQ(loop.updates.leaf(i).dtype, Dtype::bfloat16);
  loop.updates.mark(1, Presence::zero);
  loop.step_given();
  EXPECT_EQ(loop.updates.presence(1), Presence::zero);
}

TEST(Masked, InsideMultiStepsSeesTheMean) {
  Loop<Exact> loop("multi_steps(masked(scale(10), mask=[b]), k=2)", two_leaves(), {0, 0});
  loop.step({2, 7});
  EXPECT_EQ(loop.step({4, 9}), (Numbers{3, 80}));
}

}  // namespace
}  // namespace microstep::testing_optim
