#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "microstep/json/plan.hpp"
#include "microstep/json/trace.hpp"
#include "refusal.hpp"

namespace microstep {
namespace {

std::string file(const std::string& path) {
  std::string text;
  std::FILE* stream = std::fopen((MICROSTEP_SOURCE_DIR "/" + path).c_str(), "rb");
  if (!stream) return text;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, stream)) > 0;) text.append(buffer, n);
  std::fclose(stream);
  return text;
}

// recorded/numpy_loop.json is what docs/numpy_loop.py printed with NumPy 2.
TEST(Dumped, ReadsWhatTheNumpyLoopOfTheDocsPrints) {
  DumpedTrace dumped = decode_dumped_trace(file("tests/json/recorded/numpy_loop.json"), "loop");
  EXPECT_EQ(dumped.spec, "multi_steps(adam(0.1), k=2)");
  EXPECT_TRUE(dumped.trace.deviations.empty());
  EXPECT_EQ(dumped.trace.microsteps(), 6);
  EXPECT_EQ(dumped.trace.count(6, dumped.trace.schema().find_count("state/of[0]/count").value()), 3);
  EXPECT_TRUE(dumped.trace.schema().find_column("state/of[0]/nu/w"));
}

TEST(Dumped, SurvivesWithItsHeader) {
  DumpedTrace dumped = decode_dumped_trace(file("tests/json/recorded/numpy_loop.json"));
  dumped.hyper_precision = HyperPrecision::leaf;
  dumped.flushes_subnormals = true;
  dumped.weights[2] = 2.5;
  std::string text = encode_dumped_trace(dumped);
  DumpedTrace back = decode_dumped_trace(text);
  EXPECT_EQ(back.hyper_precision, HyperPrecision::leaf);
  EXPECT_TRUE(back.flushes_subnormals);
  EXPECT_EQ(back.weights, dumped.weights);
  EXPECT_EQ(encode_dumped_trace(back), text);
}

constexpr std::string_view small = R"json({"schema":"microstep/trace/1",
  "initial":{"params":{"w":{"dtype":"float32","values":[1,2]},"b":{"dtype":"float64","values":3}}},
  "steps":[{"gradients":{"w":{"dtype":"bfloat16","values":[4,5]}}},{"weight":3,"gradients":{"w":[6,7],"b":8}}]})json";

TEST(Dumped, BecomesAReplayPlan) {
  Plan plan = replay_plan_of(decode_dumped_trace(small), parse_spec("sgd(0.5)"));
  EXPECT_EQ(plan.params.values(0)[1], 2);
  EXPECT_EQ(plan.params.values(1)[0], 3);
  EXPECT_EQ(plan.gradient_layout->leaves()[0].dtype, Dtype::bfloat16);
  EXPECT_EQ(plan.given[0].gradient.presence(1), Presence::absent);
  EXPECT_EQ(plan.given[1].gradient.values(1)[0], 8);
  EXPECT_EQ(plan.given[1].weight, 3);
  EXPECT_EQ(plan.batches, (std::vector<std::vector<std::int64_t>>{{0}, {1}}));
  EXPECT_EQ(plan.hyper_precision, HyperPrecision::undeclared);
}

TEST(Dumped, NeedsGradients) {
  DumpedTrace dumped = decode_dumped_trace(
      R"({"schema":"microstep/trace/1","initial":{"params":{"w":{"dtype":"float32","values":[1]}}},"steps":[{"params":{"w":[1]}}]})");
  EXPECT_EQ(refusal([&] { replay_plan_of(dumped, parse_spec("sgd(0.5)")); }).id(), "json.no-gradients");
}

// A leaf without a gradient is left out, so a step without any says {}; one that says nothing cannot be judged.
TEST(Dumped, NeedsGradientsInEachStep) {
  const std::string text(small);
  const std::string first = R"("gradients":{"w":{"dtype":"bfloat16","values":[4,5]}})";
  auto with_first = [&](const std::string& other) {
    std::string edited = text;
    return edited.replace(edited.find(first), first.size(), other);
  };
  const Error error = refusal([&] { decode_dumped_trace(with_first(""), "loop"); });
  EXPECT_EQ(error.id() + " " + error.place(), "json.no-gradients loop#/steps/0");
  const DumpedTrace none = decode_dumped_trace(with_first(R"("gradients":{})"));
  EXPECT_EQ(none.trace.presence(1, none.trace.schema().find_column("gradients/w").value()), Presence::absent);
  EXPECT_EQ(encode_dumped_trace(decode_dumped_trace(encode_dumped_trace(none))), encode_dumped_trace(none));
}

TEST(Dumped, NeedsItsSchema) {
  EXPECT_EQ(refusal([] { decode_dumped_trace(R"({"initial":{"params":{}},"steps":[]})"); }).id(), "json.missing-key");
}

State<double> some_state() {
  LayoutPointer layout = make_layout({{"w", {2}, Dtype::bfloat16}, {"b", {}, Dtype::float32}});
  Tree<double> slot(layout, Presence::absent);
  slot.mark(0, Presence::dense);
  slot.values(0)[0] = -0.0;
  slot.values(0)[1] = 1.0 / 256;
  State<double> inner{"trace", {}, {{"trace", Tree<double>(layout, Presence::zero)}}, {}};
  return {"multi_steps", {{"mini_step", 3}}, {{"acc_grads", slot}}, {inner, State<double>{"scale", {}, {}, {}}}};
}

TEST(StateBytes, KeepShapeOfTheTreeAndEveryBit) {
  State<double> back = decode_state(encode_state(some_state()));
  EXPECT_EQ(back.op, "multi_steps");
  EXPECT_EQ(back.count("mini_step"), 3);
  const Tree<double>& slot = back.slot("acc_grads");
  EXPECT_EQ(slot.layout(), some_state().slot("acc_grads").layout());
  EXPECT_TRUE(std::signbit(slot.values(0)[0]));
  EXPECT_EQ(slot.values(0)[1], 1.0 / 256);
  EXPECT_EQ(slot.presence(1), Presence::absent);
  EXPECT_EQ(back.of[0].slot("trace").presence(1), Presence::zero);
  EXPECT_EQ(back.of[1].op, "scale");
  EXPECT_EQ(encode_state(back), encode_state(some_state()));
}

TEST(StateBytes, RefuseATruncatedText) {
  std::string text = encode_state(some_state());
  EXPECT_EQ(refusal([&] { decode_state(text.substr(0, text.size() / 2)); }).id(), "json.invalid-json");
}

}  // namespace
}  // namespace microstep
