// The request `forward`, its answers, and the switches of a plan.
#include <gtest/gtest.h>

#include "microstep/json/plan.hpp"
#include "microstep/json/protocol.hpp"
#include "microstep/json/trace.hpp"
#include "refusal.hpp"

namespace microstep {
namespace {

constexpr std::string_view asked =
    R"json({"seq":3,"request":"forward","model":"linear(2, outputs=1)","params":{"w":{"dtype":"float32","shape":[2,1],)json"
    R"json("values":[1,2]},"b":{"dtype":"float32","shape":[1],"values":[0.5]}},"inputs":{"dtype":"float32","shape":[1,2],)json"
    R"json("values":[3,4]},"switches":{"matmul":"loops"}})json";

Forward forward_of(std::string_view text) { return *read_request(parse_request(text)).forward; }

std::string replaced(std::string text, std::string_view part, std::string_view with) {
  return text.replace(text.find(part), part.size(), with);
}

ForwardAnswer answered(const std::string& rest) {
  return read_forward_answer(parse_answer("{\"seq\":3," + rest + "}"), forward_of(asked), {1, 1});
}

TEST(ForwardRequest, IsWrittenAsItWasRead) { EXPECT_EQ(encode_forward_request(3, forward_of(asked)), asked); }

TEST(ForwardRequest, KeepsWhatStandsInIt) {
  const Forward forward = forward_of(asked);
  EXPECT_EQ(forward.model.op, "linear");
  EXPECT_EQ(forward.params.leaf(0).shape, (Shape{2, 1}));
  EXPECT_EQ(forward.inputs, (Tensor{Dtype::float32, {1, 2}, {3, 4}}));
  EXPECT_EQ(forward.switches.at("matmul"), "loops");
}

TEST(ForwardRequest, RefusesWhatIsNoModelOrIsNotKnown) {
  EXPECT_EQ(refusal([] { forward_of(replaced(std::string(asked), "linear(2, outputs=1)", "replay")); }).id(),
            "spec.unknown-op");
  EXPECT_EQ(refusal([] { forward_of(replaced(std::string(asked), "\"switches\"", "\"switch\"")); }).id(),
            "json.unknown-key");
  EXPECT_EQ(refusal([] { forward_of(replaced(std::string(asked), "\"loops\"", "1")); }).id(), "json.wrong-type");
}

TEST(ForwardAnswer, Survives) {
  const Outputs outputs{{Dtype::float32, {1, 1}, {11.5}}, {{"matmul", "loops"}}};
  const std::string line = encode_forward_answer(3, outputs);
  EXPECT_EQ(line,
            R"({"seq":3,"outputs":{"dtype":"float32","shape":[1,1],"values":[11.5]},"kernels":{"matmul":"loops"}})");
  const Outputs read = std::get<Outputs>(read_forward_answer(parse_answer(line), forward_of(asked), {1, 1}));
  EXPECT_EQ(read.outputs, outputs.outputs);
  EXPECT_EQ(read.kernels, outputs.kernels);
  EXPECT_EQ(unknown_keys(parse_answer(line)), 0U);
}

TEST(ForwardAnswer, IsSkippedOrErrored) {
  EXPECT_EQ(std::get<Skipped>(answered(R"("skipped":{"reason":"no conv"})")).reason, "no conv");
  EXPECT_EQ(std::get<Errored>(answered(R"("errored":{"message":"oops"})")).message, "oops");
}

TEST(ForwardAnswer, RefusesOtherShapesAndDtypes) {
  const auto id_of = [](const std::string& rest) { return refusal([&] { answered(rest); }).id(); };
  EXPECT_EQ(id_of(R"("outputs":{"dtype":"float32","shape":[1,2],"values":[1,2]})"), "json.shape-mismatch");
  EXPECT_EQ(id_of(R"("outputs":{"dtype":"float64","shape":[1,1],"values":[1]})"), "json.dtype-mismatch");
  EXPECT_EQ(id_of(R"("outputs":{"dtype":"float32","shape":[1,1],"values":[null]})"), "json.null-number");
  EXPECT_EQ(id_of(R"("trace":{})"), "json.wrong-answer");
  EXPECT_EQ(id_of(R"("outputs":{"dtype":"float32","shape":[1,1],"values":[1]},"skipped":{"reason":""})"),
            "json.wrong-answer");
}

TEST(PortFacts, KeepModelsAndSwitches) {
  PortFacts facts;
  facts.models = {"linear"};
  facts.switches = {{"batching", "plain, vmap"}};
  const PortFacts read = read_port_facts(parse_answer(encode_start_answer(1, facts)));
  EXPECT_EQ(read.models, facts.models);
  EXPECT_EQ(read.switches, facts.switches);
}

TEST(Switches, StandInAPlanAndItsKernelsInATrace) {
  const std::string text =
      R"json({"schema":"microstep/plan/1","spec":"sgd(1)","problem":"mlp(1, 1)","params":{"w0":)json"
      R"json({"dtype":"float32","shape":[1,1],"values":[1]},"b0":{"dtype":"float32","shape":[1],)json"
      R"json("values":[0]}},"batches":[[0]],"switches":{"matmul":"loops"}})json";
  const Plan plan = decode_plan(text);
  EXPECT_EQ(plan.switches.at("matmul"), "loops");
  EXPECT_EQ(decode_plan(encode_plan(plan)).switches, plan.switches);
  const std::string trace = R"json({"initial":{"params":{}},"steps":[],"kernels":{"matmul":"loops"}})json";
  EXPECT_EQ(decode_trace(trace).kernels.at("matmul"), "loops");
  EXPECT_EQ(decode_trace(encode_trace(decode_trace(trace))).kernels.at("matmul"), "loops");
}

}  // namespace
}  // namespace microstep
