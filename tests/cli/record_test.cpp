// Recording from a port, judging the port again, and accepting what changed; our own `serve` is the port.
#include <algorithm>
#include <filesystem>

#include "cli/recording.hpp"

namespace microstep::cli_test {
namespace {

TEST_F(Recording, FillsAFolderThatVerifies) {
  const Result recorded = record();
  EXPECT_EQ(recorded.code, 0) << recorded.out << recorded.err;
  EXPECT_TRUE(recorded.says("2 created")) << recorded.out;
  EXPECT_TRUE(kept().contains("mean.of.two.json") && kept().contains("MANIFEST.sha256"));
  EXPECT_EQ(microstep({"verify", goldens}).code, 0);
  const Result again = with_port({"verify", goldens});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

TEST_F(Recording, AgainGivesTheSameBytes) {
  record();
  const auto first = kept();
  const Result again = record();
  EXPECT_TRUE(again.says("2 unchanged")) << again.out;
  EXPECT_EQ(kept(), first);
}

TEST_F(Recording, WhatWasDerivedOtherwiseIsNotWritten) {
  folder.write("list.json", replaced(list, "\"plans\": \"same\"", "\"plans\": \"different\""));
  const Result result = record();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.says("mean.of.two: not written: the plans are same where different was derived")) << result.out;
  EXPECT_FALSE(kept().contains("mean.of.two.json"));
}

TEST_F(Recording, OnCiNothingIsWritten) {
  record();
  const auto before = kept();
  const Result verified = with_liar({"verify", goldens}, {{{"CI", "true"}}, {}, {}});
  EXPECT_EQ(verified.code, 1);
  EXPECT_TRUE(verified.says("FAIL mean.of.two")) << verified.out;
  EXPECT_TRUE(verified.says("FAIL sum.of.two")) << verified.out;
  EXPECT_EQ(kept(), before);
}

TEST_F(Recording, AFilterThatFindsNothingExitsWith4) {
  const Result result =
      with_port({"record", goldens, "--experiments", folder.file("list.json"), "--filter", "nothing"});
  EXPECT_TRUE(refuses(result, 4, "record.nothing-selected"));
  EXPECT_TRUE(result.warns("a part of one of: mean.of.two, sum.of.two")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(goldens));
}

TEST_F(Recording, ADamagedManifestIsRefusedBeforeAnythingIsTouched) {
  record();
  folder.write("goldens/MANIFEST.sha256", "no hash\n");
  folder.write("goldens/mean.of.two.json.new", text_of(goldens + "/mean.of.two.json"));
  const auto before = kept();
  EXPECT_TRUE(refuses(record(), 3, "golden.bad-manifest"));
  EXPECT_EQ(kept(), before);
}

// Three windows of two microsteps; w is the first leaf and has six elements.
std::string poisoned(const std::string& where) {
  return "\"plans\": \"same\", \"poisons\": [{" + where + ", \"value\": \"NaN\"}]";
}

struct Bad {
  std::string what, with, id;
};

class BadList : public ::testing::TestWithParam<Bad> {};

TEST_P(BadList, ExitsWith3AndMakesNothing) {
  const Folder folder;
  const std::string path = folder.write("list.json", replaced(list, GetParam().what, GetParam().with));
  const Result result =
      microstep({"record", folder.file("goldens"), "--experiments", path, "--", MICROSTEP_BINARY, "serve"});
  EXPECT_TRUE(refuses(result, 3, GetParam().id));
  EXPECT_TRUE(result.warns("at " + path)) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("goldens")));
}

