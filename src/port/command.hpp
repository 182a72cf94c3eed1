#pragma once
// Finding a command before it is started, and explaining afterwards why it could not be.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/port/process.hpp"

namespace microstep::port {

/// The environment of the child: ours with the additions, as NAME=value.
std::vector<std::string> child_environment(const ProcessOptions& options);

/// The file that `command` names: itself when it holds a slash, else the first executable file of that name on the PATH
/// of that environment, else the first file of that name; nullopt if there is none.
std::optional<std::string> find_command(std::string_view command, const std::vector<std::string>& environment);

/// What is wrong with the command line before anything is started.
std::optional<PortTrouble> refuse_command(const std::vector<std::string>& argv,
                                          const std::vector<std::string>& environment);

/// Why starting `file` failed with this (positive) errno.
PortTrouble explain_spawn_failure(const std::string& file, int error);

}  // namespace microstep::port
