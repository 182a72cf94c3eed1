#include "microstep/json/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "refusal.hpp"

namespace microstep {
namespace {

constexpr std::string_view written = R"json({
  "schema": "microstep/plan/1",
  "spec": "multi_steps(adam(0.1), k=2)",
  "problem": "replay",
  "params": {
    "w": {"dtype":"float32","shape":[2],"values":[1,0.1]},
    "b": {"dtype":"float64","shape":[],"values":-0.0},
    "empty": {"dtype":"float32","shape":[0,3],"values":[]}
  },
  "gradient_dtypes": {"w":"bfloat16"},
  "given": [
    {"weight":1,"gradients":{"w":[2,4],"b":0.25,"empty":[]}},
    {"weight":2.5,"gradients":{"w":["NaN","-Infinity"]}}
  ],
  "batches": [[0],[1]],
  "loss": "sum",
  "interruptions": [1],
  "hyper_precision": "float32",
  "flushes_subnormals": true,
  "true_division": false,
  "training": false,
  "seed": "18446744073709551615"
}
)json";

std::string without(std::string text, std::string_view part, std::string_view instead = "") {
  text.replace(text.find(part), part.size(), instead);
  return text;
}

TEST(Plan, IsWrittenAsItWasRead) { EXPECT_EQ(encode_plan(decode_plan(written)), written); }

TEST(Plan, KeepsWhatStandsInIt) {
  Plan plan = decode_plan(written);
  EXPECT_EQ(plan.params.leaf(1).name, "b");
  EXPECT_EQ(plan.gradient_layout->leaves()[0].dtype, Dtype::bfloat16);
  EXPECT_EQ(plan.gradient_layout->leaves()[1].dtype, Dtype::float64);
  EXPECT_EQ(plan.given[1].weight, 2.5);
  EXPECT_EQ(plan.given[1].gradient.presence(1), Presence::absent);
  EXPECT_TRUE(std::isnan(plan.given[1].gradient.values(0)[0]));
  EXPECT_TRUE(std::signbit(plan.params.values(1)[0]));
  EXPECT_EQ(plan.seed, 18446744073709551615ULL);
  EXPECT_EQ(plan.loss, Loss::sum);
  EXPECT_FALSE(plan.training);
}

TEST(Plan, TakesDefaultsForWhatIsLeftOut) {
  Plan plan = decode_plan(
      R"json({"schema":"microstep/plan/1","spec":"sgd(0.5)","params":{"w":{"dtype":"float32","values":[[1,2],[3,4]]}},
          "given":[{"gradients":{"w":[1,2,3,4]}}],"batches":[[0]]})json");
  EXPECT_EQ(plan.params.leaf(0).shape, (Shape{2, 2}));
  EXPECT_EQ(plan.problem.op, "replay");
  EXPECT_EQ(plan.given[0].weight, 1);
  EXPECT_EQ(plan.loss, Loss::mean);
  EXPECT_EQ(plan.hyper_precision, HyperPrecision::float64);
  EXPECT_TRUE(plan.training);
  EXPECT_EQ(plan.seed, 0U);
}

TEST(Plan, RefusesUnknownKeysWithTheNearest) {
  Error error = refusal([] { decode_plan(without(std::string(written), "\"loss\"", "\"los\""), "p.json"); });
  EXPECT_EQ(error.id(), "json.unknown-key");
  EXPECT_EQ(error.place(), "p.json#");
  EXPECT_NE(error.next().find("\"loss\""), std::string::npos);
}

TEST(Plan, RefusesAnUnknownLeafAmongGradients) {
  Error error = refusal([] { decode_plan(without(std::string(written), "\"w\":[2,4]", "\"v\":[2,4]"), "p.json"); });
  EXPECT_EQ(error.id(), "json.unknown-key");
  EXPECT_EQ(error.place(), "p.json#/given/0/gradients");
}

TEST(Plan, NamesThePlaceOfABadSpec) {
  Error error = refusal([] { decode_plan(without(std::string(written), "adam(0.1)", "adan(0.1)"), "p.json"); });
  EXPECT_EQ(error.id(), "spec.unknown-op");
  EXPECT_EQ(error.place().find("p.json#/spec\n"), 0U);
}

TEST(Plan, RefusesWhatContradictsItself) {
  Error error = refusal([] { decode_plan(without(std::string(written), "[[0],[1]]", "[[0],[2]]"), "p.json"); });
  EXPECT_EQ(error.id(), "plan.batch-index");
  EXPECT_EQ(error.place(), "p.json#/batches/1");
}

struct Edit {
  std::string_view from, to, id, place;
};

