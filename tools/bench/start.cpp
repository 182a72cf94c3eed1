#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "case.hpp"

namespace microstep::bench {
namespace {

// Its output goes nowhere.
void run_tool(std::vector<std::string> words) {
  char path[] = "PATH=/usr/bin:/bin", ci[] = "CI=true";
  char* environment[] = {path, ci, nullptr};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", 1, 0);
  pid_t child = 0;
  int status = 1;
  const bool started = posix_spawn(&child, MICROSTEP_BINARY, &files, nullptr, arguments.data(), environment) == 0;
  posix_spawn_file_actions_destroy(&files);
  if (!started || waitpid(child, &status, 0) != child || status != 0) std::abort();
}

// The whole command, at most so many milliseconds.
Case timed(const std::string& name, double limit, const std::vector<std::string>& words) {
  return {name, Figure::milliseconds, limit, {name, {}, [words] { run_tool(words); }}};
}

}  // namespace

std::vector<Case> start_cases() {
  return {
      timed("microstep --version, start to end", 20, {"microstep", "--version"}),
      timed("microstep verify golden/optax-0.2.8, start to end", 20'000,
            {"microstep", "verify", MICROSTEP_GOLDEN "/optax-0.2.8"}),
      timed("microstep floor conv2d, six batch sizes, start to end", 5'000, {"microstep", "floor", "conv2d"}),
  };
}

}  // namespace microstep::bench
