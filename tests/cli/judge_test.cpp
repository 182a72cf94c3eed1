// A dumped trace, judged; and traces that cannot be.
#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

std::string kept() { return source("tests/json/recorded/numpy_loop.json"); }

TEST(Judge, TheNumpyLoopOfTheDocsIsFaithful) {
  const Result result = microstep({"judge", kept()});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(result.says("FAITHFUL: every one of")) << result.out;
  EXPECT_TRUE(result.says("holds          reduction.mean")) << result.out;
  EXPECT_TRUE(result.says("largest share of a bound")) << result.out;
}

TEST(Judge, AnEditedTraceIsNot) {
  const Folder folder;
  // The first emitted update of w[1], one step of float32 larger.
  const std::string edited =
      replaced(text_of(kept()), "[-0.09999999403953552, 0.10000000149011612", "[-0.09999999403953552, 0.25");
  const Result result = microstep({"judge", folder.write("edited.json", edited)});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.says("NOT FAITHFUL: ")) << result.out;
  EXPECT_TRUE(result.says("microstep 2, updates/w[1]: 0.25 (0x3e800000) where 0.0999")) << result.out;
  EXPECT_FALSE(result.says("holds          reduction.large_batch")) << result.out;
  EXPECT_FALSE(result.says("holds          state.large_batch")) << result.out;
}

TEST(Judge, TheSpecOfTheCommandGoesBeforeTheOneInTheFile) {
  const Result result = microstep({"judge", kept(), "--spec", "multi_steps(adam(0.2), k=2)"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.says("spec   multi_steps(adam(0.2), k=2)")) << result.out;
  EXPECT_TRUE(result.says("microstep 2, updates/w[0]")) << result.out;
}

TEST(Judge, JsonSaysWhereItLeftTheSpec) {
  const Result result = microstep({"judge", kept(), "--spec", "multi_steps(adam(0.2), k=2)", "--json"});
  EXPECT_EQ(result.code, 1);
  for (const std::string words : {"\"schema\": \"microstep/judge/1\"", "\"faithful\": \"broken\"",
                                  "\"first\": {\"microstep\":2,\"path\":\"updates/w\",\"index\":0"})
    EXPECT_TRUE(result.says(words)) << words << result.out;
}

TEST(Judge, RefusesATraceWhoseAccumulatorsSkipOutOfStep) {
  const std::string spec = "chain(multi_steps(sgd(0.5), k=2, skip=not_finite), multi_steps(scale(1), k=2))";
  const std::string plan = R"x({"schema":"microstep/plan/1","spec":")x" + spec +
                           R"x(","params":{"w":{"dtype":"float32","shape":[1],"values":[1]}},"given":)x" +
                           R"x([{"gradients":{"w":[2]}},{"gradients":{"w":["Infinity"]}}],"batches":[[0],[1],[0]]})x";
  const std::string line = R"x({"seq":1,"request":"run","plan":)x" + plan + "}\n";
  const std::string answer = microstep({"serve"}, {{}, line, {}}).out, head = R"x({"seq":1,"trace":{)x";
  ASSERT_TRUE(answer.starts_with(head)) << answer;
  const Folder folder;
  const std::string trace = "{\"spec\":\"" + spec + "\"," + answer.substr(head.size(), answer.rfind('}') - head.size());
  EXPECT_TRUE(refuses(microstep({"judge", folder.write("trace.json", trace)}), 3, "plan.no-common-windows"));
}

TEST(Judge, RefusesAMaskThatFitsNoLeaf) {
  const Result result = microstep({"judge", kept(), "--spec", "multi_steps(adamw(0.1, mask=[v]), k=2)"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("plan.mask: no leaf is in the mask of adamw: 'v' "), std::string::npos) << result.err;
}

TEST(Judge, RefusesAMaskThatFitsNoLeafOfItsFileByTheNameOfTheFile) {
  const Folder folder;
  for (const std::string spec : {"multi_steps(adamw(0.1, mask=[zz]), k=2)", "adamw(0.1, mask=[zz])",
                                 "multi_steps(masked(sgd(1), mask=[zz]), k=2)"}) {
    const std::string path =
        folder.write("masked.json", replaced(text_of(kept()), "multi_steps(adam(0.1), k=2)", spec));
    const Result result = microstep({"judge", path});
    EXPECT_TRUE(refuses(result, 3, "plan.mask")) << result.err;
    EXPECT_TRUE(result.warns("at " + path)) << result.err;
  }
}

TEST(Judge, SaysTheCauseAndTheSpecThatExplainsTheTrace) {
  const std::vector<std::string> command = {"judge", kept(), "--spec", "multi_steps(adam(0.1), k=2, reduce=sum)"};
  const Result result = microstep(command);
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.says("causes:\n  sum-mean: the window's gradients are divided where their sum is declared\n"));
  EXPECT_TRUE(result.says("every step is that of  multi_steps(adam(0.1), k=2)\n")) << result.out;
  const Result json = microstep({command[0], command[1], command[2], command[3], "--json"});
  EXPECT_TRUE(json.says("\"causes\": [\"sum-mean\"]")) << json.out;
  EXPECT_TRUE(microstep({"judge", kept(), "--json"}).says("\"causes\": []"));
}

