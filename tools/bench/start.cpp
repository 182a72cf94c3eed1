#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>

#include "case.hpp"

namespace microstep::bench {
namespace {

// Its output goes nowhere.
void run_version() {
  char program[] = MICROSTEP_BINARY, argument[] = "--version", path[] = "PATH=/usr/bin:/bin";
  char* arguments[] = {program, argument, nullptr};
  char* environment[] = {path, nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", 1, 0);
  pid_t child = 0;
  int status = 1;
  const bool started = posix_spawn(&child, program, &files, nullptr, arguments, environment) == 0;
  posix_spawn_file_actions_destroy(&files);
  if (!started || waitpid(child, &status, 0) != child || status != 0) std::abort();
}

}  // namespace

std::vector<Case> start_cases() {
  const std::string name = "microstep --version, start to end";
  return {{name, Figure::milliseconds, 20, {name, {}, run_version}}};
}

}  // namespace microstep::bench
