#include <gtest/gtest.h>

#include <cmath>

#include "microstep/json/plan.hpp"
#include "refusal.hpp"

namespace microstep {
namespace {

State<double> some_state() {
  State<double> state{"multi_steps", {{"mini_step", 1}, {"gradient_step", 9007199254740993}}, {}, {}};
  Tree<double> slot(make_layout({{"w", {2}, Dtype::float32},
                                 {"untouched", {2, 1}, Dtype::bfloat16},
                                 {"frozen", {}, Dtype::float64},
                                 {"empty", {0, 3}, Dtype::float16}}),
                    Presence::zero);
  slot.mark(0, Presence::dense);
  slot.values(0)[0] = -0.0;
  slot.values(0)[1] = std::nan("");
  slot.mark(2, Presence::absent);
  state.slots.emplace_back("acc_grads", std::move(slot));
  state.of.push_back({"trace", {}, {{"trace", Tree<double>(make_layout({{"w", {}, Dtype::float32}}))}}, {}});
  state.of[0].slots[0].second.values(0)[0] = 0.5;
  return state;
}

TEST(State, KeepsWhichLeavesAreZeroAndWhichAbsent) {
  const State<double> back = decode_state(encode_state(some_state()));
  const Tree<double>& slot = back.slot("acc_grads");
  EXPECT_EQ(slot.layout(), some_state().slot("acc_grads").layout());
  EXPECT_EQ(slot.presence(0), Presence::dense);
  EXPECT_EQ(slot.presence(1), Presence::zero);
  EXPECT_EQ(slot.presence(2), Presence::absent);
  EXPECT_EQ(slot.presence(3), Presence::zero);
}

TEST(State, KeepsNumbersCountsAndInnerStates) {
  const State<double> back = decode_state(encode_state(some_state()));
  EXPECT_EQ(back.op, "multi_steps");
  EXPECT_EQ(back.count("gradient_step"), 9007199254740993);
  EXPECT_TRUE(std::signbit(back.slot("acc_grads").values(0)[0]));
  EXPECT_TRUE(std::isnan(back.slot("acc_grads").values(0)[1]));
  EXPECT_EQ(back.of.at(0).slot("trace").values(0)[0], 0.5);
  EXPECT_EQ(encode_state(back), encode_state(some_state()));
}

TEST(State, RefusesAnUnknownKeyOfALeaf) {
  std::string text = encode_state(some_state());
  text.replace(text.find("\"zero\""), 6, "\"none\"");
  EXPECT_EQ(refusal([&] { decode_state(text); }).id(), "json.unknown-key");
}

}  // namespace
}  // namespace microstep
