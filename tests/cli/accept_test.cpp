// What a changed port leaves beside the goldens, accepted or refused; and folders of other experiments.
#include "cli/recording.hpp"

namespace microstep::cli_test {
namespace {

TEST_F(Recording, AChangedPortIsProposedBesideAndAccepted) {
  record_in_float64();
  const auto before = kept();
  const Result verified = with_float32({"verify", goldens});
  EXPECT_EQ(verified.code, 1) << verified.out << verified.err;
  EXPECT_TRUE(verified.says("WRITTEN mean.of.two.json.new")) << verified.out;
  EXPECT_EQ(kept().at("mean.of.two.json"), before.at("mean.of.two.json"));
  EXPECT_TRUE(kept().contains("mean.of.two.json.new"));
  const Result accepted = microstep({"accept", goldens, "mean.of.two"});
  EXPECT_EQ(accepted.code, 0) << accepted.out << accepted.err;
  EXPECT_EQ(accepted.out, "accepted mean.of.two\n");
  EXPECT_NE(kept().at("mean.of.two.json"), before.at("mean.of.two.json"));
  EXPECT_FALSE(kept().contains("mean.of.two.json.new"));
  EXPECT_TRUE(microstep({"verify", goldens}).says("2 pass, 0 fail"));
}

TEST_F(Recording, WhatRecordWouldRefuseIsNotAccepted) {
  record();
  with_liar({"verify", goldens});
  const auto before = kept();
  const Result refused = microstep({"accept", goldens, "mean.of.two"});
  EXPECT_EQ(refused.code, 1) << refused.out << refused.err;
  EXPECT_TRUE(refused.says("not accepted mean.of.two: accumulated: ")) << refused.out;
  EXPECT_TRUE(refused.says(" numbers are not the spec's, first updates/w in microstep 2\n")) << refused.out;
  EXPECT_TRUE(refused.says("  next: ")) << refused.out;
  EXPECT_EQ(kept(), before);
  EXPECT_EQ(microstep({"verify", goldens}).code, 0);
}

TEST_F(Recording, ATraceOfNaNsIsNotAccepted) {
  record();
  const std::string golden = text_of(goldens + "/mean.of.two.json"), of_updates = "\"updates\":{\"w\":[";
  const std::size_t number = golden.rfind(of_updates) + of_updates.size();
  folder.write("goldens/mean.of.two.json.new",
               golden.substr(0, number) + "\"NaN\"" + golden.substr(golden.find(',', number)));
  const Result refused = microstep({"accept", goldens});
  EXPECT_EQ(refused.code, 1) << refused.out << refused.err;
  EXPECT_TRUE(refused.says("not accepted mean.of.two: ")) << refused.out;
  EXPECT_EQ(text_of(goldens + "/mean.of.two.json"), golden);
}

TEST_F(Recording, AcceptTakesAllThatWait) {
  record_in_float64();
  with_float32({"verify", goldens});
  const Result accepted = microstep({"accept", goldens, "--json"});
  EXPECT_TRUE(accepted.says("\"accepted\": [\"mean.of.two\",\"sum.of.two\"]")) << accepted.out << accepted.err;
  EXPECT_TRUE(refuses(microstep({"accept", goldens, "mean.of.two"}), 4, "golden.nothing-pending"));
}

TEST_F(Recording, AcceptWhereNothingWaitsExitsWith4) {
  record();
  EXPECT_TRUE(refuses(microstep({"accept", goldens}), 4, "accept.nothing-pending"));
}

TEST_F(Recording, DiffOfOtherExperimentsIsNoChangeOfBehaviour) {
  record();
  const std::string before = goldens;
  goldens = folder.file("faster");
  folder.write("list.json", replaced(list, "multi_steps(sgd(0.5)", "multi_steps(sgd(1)"));
  record();
  const Result result = microstep({"diff", before, goldens});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_TRUE(
      result.says("mean.of.two is another experiment in each folder: no change of behaviour, not compared\n"
                  "  spec: multi_steps(sgd(0.5), k=2) → multi_steps(sgd(1), k=2)\n"))
      << result.out;
  EXPECT_TRUE(result.says("1 experiments compared, 0 changes of behaviour; elsewhere 0 numbers differ")) << result.out;
  const std::string json = microstep({"diff", before, goldens, "--json"}).out;
  EXPECT_NE(json.find("{\"id\":\"mean.of.two\",\"fields\":[\"spec: "), std::string::npos) << json;
}

}  // namespace
}  // namespace microstep::cli_test
