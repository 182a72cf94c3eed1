// Real Optax behind its port, judged by our engine. tools/test sets MICROSTEP_OPTAX_0_2_6 and MICROSTEP_OPTAX_0_2_8 to
// the Pythons that tools/optax_env made. Without them the tests are skipped, or failed where CI=true.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "microstep/golden/file.hpp"
#include "microstep/golden/folder.hpp"
#include "microstep/port/session.hpp"
#include "microstep/trial/record.hpp"
#include "microstep/trial/verify.hpp"
#include "optax/live.hpp"

namespace microstep {
namespace {

// Each has an accumulated run and its large batch; float64 and bfloat16 show what changed from 0.2.6 to 0.2.8.
constexpr std::string_view chosen[] = {
    "sgd.multi_steps2.float32",
    "nesterov.multi_steps4.float32",
    "adam.multi_steps3.float32.scaled",
    "adam.multi_steps3.float64.scaled",
    "adam.multi_steps3.bfloat16.scaled",
    "adam.apply_every3.float32",
    "adamw.apply_every2.float32",
    "sgd.multi_steps_schedule.float32",
    "sgd.multi_steps3_sum.float32",
    "sgd.multi_steps3_skip_nan2.float32",
    "sgd.multi_steps3_edge.float32",
    "chain.multi_steps4.float32",
    "adam.multi_steps3_resume.float32",
    "masked.multi_steps2.float64.scaled",
    "sgd.apply_every2_minus_infinity1_rank0.float32",
};

class LiveOptax : public testing::TestWithParam<const char*> {
 protected:
  std::string version() const { return GetParam(); }
  std::string folder() const { return source_path("golden/optax-" + version()); }

  void SetUp() override {
    python = python_of(version());
    if (!python.empty()) return;
    if (on_ci()) FAIL() << without_python(version());
    GTEST_SKIP() << without_python(version());
  }

  std::unique_ptr<PortSession> session() const {
    ProcessOptions options;
    options.start_timeout = options.request_timeout = options.eof_grace = std::chrono::seconds(120);
    return std::make_unique<PortSession>(std::vector{python, source_path("tools/ports/optax_port.py")}, options);
  }

  std::string python;
};

INSTANTIATE_TEST_SUITE_P(Versions, LiveOptax, testing::Values("0.2.6", "0.2.8"), [](const auto& info) {
  std::string name = std::string("v") + info.param;
  std::ranges::replace(name, '.', '_');
  return name;
});

TEST_P(LiveOptax, SaysWhatItIs) {
  const auto port = session();
  EXPECT_EQ(port->facts().name, "optax");
  EXPECT_EQ(port->facts().runtime.at("optax"), version());
  EXPECT_EQ(port->facts().hyper_precision, HyperPrecision::float32);
  EXPECT_FALSE(port->facts().true_division);
  const PortExit exit = port->stop();
  EXPECT_EQ(to_string(exit), "exit 0");
  EXPECT_EQ(port->warnings(), std::vector<std::string>());
}

// The list's recipes, from plan to verdict, without any kept trace: what was derived by hand holds of this library.
TEST_P(LiveOptax, IsAsDerivedInTheList) {
  const std::string list = source_path("golden/optax.experiments.json");
  std::vector<Recipe> recipes = read_recipes(read_file(list), list);
  std::erase_if(recipes, [](const Recipe& recipe) { return std::ranges::count(chosen, recipe.id) == 0; });
  ASSERT_EQ(recipes.size(), std::size(chosen));
  const auto port = session();
  const std::string scratch = testing::TempDir() + "microstep-optax-" + version() + fmt::format("-{}", getpid());
  for (const Recorded& recorded : record(scratch, recipes, port->facts(), port->producer(), [](std::size_t) {})) {
    EXPECT_EQ(recorded.skipped, "") << recorded.id;
    for (const std::string& problem : recorded.problems) ADD_FAILURE() << recorded.id << ": " << problem;
    EXPECT_EQ(recorded.written, Written::created) << recorded.id;
  }
  std::filesystem::remove_all(scratch);
}

// The same behaviours, contracts and balls as in the kept goldens; last bits may differ with another JAX.
TEST_P(LiveOptax, IsAsInTheGoldens) {
  GoldenFolder goldens = load_golden_folder(folder());
  std::erase_if(goldens.goldens, [](const Golden& golden) { return std::ranges::count(chosen, golden.id) == 0; });
  ASSERT_EQ(goldens.goldens.size(), std::size(chosen));
  const auto port = session();
  for (const Golden& golden : goldens.goldens) {
    std::map<Role, Answer> answers;
    for (const auto& [role, plan] : golden.plans) answers[role] = port->run(plan);
    const CheckedExperiment checked = verify_golden(golden, [&](Role role, const Plan&) { return answers.at(role); });
    for (const std::string& problem : checked.problems) ADD_FAILURE() << golden.id << ": " << problem;
    EXPECT_TRUE(checked.skipped.empty()) << golden.id;
  }
}

// With CI=true nothing is written beside the goldens, whatever comes.
TEST_P(LiveOptax, IsVerifiedByTheCommand) {
  const std::string command = fmt::format("CI=true '{}' verify '{}' --filter momentum.multi_steps -- '{}' '{}'",
                                          MICROSTEP_BINARY, folder(), python, source_path("tools/ports/optax_port.py"));
  const Printed verified = printed(command);
  EXPECT_EQ(verified.code, 0) << verified.output;
  EXPECT_NE(verified.output.find(" pass, 0 fail, 0 skipped"), std::string::npos) << verified.output;
}

// The floor of JAX is rounding, and gone in float64.
TEST_P(LiveOptax, IsForwardedByTheFloor) {
  for (const char* dtype : {"float32", "float64"}) {
    const Printed shown = printed(fmt::format(
        "'{}' floor 'mlp(2, 10, 10, 2)' --batch 1,2,8 --dtype {} --budget-abs {} -- '{}' '{}'", MICROSTEP_BINARY, dtype,
        dtype == std::string("float32") ? "1e-4" : "1e-12", python, source_path("tools/ports/optax_port.py")));
    EXPECT_EQ(shown.code, 0) << shown.output;
    for (const char* words : {"batching=vmap", "precision=highest", "layer 3: linear(10, outputs=2)",
                              "Within the budget.", "Rounding, all of it: every output lies in a certified bound"})
      EXPECT_NE(shown.output.find(words), std::string::npos) << words << shown.output;
  }
}

}  // namespace
}  // namespace microstep