TEST(Judge, AHiddenStateIsUndecidable) {
  const Folder folder;
  const std::string start = R"x({"params":{"w":{"dtype":"float32","shape":[1],"values":[1]}}})x";
  const std::string step = R"x({"gradients":{"w":[1]},"updates":{"w":[0]},"params":{"w":[1]}})x";
  const std::string text = R"x({"schema":"microstep/trace/1","spec":"multi_steps(sgd(0.5), k=2)","initial":)x" + start +
                           ",\"steps\":[" + step + "]}";
  const Result result = microstep({"judge", folder.write("trace.json", text)});
  EXPECT_EQ(result.code, 4) << result.out << result.err;
  EXPECT_TRUE(result.says("UNDECIDABLE: the trace hides state/acc_grads/w, and no window closes")) << result.out;
}

// The norm of [0.6, 0.8] is 1 but for roundings of float32.
TEST(Judge, ASkipThatNothingTellsIsUndecidableInJsonToo) {
  const Folder folder;
  const std::string text =
      R"x({"schema":"microstep/trace/1","spec":"multi_steps(sgd(0.5), k=1, skip=large(1))","initial":{"params":)x"
      R"x({"w":{"dtype":"float32","shape":[2],"values":[1,1]}}},"steps":[{"gradients":{"w":[0.6,0.8]},)x"
      R"x("updates":{"w":[0,0]},"params":{"w":[1,1]}}]})x";
  const Result result = microstep({"judge", folder.write("trace.json", text), "--json"});
  EXPECT_EQ(result.code, 4) << result.out << result.err;
  EXPECT_EQ(result.err, "");
  for (const std::string words :
       {"\"verdict\": \"undecidable\"", "\"reason\": \"it is not certain in the declared dtype whether a microbatch",
        "record mini_step and gradient_step", "\"explained_by\": null", "\"warnings\": []", "reduction.mean"})
    EXPECT_TRUE(result.says(words)) << words << result.out;
}

TEST(Judge, WhatAStepLacksIsMissingAndTheHeadlineSaysWhatTheExitCodeDoes) {
  const Folder folder;
  const std::string held = R"("values": [0.0, 0.0, 0.0]}}, )";
  const std::string text = replaced(text_of(kept()), held + R"("params")", held + R"("raw")");
  const Result result = microstep({"judge", folder.write("trace.json", text)});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_TRUE(result.says("NOT FAITHFUL: form.keys is broken: params/w (run accumulated, microstep 1): missing"))
      << result.out;
  EXPECT_FALSE(result.says("\nFAITHFUL")) << result.out;
  EXPECT_FALSE(result.says("was due")) << result.out;
}

TEST(Judge, AStepThatDoesNotSayItsGradientsIsRefused) {
  const Folder folder;
  const std::string text = replaced(text_of(kept()), "\"steps\": [{\"gradients\"", "\"steps\": [{\"grads\"");
  const Result result = microstep({"judge", folder.write("trace.json", text)});
  EXPECT_TRUE(refuses(result, 3, "json.no-gradients"));
  EXPECT_TRUE(result.warns("#/steps/0")) << result.err;
}

struct Edit {
  std::string what, with, id;
};

class BadTrace : public ::testing::TestWithParam<Edit> {};

