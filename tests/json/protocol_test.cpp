#include "microstep/json/protocol.hpp"

#include <gtest/gtest.h>

#include "microstep/json/plan.hpp"
#include "microstep/json/trace.hpp"
#include "refusal.hpp"

namespace microstep {
namespace {

constexpr std::string_view plan_text = R"json({"schema":"microstep/plan/1","spec":"sgd(0.5)",
  "params":{"w":{"dtype":"float32","shape":[1],"values":[1]}},"given":[{"gradients":{"w":[1]}}],"batches":[[0]]})json";

Request back(const std::string& line) { return read_request(parse_answer(line)); }

TEST(Protocol, RequestsSurvive) {
  Plan plan = decode_plan(plan_text);
  EXPECT_EQ(encode_start_request(1), R"({"seq":1,"request":"start","version":1})");
  EXPECT_EQ(encode_stop_request(9), R"({"seq":9,"request":"stop"})");
  EXPECT_EQ(back(encode_start_request(1)).kind, Request::Kind::start);
  Request run = back(encode_run_request(2, plan));
  EXPECT_EQ(run.kind, Request::Kind::run);
  EXPECT_EQ(run.seq, 2);
  EXPECT_EQ(encode_plan(*run.plan), encode_plan(plan));
  EXPECT_EQ(back(encode_stop_request(9)).kind, Request::Kind::stop);
}

TEST(Protocol, RequestsAreOneLine) {
  EXPECT_EQ(encode_run_request(2, decode_plan(plan_text)).find('\n'), std::string::npos);
}

TEST(Protocol, RefusesAnUnknownRequest) {
  EXPECT_EQ(refusal([] { back(R"({"seq":1,"request":"go"})"); }).id(), "json.unknown-request");
  EXPECT_EQ(refusal([] { back(R"({"request":"stop"})"); }).id(), "json.missing-key");
}

TEST(Protocol, PortFactsSurvive) {
  PortFacts facts;
  facts.name = "optax";
  facts.runtime = {{"jax", "0.10.2"}, {"optax", "0.2.8"}};
  facts.specs = {"adam", "chain"};
  facts.dtypes = {Dtype::float32, Dtype::bfloat16};
  facts.hyper_precision = HyperPrecision::float32;
  facts.flushes_subnormals = true;
  PortFacts read = read_port_facts(parse_answer(encode_start_answer(1, facts)));
  EXPECT_EQ(read.name, "optax");
  EXPECT_EQ(read.runtime, facts.runtime);
  EXPECT_EQ(read.specs, facts.specs);
  EXPECT_EQ(read.dtypes, facts.dtypes);
  EXPECT_EQ(read.problems, std::vector<std::string>{"replay"});
  EXPECT_EQ(read.hyper_precision, HyperPrecision::float32);
  EXPECT_TRUE(read.flushes_subnormals);
}

TEST(Protocol, PortFactsHaveDefaults) {
  PortFacts facts = read_port_facts(parse_answer(R"({"seq":1,"version":2,"name":"p","specs":[],"dtypes":[],"new":1})"));
  EXPECT_EQ(facts.version, 2);
  EXPECT_EQ(facts.problems, std::vector<std::string>{"replay"});
  EXPECT_EQ(facts.hyper_precision, HyperPrecision::undeclared);
  EXPECT_FALSE(facts.flushes_subnormals);
}

TEST(Protocol, NamesTheFieldThatTheHandshakeMisses) {
  Error error = refusal([] { read_port_facts(parse_answer(R"({"seq":1,"version":1,"name":"p","specs":[]})")); });
  EXPECT_EQ(error.id(), "json.missing-key");
  EXPECT_NE(error.message().find("\"dtypes\""), std::string::npos);
  EXPECT_EQ(error.place(), "answer#");
}

TEST(Protocol, ListsTheDtypesForAnUnknownOne) {
  Error error = refusal(
      [] { read_port_facts(parse_answer(R"({"seq":1,"version":1,"name":"p","specs":[],"dtypes":["float8"]})")); });
  EXPECT_EQ(error.id(), "json.unknown-dtype");
  EXPECT_EQ(error.next(), "known are float64, float32, bfloat16, float16");
}

Answer answered(const std::string& line) { return read_answer(parse_answer(line), decode_plan(plan_text)); }

TEST(Protocol, AnswersSurvive) {
  Answer skipped = answered(encode_answer(3, Skipped{"no float16"}));
  EXPECT_EQ(std::get<Skipped>(skipped).reason, "no float16");
  Answer errored = answered(encode_answer(3, Errored{"x.y", "a\nb\xff"}));
  EXPECT_EQ(std::get<Errored>(errored).id, "x.y");
  EXPECT_EQ(std::get<Errored>(errored).message, "a\nb\xEF\xBF\xBD");
  Trace trace = decode_trace(R"({"initial":{"params":{"w":{"dtype":"float32","values":[1]}}},"steps":[]})");
  Answer traced = answered(encode_answer(3, trace));
  EXPECT_EQ(encode_trace(std::get<Trace>(traced)), encode_trace(trace));
  EXPECT_EQ(seq_of(parse_answer(encode_answer(3, trace))), 3);
}

TEST(Protocol, RefusesAnswersThatAreNone) {
  EXPECT_EQ(refusal([] { answered(R"({"seq":3})"); }).id(), "json.wrong-answer");
  EXPECT_EQ(refusal([] { answered(R"({"seq":3,"skipped":{"reason":"a"},"errored":{"message":"b"}})"); }).id(),
            "json.wrong-answer");
  EXPECT_EQ(refusal([] { answered(R"([3])"); }).id(), "json.wrong-type");
  EXPECT_EQ(refusal([] { seq_of(parse_answer(R"({"seq":"3"})")); }).id(), "json.wrong-type");
}

TEST(Protocol, GivesAPortErrorAnId) {
  EXPECT_EQ(std::get<Errored>(answered(R"({"seq":3,"errored":{"message":"m"}})")).id, "port.error");
}

TEST(Protocol, CountsKeysItIgnores) {
  EXPECT_EQ(unknown_keys(parse_answer(R"({"seq":1,"a":1,"skipped":{},"b":2})")), 2U);
}

}  // namespace
}  // namespace microstep
