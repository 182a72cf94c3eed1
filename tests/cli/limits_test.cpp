// Limits that a shell sets: what cannot be written or started is an error with a next step, never a death by signal.
#include <sys/resource.h>
#include <unistd.h>

#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

// The soft limit of this process, which the tool inherits, for the time of a test.
class Limit {
 public:
  Limit(__rlimit_resource which, rlim_t value) : which_(which) {
    getrlimit(which_, &before_);
    const rlimit lower{value, before_.rlim_max};
    setrlimit(which_, &lower);
  }
  ~Limit() { setrlimit(which_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  __rlimit_resource which_;
  rlimit before_{};
};

const std::string list = R"x({"schema": "microstep/experiments/1", "experiments": [
  {"id": "a", "why": "w", "source": "s", "spec": "multi_steps(sgd(0.5), k=2)", "plans": "same"}]})x";

TEST(LimitOfFileSize, FailsARecordingAndLeavesNothing) {
  const Folder folder;
  const std::string experiments = folder.write("list.json", list), goldens = folder.file("goldens");
  const Limit limit(RLIMIT_FSIZE, 1024);
  const Result result = microstep({"record", goldens, "--experiments", experiments, "--", MICROSTEP_BINARY, "serve"});
  EXPECT_TRUE(refuses(result, 6, "golden.write-failed"));
  EXPECT_EQ(microstep({"verify", goldens}).code, 3);
  EXPECT_NE(::rmdir(goldens.c_str()), -1) << "something was left in the folder";
}

TEST(LimitOfFileSize, FailsAComparisonThatIsRedirected) {
  const Limit limit(RLIMIT_FSIZE, 64);
  const Result result = microstep({"compare", "multi_steps(sgd(0.5), k=2)"});
  EXPECT_EQ(result.code, 6) << "128 + the signal that ended it";
  EXPECT_TRUE(result.err.starts_with("microstep: output.stdout: ")) << result.err;
}

// Six are open already: the streams, and what they were made of. A sanitizer's check of a virtual table opens a pipe
// to see whether memory may be read, and takes the table for broken where it cannot.
TEST(LimitOfOpenFiles, IsToldBeforeAPortIsStarted) {
#ifdef __SANITIZE_ADDRESS__
  const std::vector<rlim_t> limits{12, 16, 20};
#else
  const std::vector<rlim_t> limits{8, 12, 16, 20};
#endif
  for (rlim_t most : limits) {
    const Limit limit(RLIMIT_NOFILE, most);
    const Result result = microstep({"verify", source("golden/optax-0.2.8"), "--", MICROSTEP_BINARY, "serve"});
    EXPECT_TRUE(refuses(result, 5, "port.cannot-spawn")) << most;
    EXPECT_TRUE(result.warns("raise ulimit -n")) << result.err;
  }
}

// What no part of the tool foresees is its own fault, and said so: here that a long trace does not fit into memory.
TEST(LimitOfMemory, IsAnInternalErrorWhereItIsNotForeseen) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer takes memory of its own";
#endif
  std::string text = text_of(source("tests/json/recorded/numpy_loop.json"));
  text.resize(text.rfind("]}"));
  const std::string step = text.substr(text.rfind("{\"gradients\""));
  for (int i = 0; i < 8000; ++i) text += ", " + step;
  const Folder folder;
  const std::string trace = folder.write("long.json", text + "]}");
  const Limit limit(RLIMIT_AS, rlim_t{40} << 20U);
  const Result result = microstep({"judge", trace});
  EXPECT_EQ(result.code, 70) << result.err;
  EXPECT_TRUE(result.err.starts_with("microstep: internal: ")) << result.err;
  EXPECT_TRUE(result.warns("\n  next: please report this as a bug")) << result.err;
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace microstep::cli_test
