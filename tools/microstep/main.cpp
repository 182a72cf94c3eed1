#include <cstdio>

#include "command.hpp"
#include "microstep/data/error.hpp"

namespace microstep::cli {

std::vector<Command> commands() { return {{add_compare}, {add_contracts}, {add_serve}, {add_demo}}; }

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error("output.stdout", "the results could not be written to standard output", {},
                "free some space, or write to a file");
}

namespace {

int exit_code(const std::string& id) {
  const std::string room = id.substr(0, id.find('.'));
  if (room == "output") return not_written;
  if (room == "port") return no_port;
  if (room == "json" || room == "golden" || room == "trace" || room == "file") return bad_input;
  return usage;
}

int run(int argc, char** argv) {
  CLI::App app("Is accumulated training the same computation as large-batch training, and if not, why?");
  app.set_version_flag("--version", "microstep " MICROSTEP_VERSION);
  app.require_subcommand(1);
  std::function<int()> action;
  for (const Command& command : commands()) command.add(app, action);
  try {
    app.parse(argc, argv);
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
