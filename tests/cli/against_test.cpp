// Two dumped traces, one against the other; and pairs that cannot be made.
#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

std::string recorded(const std::string& name) { return source("tests/json/recorded/numpy_" + name + ".json"); }

Result against(const std::string& own, const std::string& other, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"judge", own, "--against", other});
  return microstep(more);
}

// Steps by hand, of sgd on one number.
std::string trace(const std::string& spec, const std::string& start, const std::vector<std::string>& steps) {
  std::string text = R"({"schema":"microstep/trace/1","spec":")" + spec + R"(","initial":{"params":{"w":)" + start +
                     R"(},"state":{}},"steps":[)";
  for (std::size_t i = 0; i < steps.size(); ++i) text += (i ? "," : "") + steps[i];
  return text + "]}";
}

std::string number(const std::string& x, const std::string& dtype = "float32") {
  return R"({"dtype":")" + dtype + R"(","shape":[1],"values":[)" + x + "]}";
}

std::string sgd(const std::string& gradient, const std::string& update, const std::string& param,
                const std::string& dtype = "float32") {
  return R"({"gradients":{"w":)" + number(gradient) + R"(},"updates":{"w":)" + number(update) + R"(},"params":{"w":)" +
         number(param, dtype) + R"(},"state":{}})";
}

TEST(JudgeAgainst, TheTwoLoopsOfTheDocsAreExplainedByTheirGradients) {
  const Result result = against(recorded("accumulated"), recorded("large_batch"));
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(result.says("\nEXPLAINED by ")) << result.out;
  EXPECT_TRUE(result.says("the gradients differ most in window ")) << result.out;
}

TEST(JudgeAgainst, ASumOfLossesIsSemantic) {
  const Result result = against(recorded("accumulated"), recorded("large_batch_sum"));
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_TRUE(result.says("\nSEMANTIC: window 1, gradients/w: ")) << result.out;
  EXPECT_TRUE(result.says("\n  sum-mean: ")) << result.out;
}

TEST(JudgeAgainst, AnotherSpecIsSemanticAndOneThatAccumulatesIsRefused) {
  const std::vector<std::string> other = {"--against-spec", "adam(0.2)"};
  EXPECT_EQ(against(recorded("accumulated"), recorded("large_batch"), other).code, 1);
  EXPECT_TRUE(refuses(
      against(recorded("accumulated"), recorded("large_batch"), {"--against-spec", "multi_steps(adam(0.1), k=2)"}), 2,
      "spec.accumulates"));
  EXPECT_TRUE(refuses(against(recorded("accumulated"), recorded("accumulated")), 3, "spec.accumulates"));
  EXPECT_TRUE(refuses(microstep({"judge", recorded("accumulated"), "--against-spec", "adam(0.1)"}), 2,
                      "usage.bad-command-line"));
}

TEST(JudgeAgainst, WithoutGradientsItIsUndecidableWhatToRecordIsSaid) {
  const Folder folder;
  const std::string text = R"({"schema":"microstep/trace/1","initial":{"params":{"w":)" + number("1") +
                           R"(}},"steps":[{"gradients":{},"updates":{},"params":{"w":[1]}}]})";
  const Result result = against(recorded("accumulated"), folder.write("none.json", text));
  EXPECT_EQ(result.code, 4) << result.out << result.err;
  EXPECT_TRUE(result.says("UNDECIDABLE: the large-batch run records no gradients")) << result.out;
  EXPECT_TRUE(result.says("record also: the gradients of every step of the large-batch run\n")) << result.out;
}

TEST(JudgeAgainst, JsonSaysTheSame) {
  const Result result = against(recorded("accumulated"), recorded("large_batch"), {"--json"});
  for (const std::string words :
       {R"("schema": "microstep/against/1")", R"("verdict": "explained")", R"("causes": [])", R"("record": [])",
        R"x("accumulated": {"spec":"multi_steps(adam(0.1), k=2)","steps":6,"faithful":"holds")x",
        R"({"window":1,"verdict":"explained","same_params":true,)"})
    EXPECT_TRUE(result.says(words)) << words << result.out;
}