INSTANTIATE_TEST_SUITE_P(
    Experiments, BadList,
    ::testing::Values(Bad{"k=2", "k=0", "spec.out-of-range"}, Bad{"k=2", "k=1.5", "spec.wrong-type"},
                      Bad{"sgd(0.5)", "sgd(nan)", "spec.out-of-range"}, Bad{"sgd(0.5)", "sdg(0.5)", "spec.unknown-op"},
                      Bad{"k=2", "k=2147483647", "plan.too-long"},
                      Bad{"\"plans\": \"same\"", "\"plans\": \"same\", \"windows\": 0", "plan.option"},
                      Bad{"\"plans\": \"same\"", "\"plans\": \"alike\"", "recipe.unknown-name"},
                      Bad{"\"plans\": \"same\"", "\"plans\": \"same\", \"window\": 3", "json.unknown-key"},
                      Bad{"\"plans\": \"same\"", "\"plans\": \"same\", \"dtype\": \"half\"", "json.unknown-dtype"},
                      Bad{"\"plans\": \"same\"", "\"plans\": \"same\", \"behaviours\": [\"odd\"]", "behaviour.unknown"},
                      Bad{"\"plans\": \"same\"", poisoned(R"("microstep": 0)"), "recipe.outside-the-run"},
                      Bad{"\"plans\": \"same\"", poisoned(R"("microstep": -3)"), "recipe.outside-the-run"},
                      Bad{"\"plans\": \"same\"", poisoned(R"("microstep": 7)"), "recipe.outside-the-run"},
                      Bad{"\"plans\": \"same\"", poisoned(R"("microstep": 6, "leaf": "v")"), "recipe.unknown-name"},
                      Bad{"\"plans\": \"same\"", poisoned(R"("microstep": 6, "element": 6)"), "recipe.no-element"},
                      Bad{"sgd(0.5)", "masked(sgd(0.5), mask=[zz])", "plan.mask"},
                      Bad{"sgd(0.5)", "adamw(0.5, mask=[zz])", "plan.mask"},
                      Bad{"reduction.large_batch", "reduction.largebatch", "contract.unknown"},
                      Bad{"sum.of.two", "mean.of.two", "recipe.duplicate-id"},
                      Bad{"experiments/1", "experiments/2", "json.newer-schema"},
                      Bad{"\"why\": \"the mean\"", "\"why\": \"a\", \"why\": \"b\"", "json.duplicate-key"},
                      Bad{"{\"schema\"", "<<<<<<< ours\n{\"schema\"", "json.merge-conflict"},
                      Bad{"]}", "", "json.invalid-json"}));

TEST(BadListFile, AbsentOrEmptyIsRefused) {
  const Folder folder;
  for (const auto& [path, id] : std::map<std::string, std::string>{{folder.file("none"), "file.not-found"},
                                                                   {folder.path, "file.is-folder"},
                                                                   {folder.write("e", ""), "file.empty"}})
    EXPECT_TRUE(refuses(microstep({"record", folder.file("g"), "--experiments", path, "--", "cat"}), 3, id));
}

class BadPort : public Recording {
 protected:
  Result with(std::vector<std::string> port) {
    std::vector<std::string> arguments = {
        "record", goldens, "--experiments", folder.file("list.json"), "--start-timeout", "1", "--"};
    arguments.insert(arguments.end(), port.begin(), port.end());
    return microstep(arguments);
  }
};

TEST_F(BadPort, ThatNeverBecameUsableExitsWith5) {
  EXPECT_TRUE(refuses(with({"no-such-port"}), 5, "port.not-found"));
  EXPECT_TRUE(refuses(with({folder.path}), 5, "port.not-executable"));
  EXPECT_TRUE(refuses(with({"true"}), 5, "port.exited-before-handshake"));
  EXPECT_TRUE(refuses(with({"sleep", "30"}), 5, "port.timeout"));
  EXPECT_FALSE(std::filesystem::exists(goldens));
}

TEST_F(BadPort, ThatCannotWriteItsFolderExitsWith6) {
  goldens = folder.write("file", "x") + "/goldens";
  EXPECT_TRUE(refuses(record(), 6, "golden.write-failed"));
}

}  // namespace
}  // namespace microstep::cli_test
