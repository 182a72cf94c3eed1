#include "microstep/json/trace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "microstep/json/plan.hpp"
#include "refusal.hpp"

namespace microstep {
namespace {

constexpr std::string_view written = R"json({
  "schema": "microstep/trace/1",
  "initial": {
    "params": {
      "w": {"dtype":"float32","shape":[2],"values":[1,0.1]},
      "net/b": {"dtype":"bfloat16","shape":[],"values":-0.0}
    },
    "state": {
      "counts": {"mini_step":0},
      "slots": {
        "acc_grads": {
          "w": {"dtype":"float64","values":[0,0]},
          "net/b": 0
        }
      },
      "of": [
        {},
        {
          "counts": {"count":0},
          "slots": {
            "mu": {
              "w": [0,0],
              "net/b": 0
            }
          }
        }
      ]
    }
  },
  "steps": [
    {"loss":0.1,"gradients":{"w":{"dtype":"bfloat16","values":[0.1,"NaN"]}},"updates":{"w":[0,"-Infinity"]},"params":{"w":[1,0.1],"net/b":-0.0},"state":{"counts":{"mini_step":1},"slots":{"acc_grads":{"w":[0.1,5e-324],"net/b":0}},"of":[{},{"counts":{"count":1},"slots":{"mu":{"w":[1e-45,0],"net/b":0}}}]}},
    {"gradients":{"net/b":1},"updates":{"w":[0,0],"net/b":0},"params":{"w":[1,0.1],"net/b":-0.0},"state":{"counts":{"mini_step":0},"slots":{"acc_grads":{"w":[0,0],"net/b":0}},"of":[{},{"counts":{"count":1},"slots":{"mu":{"w":[0,0],"net/b":0}}}]}}
  ]
}
)json";

