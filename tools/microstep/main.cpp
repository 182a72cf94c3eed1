#include <unistd.h>

#include <cstdio>

#include "command.hpp"
#include "microstep/data/error.hpp"

namespace microstep::cli {

std::vector<Command> commands() {
  return {{add_compare}, {add_judge},  {add_contracts}, {add_record}, {add_verify},
          {add_diff},    {add_accept}, {add_serve},     {add_demo}};
}

std::vector<std::string>& port_command() {
  static std::vector<std::string> command;
  return command;
}

void add_port_times(CLI::App& command, PortTimes& times) {
  const auto positive = CLI::Range(0.001, 86400.0);
  command.add_option("--timeout", times.request, "seconds that the port has for one request")
      ->check(positive)
      ->capture_default_str();
  command.add_option("--start-timeout", times.start, "seconds that the port has to start")
      ->check(positive)
      ->capture_default_str();
}

void show_progress(const std::string& what, std::size_t done, std::size_t all) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r%s %zu/%zu%s", what.c_str(), done, all, done == all ? "\r\033[K" : "");
  std::fflush(stderr);
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error("output.stdout", "the results could not be written to standard output", {},
                "free some space, or write to a file");
}

namespace {

int exit_code(const std::string& id) {
  const std::string room = id.substr(0, id.find('.'));
  if (room == "output" || id == "golden.write-failed" || id == "golden.locked") return not_written;
  if (room == "port") return no_port;
  if (room == "json" || room == "golden" || room == "trace" || room == "file" || room == "recipe") return bad_input;
  return usage;
}

// The tool's own part of the command line; the rest behind `--` is the port's.
int own_arguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    port_command().assign(argv + i + 1, argv + argc);
    if (port_command().empty())
      throw Error("usage.no-port", "no command stands behind --", {}, "as in -- python3 port.py");
    return i;
  }
  return argc;
}

int run(int argc, char** argv) {
  CLI::App app("Is accumulated training the same computation as large-batch training, and if not, why?");
  app.set_version_flag("--version", "microstep " MICROSTEP_VERSION);
  app.require_subcommand(1);
  std::function<int()> action;
  for (const Command& command : commands()) command.add(app, action);
  try {
    app.parse(own_arguments(argc, argv), argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? as_expected : usage;
  }
  return action();
}

}  // namespace
}  // namespace microstep::cli

int main(int argc, char** argv) {
  try {
    return microstep::cli::run(argc, argv);
  } catch (const microstep::Error& error) {
    std::fprintf(stderr, "microstep: %s\n", error.what());
    return microstep::cli::exit_code(error.id());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "microstep: internal: %s\n  next: please report this as a bug\n", error.what());
    return microstep::cli::own_bug;
  }
}
