#pragma once
// The Pythons of the Optax environments, and what a command prints.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace microstep {

inline std::string source_path(const std::string& name) { return std::string(MICROSTEP_SOURCE_DIR) + "/" + name; }

inline bool on_ci() {
  const char* value = std::getenv("CI");
  return value && std::string_view(value) == "true";
}

/// The environment variable that names the Python of a version.
inline std::string variable_of(const std::string& version) {
  std::string variable = "MICROSTEP_OPTAX_" + version;
  std::ranges::replace(variable, '.', '_');
  return variable;
}

/// Empty where the variable is not set.
inline std::string python_of(const std::string& version) {
  const char* value = std::getenv(variable_of(version).c_str());
  return value ? value : "";
}

inline std::string without_python(const std::string& version) {
  return variable_of(version) + " is not set, so there is no Optax " + version + ": run tools/optax_env " + version +
         " and set it to the Python printed";
}

struct Printed {
  int code = -1;
  std::string output;
};

/// A line of the shell, run to its end.
inline Printed printed(const std::string& command) {
  Printed result;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return result;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) result.output += static_cast<char>(c);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  return result;
}

}  // namespace microstep
