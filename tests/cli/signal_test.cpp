// A signal that ends the tool ends the port too, though the port has a session of its own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <thread>

#include "command.hpp"

namespace microstep::cli_test {
namespace {

bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 200; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(50)))
    if (condition()) return true;
  return false;
}

pid_t started(std::vector<std::string> arguments) {
  std::vector<char*> argv = {const_cast<char*>("microstep")};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t tool = fork();
  if (tool == 0) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execv(MICROSTEP_BINARY, argv.data());
    _exit(127);
  }
  return tool;
}

// A shell says 128 + the signal of a process that a signal ended.
int code_after(pid_t tool, int signal) {
  kill(tool, signal);
  int status = 0;
  waitpid(tool, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

class Signals : public ::testing::TestWithParam<int> {};

TEST_P(Signals, EndThePortToo) {
  const Folder folder;
  const std::string mark = folder.file("pid");
  const std::string port =
      folder.write("port.sh", "echo $$ > " + mark + ".part; mv " + mark + ".part " + mark + "; sleep 60\n");
  const pid_t tool = started({"verify", source("golden/optax-0.2.8"), "--", "/bin/sh", port});
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(mark); }));
  const int child = std::stoi(text_of(mark));
  EXPECT_EQ(code_after(tool, GetParam()), 128 + GetParam());
  EXPECT_TRUE(comes_true([&] { return kill(child, 0) != 0; }));
}

TEST_P(Signals, EndAComparison) {
  const pid_t tool = started({"compare", "multi_steps(sgd(0.1), k=20000)"});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(code_after(tool, GetParam()), 128 + GetParam());
}

INSTANTIATE_TEST_SUITE_P(Ending, Signals, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

// Our own port, which makes a mark and hangs in the second experiment.
constexpr const char* hanging = R"x(import subprocess, sys, time
port = subprocess.Popen([sys.argv[1], "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    if "sgd(0.25)" in line:
        open(sys.argv[2], "w").close()
        time.sleep(60)
    port.stdin.write(line)
    port.stdin.flush()
    print(port.stdout.readline(), end="", flush=True)
)x";

TEST(Interrupted, ARecordingLeavesWholeFilesOnly) {
  const Folder folder;
  const std::string list = folder.write("list.json", R"x({"schema": "microstep/experiments/1", "experiments": [
  {"id": "a", "why": "w", "source": "s", "spec": "multi_steps(sgd(0.5), k=2)", "plans": "same"},
  {"id": "b", "why": "w", "source": "s", "spec": "multi_steps(sgd(0.25), k=2)", "plans": "same"}]})x");
  const std::string goldens = folder.file("goldens"), mark = folder.file("mark");
  const pid_t tool = started({"record", goldens, "--experiments", list, "--", "python3",
                              folder.write("port.py", hanging), MICROSTEP_BINARY, mark});
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(mark); }));
  EXPECT_EQ(code_after(tool, SIGINT), 130);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(goldens)) names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"MANIFEST.sha256", "a.json"}));
  EXPECT_EQ(microstep({"verify", goldens}).code, 0);
}

}  // namespace
}  // namespace microstep::cli_test
