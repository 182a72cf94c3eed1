// Traces that a port made of a known plan, large leaves and zero leaves.
#include <gtest/gtest.h>

#include <cmath>

#include "microstep/json/plan.hpp"
#include "microstep/json/trace.hpp"

namespace microstep {
namespace {

const Column& column(const Trace& trace, std::string_view path) {
  return trace.schema().columns().at(trace.schema().find_column(path).value());
}

constexpr std::string_view plan_text = R"json({"schema":"microstep/plan/1","spec":"sgd(0.5)",
  "params":{"w":{"dtype":"float32","shape":[2],"values":[1,2]}},"gradient_dtypes":{"w":"bfloat16"},
  "given":[{"gradients":{"w":[1,1]}}],"batches":[[0]]})json";

TEST(Trace, TakesFormsFromThePlanThatWasRun) {
  Plan plan = decode_plan(plan_text);
  Trace trace = decode_trace(
      R"({"initial":{"params":{"w":[1,2]}},"steps":[{"gradients":{"w":[1,1]},"updates":{"w":[-0.5,-0.5]},"params":{"w":[0.5,1.5]}}]})",
      "t", &plan);
  EXPECT_EQ(column(trace, "gradients/w").dtype, Dtype::bfloat16);
  EXPECT_EQ(column(trace, "updates/w").dtype, Dtype::float32);
  EXPECT_EQ(column(trace, "params/w").shape, Shape{2});
}

TEST(Trace, DeviatesFromThePlanThatWasRun) {
  Plan plan = decode_plan(plan_text);
  Trace trace = decode_trace(
      R"({"initial":{"params":{"w":{"dtype":"float64","values":[1,2]},"v":{"dtype":"float32","values":[1]}}},"steps":[]})",
      "t", &plan);
  ASSERT_EQ(trace.deviations.size(), 2U);
  EXPECT_EQ(trace.deviations[0].kind, Deviation::Kind::dtype);
  EXPECT_EQ(trace.deviations[1].path, "params/v");
}

TEST(Trace, WritesLargeLeavesAsBase64) {
  Schema schema({{"params/w", {64, 65}, Dtype::bfloat16}}, {});
  Trace trace(std::make_shared<const Schema>(schema));
  trace.append_row();
  trace.presence(0, 0) = Presence::dense;
  for (std::size_t i = 0; i < 64 * 65; ++i) trace.numbers(0, 0)[i] = i % 3 == 0 ? -0.0 : HUGE_VAL;
  std::string text = encode_trace(trace);
  EXPECT_NE(text.find("\"base64\":\""), std::string::npos);
  Trace back = decode_trace(text);
  for (std::size_t i = 0; i < 64 * 65; ++i)
    ASSERT_EQ(bits_of(Dtype::bfloat16, back.numbers(0, 0)[i]), bits_of(Dtype::bfloat16, trace.numbers(0, 0)[i]));
  EXPECT_EQ(encode_trace(back), text);
}

TEST(Trace, WritesZeroLeavesAsZeros) {
  Trace trace(std::make_shared<const Schema>(Schema({{"params/w", {2}, Dtype::float32}}, {})));
  trace.append_row();
  trace.numbers(0, 0)[0] = 9;
  trace.presence(0, 0) = Presence::zero;
  EXPECT_NE(encode_trace(trace).find("\"values\":[0,0]"), std::string::npos);
}

}  // namespace
}  // namespace microstep
