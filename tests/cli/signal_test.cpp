// A signal that ends the tool ends the port too, though the port has a session of its own.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "command.hpp"

namespace microstep::cli_test {
namespace {

bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 200; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(50)))
    if (condition()) return true;
  return false;
}

TEST(Signals, EndThePortToo) {
  const Folder folder;
  const std::string mark = folder.file("pid"), golden = source("golden/optax-0.2.8");
  const std::string port =
      folder.write("port.sh", "echo $$ > " + mark + ".part; mv " + mark + ".part " + mark + "; sleep 60\n");
  const pid_t tool = fork();
  if (tool == 0) {
    execl(MICROSTEP_BINARY, "microstep", "verify", golden.c_str(), "--", "/bin/sh", port.c_str(), nullptr);
    _exit(127);
  }
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(mark); }));
  const int child = std::stoi(text_of(mark));
  kill(tool, SIGTERM);
  int status = 0;
  waitpid(tool, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_TRUE(comes_true([&] { return kill(child, 0) != 0; }));
}

}  // namespace
}  // namespace microstep::cli_test