struct Edit {
  std::string what, with, id;
};

class BadPair : public ::testing::TestWithParam<Edit> {};

TEST_P(BadPair, ExitsWith3AndThePlace) {
  const Folder folder;
  const std::string path =
      folder.write("other.json", replaced(text_of(recorded("large_batch")), GetParam().what, GetParam().with));
  const Result result = against(recorded("accumulated"), path);
  EXPECT_TRUE(refuses(result, 3, GetParam().id)) << result.out;
  EXPECT_TRUE(result.warns("at " + path)) << result.err;
}

const std::string step = R"({"gradients": {"w": )";
const std::string float32 = R"({"dtype": "float32", "shape": [3], "values": )";

INSTANTIATE_TEST_SUITE_P(
    Files, BadPair,
    ::testing::Values(
        // A leaf that has another dtype at the start, or is there only.
        Edit{R"("initial": {"params": {"w": {"dtype": "float32", "shape": [3], "values": [1.0, -2.0, 0.5]}})",
             R"("initial": {"params": {"w": {"dtype": "float64", "shape": [3], "values": [1.0, -2.0, 0.5]}})",
             "trace.dtype"},
        Edit{R"("initial": {"params": {"w": {"dtype": "float32", "shape": [3], "values": [1.0, -2.0, 0.5]}})",
             R"("initial": {"params": {"w": {"dtype": "float32", "shape": [3], "values": [1.0, -2.0, 0.5]}, )"
             R"("b": {"dtype": "float32", "shape": [1], "values": [0]}})",
             "trace.keys"},
        Edit{R"("counts": {"count": 2})", R"("counts": {"count": 3})", "trace.skipped-step"},
        Edit{R"("counts": {"count": 2})", R"("counts": {})", "trace.keys"},
        Edit{"adam(0.1)", "multi_steps(adam(0.1), k=1)", "spec.accumulates"},
        Edit{"adam(0.1)", "adm(0.1)", "spec.unknown-op"},
        Edit{"microstep/trace/1", "microstep/trace/2", "json.newer-schema"}));

TEST(JudgeAgainst, RefusesWhatDoesNotPair) {
  const Folder folder;
  const std::string one = sgd("1", "-1", "0"), two = sgd("1", "-1", "-1");
  const std::string own = folder.write("own.json", trace("sgd(1)", number("1"), {one, two}));
  const auto other = [&](const std::string& name, const std::string& text) {
    return against(own, folder.write(name, text));
  };
  EXPECT_EQ(other("same.json", trace("sgd(1)", number("1"), {one, two})).code, 0);
  EXPECT_TRUE(refuses(other("short.json", trace("sgd(1)", number("1"), {one})), 3, "trace.windows"));
  EXPECT_TRUE(refuses(other("wide.json", trace("sgd(1)", number("1"), {one, sgd("1", "-1", "-1", "float64")})), 3,
                      "trace.dtype"));
  const std::string gone = R"({"gradients":{"w":[1]},"updates":{"w":[-1]},"params":{},"state":{}})";
  EXPECT_TRUE(refuses(other("gone.json", trace("sgd(1)", number("1"), {one, gone})), 3, "trace.keys"));
  const auto of_float64 = [](std::string text) {
    for (std::size_t at = 0; (at = text.find("float32", at)) != std::string::npos;) text.replace(at, 7, "float64");
    return text;
  };
  EXPECT_TRUE(
      refuses(other("other.json", of_float64(trace("sgd(1)", number("1"), {one, two}))), 3, "trace.other-leaves"));
  EXPECT_TRUE(
      refuses(other("name.json", replaced(trace("sgd(1)", number("1"), {}), "\"w\"", "\"v\"")), 3, "trace.empty"));
}

TEST(JudgeAgainst, TheSameNumbersAreTheSame) {
  const Folder folder;
  const std::string text = trace("sgd(1)", number("1"), {sgd("1", "-1", "0")});
  const Result result = against(folder.write("a.json", text), folder.write("b.json", text));
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(result.says("SAME: over 1 windows every number of both runs is the same.\n")) << result.out;
}

}  // namespace
}  // namespace microstep::cli_test
