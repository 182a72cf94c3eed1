#include "command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "lines.hpp"
#include "microstep/data/spec.hpp"

namespace microstep::port {
namespace {

namespace fs = std::filesystem;

std::string shown(std::string_view text) { return printable_utf8(text.substr(0, 200)); }

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<std::string> search_path(const std::vector<std::string>& environment) {
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) path = std::string_view(entry).substr(5);
  }
  std::vector<std::string> folders;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    folders.emplace_back(end == begin ? std::string_view(".") : path.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

// The executable whose name is nearest; ties go to the name that sorts first. Empty if none is near.
std::string nearest_command(std::string_view name, const std::vector<std::string>& folders) {
  std::set<std::string> names;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
      if (access(entry.path().c_str(), X_OK) == 0 && is_file(entry.path())) names.insert(entry.path().filename());
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return nearest_name(name, known);
}

PortTrouble not_found(const std::string& command, const std::vector<std::string>& environment) {
  const std::size_t slash = command.rfind('/');
  const bool on_path = slash == std::string::npos;
  const std::string folder = on_path ? "" : command.substr(0, slash + 1);
  const std::string near = on_path ? nearest_command(command, search_path(environment))
                                   : nearest_command(command.substr(slash + 1), {folder});
  const std::string hint = near.empty() ? "check the name after --" : fmt::format("did you mean '{}'?", folder + near);
  return {"port.not-found",
          fmt::format("'{}' was not found{}; {}", shown(command), on_path ? " on PATH" : "", printable_utf8(hint)), ""};
}

std::string shebang_interpreter(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string line(256, '\0');
  stream.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(stream.gcount()));
  if (!line.starts_with("#!")) return "";
  const std::size_t begin = std::min(line.find_first_not_of(" \t", 2), line.size());
  return line.substr(begin, line.find_first_of(" \t\r\n", begin) - begin);
}

}  // namespace

std::vector<std::string> child_environment(const ProcessOptions& options) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (options.environment.count(std::string(text.substr(0, text.find('=')))) == 0) entries.emplace_back(text);
  }
  for (const auto& [name, value] : options.environment) {
    if (value) entries.push_back(name + "=" + *value);
  }
  return entries;
}

std::optional<std::string> find_command(std::string_view command, const std::vector<std::string>& environment) {
  std::error_code ignored;
  if (command.find('/') != std::string_view::npos) {
    return fs::exists(fs::path(command), ignored) ? std::optional(std::string(command)) : std::nullopt;
  }
  std::optional<std::string> found;
  for (const std::string& folder : search_path(environment)) {
    const std::string path = folder + "/" + std::string(command);
    if (!is_file(path)) continue;
    if (access(path.c_str(), X_OK) == 0) return path;
    if (!found) found = path;
  }
  return found;
}

std::optional<PortTrouble> refuse_command(const std::vector<std::string>& argv,
                                          const std::vector<std::string>& environment) {
  if (argv.empty() || argv[0].empty()) {
    return PortTrouble{"port.not-found", "the command is empty; name the port's program after --", ""};
  }
  for (const std::string& argument : argv) {
    if (argument.find('\0') == std::string::npos) continue;
    return PortTrouble{"port.cannot-spawn", "an argument holds a NUL byte, which no program can be given", ""};
  }
  if (!find_command(argv[0], environment)) return not_found(argv[0], environment);
  return std::nullopt;
}

PortTrouble explain_spawn_failure(const std::string& file, int error) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    return {"port.not-executable", fmt::format("'{}' is a directory; name a program", shown(file)), ""};
  }
  if (error == EACCES && access(file.c_str(), X_OK) != 0) {
    return {"port.not-executable", fmt::format("'{0}' may not be executed; try chmod +x '{0}'", shown(file)), ""};
  }
  if (error == ENOENT || error == EACCES) {
    const std::string interpreter = shebang_interpreter(file);
    return {
        "port.bad-interpreter",
        fmt::format("'{}' exists but its {} is missing or may not be executed; install it or correct the first line",
                    shown(file), interpreter.empty() ? "loader" : "interpreter '" + shown(interpreter) + "'"),
        ""};
  }
  const bool too_many = error == EMFILE || error == ENFILE;
  return {"port.cannot-spawn", fmt::format("'{}' could not be started: {}", shown(file), std::strerror(error)), "",
          too_many ? "a port needs about 20 open files: raise ulimit -n, or close some" : ""};
}

}  // namespace microstep::port
