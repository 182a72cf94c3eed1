#include "microstep/golden/golden.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sample.hpp"

namespace microstep {
namespace {

std::string edited(const std::string& from, const std::string& to) {
  std::string text = encode_golden(sample_golden());
  std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Golden, IsWrittenAsItWasRead) {
  std::string text = encode_golden(sample_golden());
  EXPECT_EQ(encode_golden(decode_golden(text, "g")), text);
}

TEST(Golden, KeepsAllThatStandsInIt) {
  Golden golden = decode_golden(encode_golden(sample_golden()), "g");
  EXPECT_EQ(golden.id, "sgd.alone");
  EXPECT_EQ(golden.why, "a \"quoted\" reason");
  EXPECT_EQ(golden.source, "by hand");
  EXPECT_EQ(golden.flags, std::vector<std::string>{"dyadic"});
  EXPECT_EQ(golden.provenance.runtime.at("jax"), "0");
  EXPECT_EQ(golden.provenance.dtypes, std::vector<Dtype>{Dtype::float32});
  EXPECT_EQ(golden.provenance.hyper_precision, HyperPrecision::leaf);
  EXPECT_TRUE(golden.provenance.flushes_subnormals);
  EXPECT_EQ(golden.provenance.machine, "x86_64");
  EXPECT_EQ(golden.expected.plans, Sameness::different);
  EXPECT_EQ(golden.expected.contracts.at("identity.k1"), Outcome::broken);
  EXPECT_EQ(golden.expected.behaviours, std::vector<std::string>{"flushes"});
}

TEST(Golden, KeepsEveryBitOfItsTraces) {
  Trace trace = decode_golden(encode_golden(sample_golden()), "g").traces.at(Role::accumulated);
  std::size_t w = trace.schema().find_column("params/w").value();
  EXPECT_TRUE(std::signbit(trace.numbers(0, w)[1]));
  EXPECT_TRUE(std::isnan(trace.numbers(1, w)[0]));
  EXPECT_EQ(trace.numbers(1, w)[1], 0x1p-149);
  EXPECT_EQ(trace.numbers(1, trace.schema().find_column("updates/w").value())[1], HUGE_VAL);
  EXPECT_EQ(trace.presence(1, trace.schema().find_column("gradients/s").value()), Presence::absent);
}

struct Edit {
  std::string from, to, id, place;
};

TEST(Golden, RefusesEachWrongPart) {
  const Edit edits[] = {
      {"golden/1", "golden/2", "golden.newer-schema", "g#/schema"},
      {"golden/1", "gold/1", "json.wrong-schema", "g#/schema"},
      {"\"why\"", "\"whi\"", "json.unknown-key", "g#"},
      {"\"different\"", "\"differs\"", "json.wrong-value", "g#/expected/plans"},
      {"\"broken\"", "\"breaks\"", "json.wrong-value", "g#/expected/contracts/identity.k1"},
      {"identity.k1", "identity.k2", "contract.unknown", "g#/expected/contracts/identity.k2"},
      {"\"sgd.alone\"", "\"../sgd\"", "golden.bad-id", "g#/id"},
      {"\"traces\": {\n    \"accumulated\"", "\"traces\": {\n    \"reference\"", "golden.no-plan",
       "g#/traces/reference"},
      {"[\"float32\"]", "[\"float8\"]", "json.unknown-dtype", "g#/provenance/dtypes/0"},
      {"sgd(0.5)", "sgd(-1)", "spec.out-of-range", "g#/plans/accumulated/spec"},
  };
  for (const Edit& edit : edits) {
    Error error = refusal([&] { decode_golden(edited(edit.from, edit.to), "g"); });
    EXPECT_EQ(error.id(), edit.id) << edit.to;
    EXPECT_EQ(error.place().substr(0, error.place().find('\n')), edit.place) << edit.to;
  }
}

TEST(Golden, NeedsAnIdThatCanNameAFile) {
  for (const char* id : {"", ".hidden", "a/b", "A", "a b", "..", "a\n"}) {
    EXPECT_EQ(refusal([&] { encode_golden(sample_golden(id)); }).id(), "golden.bad-id") << id;
  }
  EXPECT_EQ(refusal([&] { encode_golden(sample_golden(std::string(201, 'a'))); }).id(), "golden.bad-id");
}

TEST(Golden, IsRefusedWhereverItIsCut) {
  std::string text = encode_golden(sample_golden());
  for (std::size_t length = 0; length + 2 < text.size(); length += 11)
    EXPECT_THROW(decode_golden(text.substr(0, length), "g"), Error) << length;
}

}  // namespace
}  // namespace microstep
