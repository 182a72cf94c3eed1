// A plan whose batches hold numbers in place of lists, and gradients without their axes, by the ways in which a user
// gives them: a request to serve, a dumped trace. (Goldens: damaged_golden_test.cpp.)
#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

// The answer of serve to one plan of a w of shape [1, 2].
Result served(const std::string& gradient, const std::string& batches) {
  const std::string plan =
      R"x({"schema":"microstep/plan/1","spec":"sgd(0.5)",)x"
      R"x("params":{"w":{"dtype":"float32","shape":[1,2],"values":[1,2]}},"given":[{"gradients":{"w":)x" +
      gradient + "}}],\"batches\":" + batches + "}";
  return microstep({"serve"}, {{}, R"x({"seq":1,"request":"run","plan":)x" + plan + "}\n", {}});
}

TEST(BatchAxis, AWholePlanIsServed) {
  const Result result = served("[[2,4]]", "[[0]]");
  EXPECT_TRUE(result.says("\"updates\":{\"w\":[-1,-2]}")) << result.out;
}

TEST(BatchAxis, NumbersInPlaceOfListsAreRefused) {
  const Result result = served("[[2,4]]", "[0]");
  EXPECT_TRUE(result.out.starts_with(R"x({"seq":1,"errored":{"id":"json.wrong-type",)x")) << result.out;
  EXPECT_TRUE(result.says("a microbatch is a list of examples, here it is none\\n  at request#/plan/batches/0\\n"));
  EXPECT_TRUE(result.says("\\n  next: write a list a microstep, as in [[0], [1]]")) << result.out;
}

TEST(BatchAxis, AGivenGradientWithoutItsAxesIsRefused) {
  for (const char* gradient : {"2", "[[2],[4]]", R"x({"dtype":"float32","shape":[2],"values":[2,4]})x"}) {
    const Result result = served(gradient, "[[0]]");
    EXPECT_TRUE(result.out.starts_with(R"x({"seq":1,"errored":{"id":"json.shape-mismatch",)x")) << result.out;
    EXPECT_TRUE(result.says("\\n  at request#/plan/given/0/gradients/w\\n  next: ")) << result.out;
  }
}

TEST(BatchAxis, AGradientOfATraceWithoutItsAxisIsRefused) {
  const Folder folder;
  const std::string numbers = "[0.1257302165031433, -0.13210485875606537, 0.6404226422309875]";
  const std::string text = replaced(text_of(source("tests/json/recorded/numpy_loop.json")),
                                    R"x({"dtype": "float32", "shape": [3], "values": )x" + numbers + "}", "0.125");
  const std::string path = folder.write("trace.json", text);
  const Result result = microstep({"judge", path});
  EXPECT_TRUE(refuses(result, 3, "json.shape-mismatch"));
  EXPECT_TRUE(result.warns("the shape [] for the shape [3]\n  at " + path + "#/steps/0/gradients/w\n")) << result.err;
}

}  // namespace
}  // namespace microstep::cli_test