TEST_P(BadTrace, ExitsWith3AndThePlace) {
  const Folder folder;
  const std::string path = folder.write("trace.json", replaced(text_of(kept()), GetParam().what, GetParam().with));
  const Result result = microstep({"judge", path});
  EXPECT_TRUE(refuses(result, 3, GetParam().id));
  EXPECT_TRUE(result.warns("at " + path)) << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadTrace,
    ::testing::Values(Edit{"microstep/trace/1", "microstep/trace/2", "json.newer-schema"},
                      Edit{"microstep/trace/1", "microstep/golden/1", "json.wrong-schema"},
                      Edit{"\"spec\": ", "\"schema\": \"x\", \"spec\": ", "json.duplicate-key"},
                      Edit{"{\"schema\"", "<<<<<<< ours\n{\"schema\"", "json.merge-conflict"},
                      Edit{"[1.0, -2.0, 0.5]", "[1.0, NaN, 0.5]", "json.bare-nan"},
                      Edit{"[1.0, -2.0, 0.5]", "[1.0, null, 0.5]", "json.null-number"},
                      Edit{"[1.0, -2.0, 0.5]", "[1.0, 1e999, 0.5]", "json.number-out-of-range"},
                      Edit{"[1.0, -2.0, 0.5]", "[1.0, 0.5]", "json.shape-mismatch"},
                      Edit{"\"float32\"", "\"float33\"", "json.unknown-dtype"},
                      Edit{"multi_steps(adam(0.1), k=2)", "multi_steps(adam(0.1), k=0)", "spec.out-of-range"},
                      Edit{"multi_steps(adam(0.1), k=2)", "multi_steps(adm(0.1), k=2)", "spec.unknown-op"},
                      Edit{"multi_steps(adam(0.1), k=2)", "multi_steps(adam(-1), k=2)", "spec.out-of-range"},
                      Edit{"\"spec\": \"multi_steps(adam(0.1), k=2)\", ", "", "trace.no-spec"}));

TEST(BadTraceFile, TruncatedAnywhereIsRefused) {
  const Folder folder;
  const std::string text = text_of(kept());
  for (std::size_t size : {std::size_t{1}, text.size() / 3, text.size() - 3}) {
    const Result result = microstep({"judge", folder.write("cut.json", text.substr(0, size))});
    EXPECT_TRUE(refuses(result, 3, "json.invalid-json"));
  }
}

TEST(BadTraceFile, WithoutAStepThereIsNothingToJudge) {
  const Folder folder;
  const std::string start = R"x({"params":{"w":{"dtype":"float32","shape":[1],"values":[1]}}})x";
  const std::string text = R"x({"schema":"microstep/trace/1","spec":"sgd(1)","initial":)x" + start + ",\"steps\":[]}";
  EXPECT_TRUE(refuses(microstep({"judge", folder.write("none.json", text)}), 3, "trace.empty"));
}

TEST(BadTraceFile, WhatIsNoFileIsRefused) {
  const Folder folder;
  EXPECT_TRUE(refuses(microstep({"judge", folder.file("none.json")}), 3, "file.not-found"));
  EXPECT_TRUE(refuses(microstep({"judge", folder.path}), 3, "file.is-folder"));
  EXPECT_TRUE(refuses(microstep({"judge", folder.write("empty.json", "")}), 3, "file.empty"));
  EXPECT_TRUE(refuses(microstep({"judge", "/dev/zero"}), 3, "file.not-a-file"));
}

TEST(BadTraceFile, AnUnreadableOneSaysSo) {
  const Folder folder;
  const std::string path = folder.write("closed.json", text_of(kept()));
  const Surroundings unprivileged{{}, {}, {}, true};
  folder.open_to_all_but("");
  EXPECT_EQ(microstep({"judge", path}, unprivileged).code, 0);
  folder.open_to_all_but("closed.json");
  const Result result = microstep({"judge", path}, unprivileged);
  EXPECT_TRUE(refuses(result, 3, "file.unreadable"));
  EXPECT_TRUE(result.warns("\n  at " + path + "\n")) << result.err;
}

TEST(BadTraceFile, ABadSpecOnTheCommandLineIsUsage) {
  EXPECT_TRUE(refuses(microstep({"judge", kept(), "--spec", "multi_steps(adam(0.1), k=0)"}), 2, "spec.out-of-range"));
}

TEST(BadTraceFile, AResponseFileIsNotExpanded) {
  EXPECT_TRUE(refuses(microstep({"judge", "@" + kept()}), 3, "file.not-found"));
}

}  // namespace
}  // namespace microstep::cli_test
