// The main job as a user types it.
#include <regex>

#include "cli/command.hpp"
#include "microstep/json/document.hpp"

namespace microstep::cli_test {
namespace {

const std::string behind_adam = "chain(adam(0.1), apply_every(2))";

std::vector<std::string> keys(const Document& object) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < object.size(); ++i) names.push_back(object.key(i));
  return names;
}

Document json(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  return Document::parse(microstep(arguments).out);
}

std::vector<std::string> causes(const Document& report) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < report.at("causes").size(); ++i) ids.push_back(report.at("causes").element(i).text());
  return ids;
}

TEST(Compare, MultiStepsOfAdamIsTheLargeBatch) {
  const Result result =
      microstep({"compare", "multi_steps(adam(0.1), k=4)", "--problem", "mlp(3, 5, 2)", "--windows", "3"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.says("SAME: over 3 windows params and optimizer state are the large batch's computation."));
  EXPECT_EQ(result.err, "");
}

TEST(Compare, AdamBehindApplyEveryIsExplained) {
  const Result result = microstep({"compare", behind_adam});
  EXPECT_EQ(result.code, 1);
  for (const std::string words :
       {"semantic, not rounding", "window 1, microstep 2, state/of[0]/count", "accumulated 2\n  large batch 1",
        "micro-state: the inner optimizer's state moves in each microstep", "count is 2 where the large batch has 1",
        "sum-mean: the sum of the window's gradients", "(factor 2)",
        "equivalent (verified over 3 windows): multi_steps(adam(0.1), k=2)"})
    EXPECT_TRUE(result.says(words)) << words << "\nis missing in\n" << result.out;
}

TEST(Compare, TheOfferedSpecIsTheLargeBatch) {
  const std::string offered = json({"compare", behind_adam}).at("equivalent_spec").text();
  EXPECT_EQ(microstep({"compare", offered, "--against", "adam(0.1)"}).code, 0);
}

TEST(Compare, JsonHasEveryKeyInOrder) {
  const Document report = json({"compare", behind_adam});
  EXPECT_EQ(keys(report),
            (std::vector<std::string>{"schema", "command", "accumulated", "reference", "problem", "seed", "k",
                                      "windows", "semantics", "reason", "first_divergence", "rounding", "contracts",
                                      "causes", "equivalent_spec", "not_compared", "warnings"}));
  EXPECT_EQ(keys(report.at("first_divergence")),
            (std::vector<std::string>{"window", "microstep", "path", "index", "accumulated", "reference", "ulps"}));
  EXPECT_EQ(keys(report.at("contracts").element(0)), (std::vector<std::string>{"id", "verdict", "evidence"}));
}

TEST(Compare, JsonSaysWhatTheTextSays) {
  const Document report = json({"compare", behind_adam}), first = report.at("first_divergence");
  EXPECT_EQ(report.at("schema").text(), "microstep/compare/1");
  EXPECT_EQ(report.at("command").text(), "compare");
  EXPECT_EQ(report.at("accumulated").text(), behind_adam);
  EXPECT_EQ(report.at("reference").text(), "adam(0.1)");
  EXPECT_EQ(report.at("k").integer(), 2);
  EXPECT_EQ(report.at("windows").integer(), 3);
  EXPECT_EQ(report.at("semantics").text(), "different");
  EXPECT_EQ(first.at("microstep").integer(), 2);
  EXPECT_EQ(first.at("path").text(), "state/of[0]/count");
  EXPECT_EQ(first.at("accumulated").integer(), 2);
  EXPECT_EQ(first.at("reference").integer(), 1);
  EXPECT_EQ(causes(report), (std::vector<std::string>{"micro-state", "sum-mean"}));
}

TEST(Compare, TheSumIsTheLargeBatchOfASumLossOnly) {
  const std::string sum = "multi_steps(adam(0.1), k=3, reduce=sum)";
  EXPECT_EQ(microstep({"compare", sum, "--loss", "sum"}).code, 0);
  const Result mean = microstep({"compare", sum});
  EXPECT_EQ(mean.code, 1);
  EXPECT_TRUE(mean.says("sum-mean")) << mean.out;
  EXPECT_TRUE(mean.says("(factor 3)")) << mean.out;
}

TEST(Compare, TheMeanIsNotTheLargeBatchOfASumLoss) {
  const Result result = microstep({"compare", "multi_steps(adam(0.1), k=3)", "--loss", "sum"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.says("sum-mean")) << result.out;
}

TEST(Compare, AgainstNamesTheReference) {
  const std::string spec = "multi_steps(adam(0.1), k=2)";
  EXPECT_EQ(microstep({"compare", spec, "--against", "adam(0.1)"}).code, 0);
  const Document report = json({"compare", spec, "--against", "adam(0.2)"});
  EXPECT_EQ(report.at("reference").text(), "adam(0.2)");
  EXPECT_EQ(report.at("semantics").text(), "different");
  EXPECT_EQ(causes(report), std::vector<std::string>{"formula"});
}

TEST(Compare, AgainstLetsASpecWithoutAccumulatorBeCompared) {
  EXPECT_EQ(microstep({"compare", "trace(0)", "--against", "scale(1)"}).code, 0);
}

TEST(Compare, SixtyWindowsOfAdamStayDecidable) {
  const Result result = microstep({"compare", "multi_steps(adam(0.1), k=4)", "--windows", "60"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.says("SAME: over 60 windows")) << result.out;
}

TEST(Compare, WhatCannotBeDecidedExitsWith4) {
  const Result result = microstep({"compare", "multi_steps(sgd(1e300), k=2)"});
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.says("UNDECIDABLE: ")) << result.out;
}

TEST(Compare, SkipsAlongAChainOfAccumulatorsAreRefused) {
  const std::string spec = "chain(multi_steps(sgd(0.1), k=2, skip=large(2)), multi_steps(scale(1), k=2))";
  EXPECT_TRUE(refuses(microstep({"compare", spec, "--problem", "replay"}), 2, "plan.no-common-windows"));
}

TEST(Compare, WarnsOfAGlobThatMatchesNoLeaf) {
  const std::string spec = "multi_steps(adamw(0.1, mask=[\"w*\", \"wo*\"]), k=2)";
  const std::string words = "'wo*' in the mask of adamw matches no leaf; did you mean 'w0'?";
  EXPECT_TRUE(microstep({"compare", spec}).says("warning: " + words));
  EXPECT_EQ(json({"compare", spec}).at("warnings").element(0).text(), words);
}

TEST(Compare, RefusesAMaskThatFitsNoLeaf) {
  for (const std::string spec :
       {"multi_steps(adamw(0.1, mask=[\"wo*\"]), k=2)", "multi_steps(masked(sgd(0.1), mask=[zzz]), k=2)"}) {
    const Result result = microstep({"compare", spec});
    EXPECT_EQ(result.code, 2) << spec;
    EXPECT_EQ(result.out, "");
    for (const char* part : {"plan.mask", "mask of", "\n  at ", "\n  next: name leaves of the problem"})
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " in\n" << result.err;
  }
}

TEST(Compare, RaggedMicrobatchesNeedWeights) {
  const Result mean = microstep({"compare", "multi_steps(adam(0.1), k=2)", "--ragged"});
  EXPECT_EQ(mean.code, 1);
  EXPECT_TRUE(mean.says("token-weight")) << mean.out;
  EXPECT_EQ(microstep({"compare", "multi_steps(adam(0.1), k=2, reduce=weighted)", "--ragged"}).code, 0);
}

TEST(Compare, TheSeedIsAlwaysPrinted) {
  const std::string spec = "multi_steps(sgd(0.1), k=2)";
  EXPECT_TRUE(microstep({"compare", spec}).says("seed 1\n"));
  EXPECT_TRUE(microstep({"compare", spec, "--seed", "9223372036854775807"}).says("seed 9223372036854775807\n"));
  EXPECT_TRUE(microstep({"compare", spec, "--seed", "7", "--json"}).says("\"seed\": 7,"));
  EXPECT_TRUE(microstep({"compare", spec, "--seed", "9223372036854775807", "--json"}).says("9223372036854775807"));
}

TEST(Compare, NumbersForPeopleAreShort) {
  for (const std::string flag : {"", "--json"}) {
    std::vector<std::string> arguments = {"compare", behind_adam};
    if (!flag.empty()) arguments.push_back(flag);
    const Result result = microstep(arguments);
    std::smatch found;
    EXPECT_FALSE(std::regex_search(result.out, found, std::regex("\\.[0-9]{18,}"))) << found.str();
  }
}

}  // namespace
}  // namespace microstep::cli_test