std::string edited(std::string_view from, std::string_view to) {
  std::string text(written);
  std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const Column& column(const Trace& trace, std::string_view path) {
  return trace.schema().columns().at(trace.schema().find_column(path).value());
}

std::span<const double> numbers(const Trace& trace, std::int64_t row, std::string_view path) {
  return trace.numbers(row, trace.schema().find_column(path).value());
}

Presence presence(const Trace& trace, std::int64_t row, std::string_view path) {
  return trace.presence(row, trace.schema().find_column(path).value());
}

TEST(Trace, IsWrittenAsItWasRead) {
  Trace trace = decode_trace(written);
  EXPECT_TRUE(trace.deviations.empty());
  EXPECT_EQ(encode_trace(trace), written);
}

TEST(Trace, BecomesFlatRows) {
  Trace trace = decode_trace(written);
  EXPECT_EQ(trace.microsteps(), 2);
  EXPECT_EQ(trace.schema().count_paths(), (std::vector<std::string>{"state/mini_step", "state/of[1]/count"}));
  EXPECT_EQ(trace.count(1, 0), 1);
  EXPECT_EQ(trace.count(2, 1), 1);
  EXPECT_EQ(numbers(trace, 1, "state/of[1]/mu/w")[0], 0x1p-149);
  EXPECT_EQ(numbers(trace, 1, "state/acc_grads/w")[1], 0x1p-1074);
  EXPECT_TRUE(std::isnan(numbers(trace, 1, "gradients/w")[1]));
  EXPECT_TRUE(std::signbit(numbers(trace, 2, "params/net/b")[0]));
}

TEST(Trace, KnowsTheDtypeOfEachColumn) {
  Trace trace = decode_trace(written);
  EXPECT_EQ(column(trace, "gradients/w").dtype, Dtype::bfloat16);
  EXPECT_EQ(column(trace, "gradients/net/b").dtype, Dtype::bfloat16);
  EXPECT_EQ(column(trace, "updates/w").dtype, Dtype::float32);
  EXPECT_EQ(column(trace, "state/acc_grads/w").dtype, Dtype::float64);
  EXPECT_EQ(column(trace, "state/of[1]/mu/net/b").dtype, Dtype::bfloat16);
  EXPECT_EQ(column(trace, "state/of[1]/mu/w").shape, Shape{2});
  EXPECT_EQ(column(trace, "loss").dtype, Dtype::float64);
}

TEST(Trace, LeavesAbsentWhatIsLeftOut) {
  Trace trace = decode_trace(written);
  EXPECT_EQ(presence(trace, 0, "gradients/w"), Presence::absent);
  EXPECT_EQ(presence(trace, 1, "gradients/w"), Presence::dense);
  EXPECT_EQ(presence(trace, 1, "gradients/net/b"), Presence::absent);
  EXPECT_EQ(presence(trace, 1, "updates/net/b"), Presence::absent);
  EXPECT_EQ(presence(trace, 2, "loss"), Presence::absent);
}

TEST(Trace, TakesNestedListsAndFullLeavesEverywhere) {
  Trace trace =
      decode_trace(edited(R"("mu":{"w":[1e-45,0])", R"("mu":{"w":{"dtype":"float32","shape":[2],"values":[1e-45,0]})"));
  EXPECT_EQ(encode_trace(trace), written);
}

TEST(Trace, IgnoresKeysItDoesNotKnow) {
  EXPECT_EQ(encode_trace(decode_trace(
                edited(R"("counts":{"mini_step":1})", R"("op":"x","raw":[null],"counts":{"mini_step":1})"))),
            written);
}

struct Deviant {
  std::string_view from, to;
  Deviation::Kind kind;
  std::int64_t microstep;
  std::string_view path;
};

constexpr Deviant deviants[] = {
    {R"("mu":{"w":[1e-45,0],"net/b":0})", R"("mu":{"w":[1e-45,0]})", Deviation::Kind::keys, 1, "state/of[1]/mu/net/b"},
    {R"("counts":{"mini_step":1},)", "", Deviation::Kind::keys, 1, "state/mini_step"},
    {R"("counts":{"mini_step":1})", R"("counts":{"mini_step":1,"n":2})", Deviation::Kind::keys, 1, "state/n"},
    {R"("params":{"w":[1,0.1],"net/b":-0.0},)", "", Deviation::Kind::keys, 1, "params"},
    {R"("updates":{"w":[0,"-Infinity"]},)", "", Deviation::Kind::keys, 1, "updates"},
    {R"("updates":{"w":[0,0],)", R"("updates":{"w":[0,0],"v":[1],)", Deviation::Kind::keys, 2, "updates/v"},
    {R"("mu":{"w":[1e-45,0])", R"("mu":{"w":{"shape":[3],"values":[1,2,3]})", Deviation::Kind::shape, 1,
     "state/of[1]/mu/w"},
    {R"("gradients":{"net/b":1})", R"("gradients":{"net/b":{"shape":[1],"values":[1]}})", Deviation::Kind::shape, 2,
     "gradients/net/b"},
    {R"("mu":{"w":[1e-45,0])", R"("mu":{"w":{"dtype":"float64","values":[1e-50,0]})", Deviation::Kind::dtype, 1,
     "state/of[1]/mu/w"},
    {R"("mu":{"w":[1e-45,0])", R"("mu":{"w":{"dtype":"bfloat16","values":[1,0]})", Deviation::Kind::dtype, 1,
     "state/of[1]/mu/w"},
};

TEST(Trace, KeepsADeviationAndGoesOn) {
  for (const Deviant& row : deviants) {
    Trace trace = decode_trace(edited(row.from, row.to));
    ASSERT_EQ(trace.deviations.size(), 1U) << row.to;
    EXPECT_EQ(trace.deviations[0].kind, row.kind) << row.to;
    EXPECT_EQ(trace.deviations[0].microstep, row.microstep) << row.to;
    EXPECT_EQ(trace.deviations[0].path, row.path) << row.to;
    EXPECT_EQ(trace.microsteps(), 2);
  }
}

TEST(Trace, WritesDeviationsSoThatTheyAreReadBack) {
  for (const Deviant& row : deviants) {
    std::string text = encode_trace(decode_trace(edited(row.from, row.to)));
    Trace back = decode_trace(text);
    ASSERT_EQ(back.deviations.size(), 1U) << row.to;
    EXPECT_EQ(back.deviations[0].path, row.path);
    EXPECT_EQ(back.deviations[0].kind, row.kind);
    EXPECT_EQ(encode_trace(back), text) << row.to;
  }
}

TEST(Trace, KeepsTheNumbersOfAnotherDtype) {
  Trace trace = decode_trace(edited(R"("mu":{"w":[1e-45,0])", R"("mu":{"w":{"dtype":"float64","values":[1e-50,0]})"));
  EXPECT_EQ(numbers(trace, 1, "state/of[1]/mu/w")[0], 1e-50);
  EXPECT_EQ(numbers(decode_trace(encode_trace(trace)), 1, "state/of[1]/mu/w")[0], 1e-50);
}

TEST(Trace, MayHideItsState) {
  Trace trace =
      decode_trace(R"({"initial":{"params":{"w":{"dtype":"float32","values":[1]}}},"steps":[{"params":{"w":[1]}}]})");
  EXPECT_EQ(trace.schema().columns().size(), 1U);
  EXPECT_TRUE(trace.deviations.empty());
}

TEST(Trace, MayHaveNoSteps) {
  Trace trace = decode_trace(R"({"initial":{"params":{}},"steps":[]})");
  EXPECT_EQ(trace.microsteps(), 0);
  EXPECT_EQ(encode_trace(decode_trace(encode_trace(trace))), encode_trace(trace));
}

struct Refused {
  std::string_view from, to, id, place;
};

TEST(Trace, RefusesWhatIsNoTrace) {
  const Refused table[] = {
      {"\"initial\"", "\"start\"", "json.missing-key", "t#"},
      {"\"steps\"", "\"rows\"", "json.missing-key", "t#"},
      {"trace/1", "trace/2", "json.newer-schema", "t#/schema"},
      {R"("mini_step":1)", R"("mini_step":18446744073709551616)", "json.integer-range",
       "t#/steps/0/state/counts/mini_step"},
      {R"("mini_step":1)", R"("mini_step":1.5)", "json.wrong-type", "t#/steps/0/state/counts/mini_step"},
      {"\"w\":[1e-45,0]", "\"w\":[1e-45]", "json.shape-mismatch", "t#/steps/0/state/of/1/slots/mu/w"},
      {"\"w\":[1e-45,0]", "\"w\":[1e-45,null]", "json.null-number", "t#/steps/0/state/of/1/slots/mu/w/1"},
      {"\"w\":[1e-45,0]", "\"w\":null", "json.null-number", "t#/steps/0/state/of/1/slots/mu/w"},
      {"\"w\":[1e-45,0]", "\"w\":[0.123456789,0]", "json.not-representable", "t#/steps/0/state/of/1/slots/mu/w/0"},
      {R"("dtype":"float32","shape":[2])", R"("shape":[2])", "json.missing-key", "t#/initial/params/w"},
      {R"("shape":[2],"values":[1,0.1])", R"("shape":[2],"values":[1,0.1],"base64":"AAAAAAAAAAA=")",
       "json.values-twice", "t#/initial/params/w"},
      {R"("mu":{"w":[1e-45)", R"("a/b":{"w":[1e-45)", "json.bad-name", "t#/steps/0/state/of/1/slots"},
  };
  for (const Refused& row : table) {
    Error error = refusal([&] { decode_trace(edited(row.from, row.to), "t"); });
    EXPECT_EQ(error.id(), row.id) << row.to;
    EXPECT_EQ(error.place(), row.place) << row.to;
  }
}

}  // namespace
}  // namespace microstep
