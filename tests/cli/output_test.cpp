// demo, contracts, serve, help; and what standard output may meet.
#include <algorithm>

#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

const std::vector<std::string> behind_adam = {"compare", "chain(adam(0.1), apply_every(2))"};

TEST(Demo, ShowsBothVerdictsAndIsAsExpected) {
  const Result result = microstep({"demo"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.says("DIFFERENT: this is semantic, not rounding")) << result.out;
  EXPECT_TRUE(result.says("SAME: over 3 windows")) << result.out;
  EXPECT_TRUE(result.out.ends_with("Both verdicts are the expected ones.\n")) << result.out;
}

TEST(Demo, Json) {
  const Result result = microstep({"demo", "--json"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.says("\"schema\": \"microstep/demo/1\"")) << result.out;
  EXPECT_TRUE(result.says("\"as_expected\": true")) << result.out;
}

TEST(Contracts, ListsEveryIdOfTheCatalogue) {
  const Result result = microstep({"contracts"});
  EXPECT_EQ(result.code, 0);
  for (const std::string id :
       {"emission.every_k", "emission.silent_zero", "emission.silent_params", "emission.counters", "reduction.mean",
        "reduction.sum", "reduction.weighted", "reduction.large_batch", "reduction.order_free", "state.inner_asleep",
        "state.accumulator_empty", "state.large_batch", "state.count_once", "state.nonfinite_forgotten", "state.resume",
        "form.dtype", "form.shape", "form.keys", "identity.k1"})
    EXPECT_TRUE(result.says(id + "\n  ")) << id;
}

TEST(Contracts, OneAsJson) {
  const Result result = microstep({"contracts", "state.resume", "--json"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.says("\"schema\": \"microstep/contracts/1\"")) << result.out;
  EXPECT_TRUE(result.says("\"id\": \"state.resume\"")) << result.out;
  EXPECT_FALSE(result.says("state.count_once")) << result.out;
}

TEST(Serve, AnswersOneLineARequest) {
  const Result result = microstep({"serve"}, {{},
                                              "nonsense\n{\"seq\":3,\"request\":\"start\",\"version\":1}\n"
                                              "{\"seq\":4,\"request\":\"stop\"}\n{\"seq\":5}\n",
                                              {}});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 3) << result.out;
  EXPECT_TRUE(result.says("\"errored\":{\"id\":\"json.invalid-json\"")) << result.out;
  EXPECT_TRUE(result.says("{\"seq\":3,\"version\":1,\"name\":\"microstep\"")) << result.out;
  EXPECT_TRUE(result.out.ends_with("{\"seq\":4}\n")) << result.out;
  EXPECT_EQ(microstep({"serve", "--json"}, {{}, "{\"seq\":4,\"request\":\"stop\"}\n", {}}).out, "{\"seq\":4}\n");
}

TEST(Help, EveryCommandSaysWhatItIsFor) {
  const Result all = microstep({"--help"});
  EXPECT_EQ(all.code, 0);
  for (const std::string command :
       {"compare", "judge", "contracts", "record", "verify", "diff", "accept", "serve", "demo"}) {
    EXPECT_TRUE(all.says("  " + command + " ")) << all.out;
    const Result one = microstep({command, "--help"});
    EXPECT_EQ(one.code, 0);
    EXPECT_TRUE(one.says("microstep " + command)) << one.out;
    EXPECT_EQ(one.err, "");
  }
}

TEST(Help, TheVersionIsOneLine) {
  const Result result = microstep({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.out.starts_with("microstep ")) << result.out;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
}

std::vector<std::vector<std::string>> reports() {
  std::vector<std::vector<std::string>> all;
  for (const std::string form : {"", "--json"})
    for (std::vector<std::string> line :
         {behind_adam, std::vector<std::string>{"judge", source("tests/json/recorded/numpy_loop.json")},
          std::vector<std::string>{"diff", source("golden/optax-0.2.6"), source("golden/optax-0.2.8")},
          std::vector<std::string>{"contracts"}, std::vector<std::string>{"demo"}}) {
      if (!form.empty()) line.push_back(form);
      all.push_back(line);
    }
  return all;
}

TEST(Output, IsTheSameInEveryRunAndLocale) {
  for (const auto& line : reports()) {
    const std::string expected = microstep(line).out;
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(microstep(line).out, expected);
    for (const std::string locale : {"C", "POSIX", "de_DE.UTF-8", "tr_TR", "no_SUCH"})
      EXPECT_EQ(microstep(line, {{{"LC_ALL", locale}}, {}, {}}).out, expected) << locale;
  }
}

TEST(Output, AFullDiskExitsWith6) {
  auto lines = reports();
  lines.push_back({"--help"});
  lines.push_back({"--version"});
  for (const auto& line : lines) {
    const Result result = microstep(line, {{}, {}, "/dev/full"});
    EXPECT_TRUE(refuses(result, 6, "output.stdout")) << line[0];
  }
}

TEST(Output, NeedsNoHomeAndNoZone) {
  const std::string expected = microstep(behind_adam).out;
  EXPECT_EQ(microstep(behind_adam, {{{"HOME", ""}, {"TZ", "Mars/Olympus"}, {"LANG", "C"}}, {}, {}}).out, expected);
}

}  // namespace
}  // namespace microstep::cli_test