const Edit wrong_parts[] = {
    {"\"schema\": \"microstep/plan/1\"", "\"schema\": \"microstep/plan/2\"", "json.newer-schema", "p#/schema"},
    {"\"schema\": \"microstep/plan/1\"", "\"schema\": \"microstep/trace/1\"", "json.wrong-schema", "p#/schema"},
    {"[2,4]", "[2,4,8]", "json.shape-mismatch", "p#/given/0/gradients/w"},
    {"[2,4]", "[[2],[4]]", "json.shape-mismatch", "p#/given/0/gradients/w"},
    {"[2,4]", "2", "json.shape-mismatch", "p#/given/0/gradients/w"},
    {"[2,4]", "{\"shape\":[],\"values\":2}", "json.shape-mismatch", "p#/given/0/gradients/w"},
    {"[2,4]", "[2,null]", "json.null-number", "p#/given/0/gradients/w/1"},
    {"[2,4]", "[2,\"4\"]", "json.wrong-type", "p#/given/0/gradients/w/1"},
    {"[2,4]", "[2,257]", "json.not-representable", "p#/given/0/gradients/w/1"},
    {"[2,4]", "[2,1e39]", "json.number-out-of-range", "p#/given/0/gradients/w/1"},
    {"\"float64\",\"shape\":[]", "\"float6\",\"shape\":[]", "json.unknown-dtype", "p#/params/b/dtype"},
    {"\"dtype\":\"float64\",\"shape\":[]", "\"shape\":[]", "json.missing-key", "p#/params/b"},
    {"\"shape\":[2]", "\"shape\":[-2]", "json.shape-mismatch", "p#/params/w/shape"},
    {"[1,0.1]", "{\"base64\":\"AAA\"}", "json.wrong-type", "p#/params/w/values"},
    {"\"sum\"", "\"total\"", "json.wrong-value", "p#/loss"},
    {"\"hyper_precision\": \"float32\"", "\"hyper_precision\": \"f32\"", "json.wrong-value", "p#/hyper_precision"},
    {"\"18446744073709551615\"", "\"18446744073709551616\"", "json.integer-range", "p#/seed"},
    {"\"18446744073709551615\"", "-1", "json.integer-range", "p#/seed"},
    {"[[0],[1]]", "[0,1]", "json.wrong-type", "p#/batches/0"},
    {"[[0],[1]]", "[[0],1]", "json.wrong-type", "p#/batches/1"},
    {"[[0],[1]]", "0", "json.wrong-type", "p#/batches"},
    {"[[0],[1]]", "[[[0]],[[1]]]", "json.wrong-type", "p#/batches/0/0"},
    {"[[0],[1]]", "[[0],[9223372036854775808]]", "json.integer-range", "p#/batches/1/0"},
    {"[[0],[1]]", "[[0],[1.0]]", "json.wrong-type", "p#/batches/1/0"},
};

TEST(Plan, RefusesEachWrongPart) {
  for (const Edit& edit : wrong_parts) {
    Error error = refusal([&] { decode_plan(without(std::string(written), edit.from, edit.to), "p"); });
    EXPECT_EQ(error.id(), edit.id) << edit.to;
    EXPECT_EQ(error.place(), edit.place) << edit.to;
  }
}

TEST(Plan, SaysBothShapes) {
  Error error = refusal([] { decode_plan(without(std::string(written), "[2,4]", "[2,4,8]")); });
  EXPECT_NE(error.message().find("3 numbers"), std::string::npos);
  EXPECT_NE(error.message().find("[2]"), std::string::npos);
}

TEST(Plan, SaysWhatAMicrobatchIs) {
  Error error = refusal([] { decode_plan(without(std::string(written), "[[0],[1]]", "[0,1]")); });
  EXPECT_EQ(error.message(), "a microbatch is a list of examples, here it is none");
  EXPECT_EQ(error.next(), "write a list a microstep, as in [[0], [1]]");
}

TEST(Experiment, NamesThePlanWithoutABatchAxis) {
  Experiment experiment{"one", {{Role::accumulated, decode_plan(written)}, {Role::reference, decode_plan(written)}}};
  std::string text = encode_experiment(experiment);
  const std::size_t second = text.rfind("[[0],[1]]");
  Error error = refusal([&] { decode_experiment(text.replace(second, 9, "[0,1]"), "e.json"); });
  EXPECT_EQ(error.id(), "json.wrong-type");
  EXPECT_EQ(error.place(), "e.json#/plans/reference/batches/0");
}

TEST(Plan, NeedsItsKeys) {
  for (std::string_view key : {"\"spec\"", "\"params\"", "\"batches\"", "\"schema\""}) {
    std::string text(written);
    std::size_t at = text.find("\n  " + std::string(key)), end = text.find("\n  \"", at + 1);
    Error error = refusal([&] { decode_plan(text.erase(at, end - at), "p"); });
    EXPECT_EQ(error.id(), "json.missing-key") << key;
    EXPECT_NE(error.message().find(key), std::string::npos);
  }
}

TEST(Experiment, SurvivesWithItsRoles) {
  Experiment experiment{"one", {{Role::accumulated, decode_plan(written)}, {Role::reference, decode_plan(written)}}};
  std::string text = encode_experiment(experiment);
  Experiment back = decode_experiment(text);
  EXPECT_EQ(back.id, "one");
  EXPECT_EQ(encode_plan(back.plans.at(Role::reference)), written);
  EXPECT_EQ(encode_experiment(back), text);
}

TEST(Experiment, RefusesAnUnknownRole) {
  Error error =
      refusal([] { decode_experiment(R"({"schema":"microstep/experiment/1","id":"a","plans":{"other":{}}})", "e"); });
  EXPECT_EQ(error.id(), "json.unknown-role");
  EXPECT_EQ(error.place(), "e#/plans/other");
}

}  // namespace
}  // namespace microstep
