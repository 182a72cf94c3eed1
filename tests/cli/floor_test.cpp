#include <set>

#include "cli/command.hpp"
#include "microstep/json/document.hpp"

namespace microstep::cli_test {
namespace {

Result floor(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "floor");
  return microstep(arguments);
}

// `floor linear(4, 3)` of tests/cli/children/forward.py.
Result floor_of_child(std::vector<std::string> arguments, const std::string& fault = "") {
  arguments.insert(arguments.begin(), {"floor", "linear(4, 3)", "--batch", "1,2"});
  arguments.insert(arguments.end(), {"--", "python3", source("tests/cli/children/forward.py"), fault});
  return microstep(arguments);
}

TEST(Floor, ShowsTablesAndAConclusion) {
  const Result shown = floor({"conv2d", "--batch", "1,2,8,15,16,32"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(shown.err, "");
  for (const char* words :
       {"conv2d, float32, seed 1\n", "port    microstep (eigen 3.", "row 0 in a batch", "one switch at a time",
        "row by row against batched, fast paths off", "conclusion\n", "same bits", "class changes"})
    EXPECT_TRUE(shown.says(words)) << words << "\n" << shown.out;
}

TEST(Floor, ExitsWithOneOnlyBeyondABudget) {
  EXPECT_EQ(floor({"linear", "--batch", "1,2", "--budget-abs", "1"}).code, 0);
  const Result beyond = floor({"linear", "--batch", "1,2", "--budget-rel", "1e-12"});
  EXPECT_EQ(beyond.code, 1);
  EXPECT_TRUE(beyond.says("BEYOND THE BUDGET: ")) << beyond.out;
}

struct Refusal {
  std::vector<std::string> arguments;
  int code;
  std::string id;
};

class FloorRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(FloorRefuses, WithOneMessage) {
  const Refusal& due = GetParam();
  EXPECT_TRUE(refuses(floor(due.arguments), due.code, due.id));
}

INSTANTIATE_TEST_SUITE_P(
    Requests, FloorRefuses,
    ::testing::Values(Refusal{{"conv3d"}, 2, "spec.unknown-op"}, Refusal{{"adam(0.1)"}, 2, "spec.unknown-op"},
                      Refusal{{"replay"}, 2, "spec.unknown-op"}, Refusal{{"conv2d(kernel=9)"}, 2, "spec.out-of-range"},
                      Refusal{{"conv2d(size=1, kernel=2)"}, 2, "kernel.conv-shape"},
                      Refusal{{"linear", "--batch", "0"}, 2, "floor.batch"},
                      Refusal{{"linear", "--batch", "-3"}, 2, "floor.batch"},
                      Refusal{{"linear", "--batch", "1,,2"}, 2, "floor.batch"},
                      Refusal{{"linear", "--batch", "two"}, 2, "floor.batch"},
                      Refusal{{"linear", "--batch", "100000000"}, 2, "floor.too-large"},
                      Refusal{{"linear", "--budget-abs", "-1"}, 2, "floor.budget"},
                      Refusal{{"linear", "--budget-rel", "nan"}, 2, "floor.budget"},
                      Refusal{{"linear", "--budget-abs", "inf"}, 2, "floor.budget"},
                      Refusal{{"linear", "--switch", "matmul"}, 2, "floor.switch"},
                      Refusal{{"linear", "--switch", "matmull=loops"}, 2, "kernel.unknown-switch"},
                      Refusal{{"linear", "--switch", "matmul=fast"}, 2, "kernel.switch-value"},
                      Refusal{
                          {"linear", "--switch", "matmul=loops", "--switch", "conv2d=direct"}, 2, "floor.two-switches"},
                      Refusal{{"linear", "--", "false"}, 5, "port.exited-before-handshake"}));

TEST(Floor, CombinesSwitchesWhereItIsTold) {
  const Result both =
      floor({"linear", "--batch", "2", "--combine", "--switch", "matmul=loops", "--switch", "matmul_inputs=tf32"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_TRUE(both.says("matmul=loops matmul_inputs=tf32")) << both.out;
}

TEST(FloorOfAPort, RunsEachSettingInAProcessOfItsOwn) {
  const Result shown = floor_of_child({"--json"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  const Document lines = Document::parse(shown.out).at("lines");
  std::set<std::string> processes;
  std::map<std::string, Document> switched;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Document line = lines.element(i);
    if (line.at("table").text() != "by_switch") continue;
    processes.insert(line.at("kernels").element(0).text());
    switched.emplace(line.at("what").text(), line);
  }
  EXPECT_EQ(processes.size(), 3U);
  EXPECT_EQ(switched.at("shift=0").at("difference").at("absolute").number(), 0);
  EXPECT_GT(switched.at("shift=0.5").at("difference").at("absolute").number(), 0.25);
  EXPECT_TRUE(switched.at("shift=0.5").at("bound").at("rule").is(Document::Kind::null));
}

TEST(FloorOfAPort, SetsVariablesOfItsEnvironment) {
  const Result none = floor_of_child({"--switch", "SHIFT=0"}), shifted = floor_of_child({"--switch", "SHIFT=0.5"});
  EXPECT_TRUE(none.says("No effect: SHIFT=0.")) << none.out;
  EXPECT_TRUE(shifted.says("NOT ROUNDING of a known path: 1 lies outside")) << shifted.out;
  EXPECT_TRUE(refuses(floor_of_child({"--switch", "shiift=1"}), 2, "floor.unknown-switch"));
}

TEST(FloorOfAPort, SaysWhatThePortCannot) {
  EXPECT_TRUE(refuses(floor_of_child({}, "none"), 5, "port.no-forward"));
  EXPECT_TRUE(refuses(floor_of_child({}, "short"), 5, "port.forward-failed"));
  EXPECT_TRUE(refuses(floor_of_child({}, "nan"), 5, "port.forward-failed"));
  const Result model = microstep({"floor", "conv2d", "--", "python3", source("tests/cli/children/forward.py")});
  EXPECT_TRUE(refuses(model, 5, "port.no-forward"));
}

}  // namespace
}  // namespace microstep::cli_test
