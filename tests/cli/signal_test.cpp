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

using Condition = std::function<bool()>;

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

// The child's end is only looked at: its status is left for code_after.
bool has_ended(pid_t child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

// However slow the machine is: ctest ends a test that waits for ever.
bool comes_true_while_it_runs(pid_t tool, const Condition& condition) {
  for (; !has_ended(tool); rest())
    if (condition()) return true;
  return condition();
}

// Less than the minutes after which a port that nobody ended would end by itself.
bool comes_true(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  for (; std::chrono::steady_clock::now() < end; rest())
    if (condition()) return true;
  return false;
}

pid_t started(std::vector<std::string> arguments, int output = -1) {
  std::vector<char*> argv = {const_cast<char*>("microstep")};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t tool = fork();
  if (tool == 0) {
    dup2(output < 0 ? open("/dev/null", O_WRONLY) : output, STDOUT_FILENO);
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
      folder.write("port.sh", "echo $$ > " + mark + ".part; mv " + mark + ".part " + mark + "; sleep 600\n");
  const pid_t tool = started({"verify", source("golden/optax-0.2.8"), "--", "/bin/sh", port});
  ASSERT_TRUE(comes_true_while_it_runs(tool, [&] { return std::filesystem::exists(mark); }));
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

// A reader that goes away, as head does: a pipe that nobody reads any more.
TEST(ClosedPipe, EndsTheToolByItsSignal) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"contracts"}, {"--help"}, {"compare", "multi_steps(sgd(0.1), k=2)", "--json"}}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    close(ends[0]);
    const auto before = signal(SIGPIPE, SIG_DFL);
    const pid_t tool = started(arguments, ends[1]);
    signal(SIGPIPE, before);
    close(ends[1]);
    EXPECT_EQ(code_after(tool, 0), 128 + SIGPIPE) << arguments[0];
  }
}

// Our own port, which makes a mark and hangs in the second experiment.
constexpr const char* hanging = R"x(import subprocess, sys, time
port = subprocess.Popen([sys.argv[1], "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    if "sgd(0.25)" in line:
        open(sys.argv[2], "w").close()
        time.sleep(600)
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
  ASSERT_TRUE(comes_true_while_it_runs(tool, [&] { return std::filesystem::exists(mark); }));
  EXPECT_EQ(code_after(tool, SIGINT), 130);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(goldens)) names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"MANIFEST.sha256", "a.json"}));
  EXPECT_EQ(microstep({"verify", goldens}).code, 0);
}

}  // namespace
}  // namespace microstep::cli_test
