// The recorder for other people's loops, on the example of each library: as documented, and with a fault in the loop.
// MICROSTEP_TORCH names the Python that has PyTorch; the system's own where it is not set.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "microstep/golden/file.hpp"
#include "optax/live.hpp"

namespace microstep {
namespace {

std::string edited(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

// A loop of the docs, run in a folder of its own and judged.
class Recorder : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Printed judged(const std::string& python, const std::string& loop) const {
    write_file(folder + "/loop.py", loop);
    return printed(fmt::format("cd '{}' && PYTHONPATH='{}' '{}' -B loop.py 2>&1 && '{}' judge run.json", folder,
                               source_path("tools/ports/python"), python, MICROSTEP_BINARY));
  }

  const std::string folder = testing::TempDir() + fmt::format("microstep-recorder-{}", getpid());
};

class OptaxRecorder : public Recorder, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Recorder::SetUp();
    if (!python.empty()) return;
    if (on_ci()) FAIL() << without_python(GetParam());
    GTEST_SKIP() << without_python(GetParam());
  }

  const std::string python = python_of(GetParam());
  const std::string loop = read_file(source_path("docs/optax_loop.py"));
};

INSTANTIATE_TEST_SUITE_P(Versions, OptaxRecorder, testing::Values("0.2.6", "0.2.8"), [](const auto& info) {
  std::string name = std::string("v") + info.param;
  std::ranges::replace(name, '.', '_');
  return name;
});

TEST_P(OptaxRecorder, RecordsTheLoopOfTheDocsWhichIsFaithful) {
  const Printed result = judged(python, loop);
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_NE(result.output.find("\nFAITHFUL: every one of"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("the trace hides"), std::string::npos) << result.output;
}

TEST_P(OptaxRecorder, RecordsASumWhereTheMeanIsDeclared) {
  const Printed result = judged(python, edited(loop, "every_k_schedule=2", "every_k_schedule=2, use_grad_mean=False"));
  EXPECT_EQ(result.code, 1) << result.output;
  EXPECT_NE(result.output.find("sum-mean"), std::string::npos) << result.output;
}

// A schedule in adam, a chain, a mask, and all that has state under the names of docs/trace.md.
TEST_P(OptaxRecorder, MapsTheStateOfNestedSpecs) {
  const std::string optimizer =
      "optax.MultiSteps(optax.chain(optax.trace(0.9), optax.masked(optax.ema(0.9), "
      "{'hidden': {'w': True, 'b': False}, 'out': False}), optax.adamw(lambda count: 0.1)), 2)";
  std::string nested = edited(loop, "optax.MultiSteps(optax.adam(0.1), every_k_schedule=2)", optimizer);
  nested = edited(nested, "multi_steps(adam(0.1), k=2)",
                  "multi_steps(chain(trace(0.9), masked(ema(0.9), mask=['hidden/w']), adamw([[0, 0.1]])), k=2)");
  const Printed result = judged(python, nested);
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_EQ(result.output.find("the trace hides"), std::string::npos) << result.output;
}

class TorchRecorder : public Recorder {
 protected:
  void SetUp() override {
    Recorder::SetUp();
    if (printed(fmt::format("'{}' -c 'import torch' 2>&1", python)).code == 0) return;
    GTEST_SKIP() << python << " has no torch: apt-get install python3-torch, or set MICROSTEP_TORCH";
  }

  const std::string python = std::getenv("MICROSTEP_TORCH") ? std::getenv("MICROSTEP_TORCH") : "/usr/bin/python3";
  const std::string loop = read_file(source_path("docs/torch_loop.py"));
};

TEST_F(TorchRecorder, RecordsTheLoopOfTheDocsWhichIsFaithful) {
  const Printed result = judged(python, loop);
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_NE(result.output.find("\nFAITHFUL: every one of"), std::string::npos) << result.output;
}

TEST_F(TorchRecorder, RecordsThatTheLossIsNotDivided) {
  std::string sum = edited(loop, " / k\n", "\n");
  sum = edited(sum, "times=k", "times=1");
  const Printed result = judged(python, sum);
  EXPECT_EQ(result.code, 1) << result.output;
  EXPECT_NE(result.output.find("sum-mean"), std::string::npos) << result.output;
}

TEST_F(TorchRecorder, RecordsThatGradientsAreNotCleared) {
  const Printed result = judged(python, edited(loop, "            optimizer.zero_grad()\n", ""));
  EXPECT_EQ(result.code, 1) << result.output;
  EXPECT_NE(result.output.find("boundary"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace microstep
