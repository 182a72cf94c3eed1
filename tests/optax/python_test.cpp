// Programs of the repository that only a Python with NumPy and JAX can run.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "microstep/golden/file.hpp"
#include "optax/live.hpp"

namespace microstep {
namespace {

class Python : public testing::Test {
 protected:
  void SetUp() override {
    if (!python.empty()) return;
    if (on_ci()) FAIL() << without_python("0.2.8");
    GTEST_SKIP() << without_python("0.2.8");
  }

  const std::string python = python_of("0.2.8");
};

// As the page says: into a file, then judged.
TEST_F(Python, RunsTheNumpyLoopOfTheDocsWhichIsFaithful) {
  const std::string loop = testing::TempDir() + fmt::format("microstep-loop-{}.json", getpid());
  const Printed judged = printed(fmt::format("'{}' '{}' > '{}' && '{}' judge '{}'", python,
                                             source_path("docs/numpy_loop.py"), loop, MICROSTEP_BINARY, loop));
  EXPECT_EQ(judged.code, 0) << judged.output;
  EXPECT_NE(judged.output.find("FAITHFUL"), std::string::npos) << judged.output;
  EXPECT_EQ(read_file(loop), read_file(source_path("tests/json/recorded/numpy_loop.json")));
  std::filesystem::remove(loop);
}

TEST_F(Python, RunsTheNumpyPairOfTheDocsWhichIsAsRecorded) {
  for (const char* name : {"accumulated", "large_batch", "large_batch_sum"}) {
    const Printed run = printed(fmt::format("'{}' '{}' {}", python, source_path("docs/numpy_pair.py"), name));
    EXPECT_EQ(run.output, read_file(source_path(fmt::format("tests/json/recorded/numpy_{}.json", name)))) << name;
  }
}

// The Python body of an update runs where JAX traces it: once, and once more behind an interruption; without jit it
// would run in every microstep.
constexpr const char* counts_traces = R"py(
import sys
sys.path.insert(0, sys.argv[1])
import optax, optax_port
traced = []
def scale(factor):
    def update(updates, state, params=None):
        traced.append(1)
        return updates, state
    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)
optax_port.OPS["scale"] = scale
leaf = {"dtype": "float32", "shape": [1], "values": [1]}
plan = {"spec": "scale(2)", "params": {"w": leaf}, "given": [{"gradients": {"w": [1]}}], "batches": [[0]] * 6}
for interruptions in ([], [3]):
    traced.clear()
    optax_port.run(plan | {"interruptions": interruptions})
    print(len(traced))
)py";

TEST_F(Python, SeesThatTheOptaxPortCompilesItsUpdates) {
  const Printed counted =
      printed(fmt::format("'{}' -B -c '{}' '{}'", python, counts_traces, source_path("tools/ports")));
  EXPECT_EQ(counted.code, 0);
  EXPECT_EQ(counted.output, "1\n2\n");
}

}  // namespace
}  // namespace microstep
