#include "microstep/trial/serve.hpp"

#include <iostream>

#include "command.hpp"

namespace microstep::cli {
namespace {

int run() {
  for (std::string line; std::getline(std::cin, line);) {
    const Served served = serve_line(line);
    print(served.answer + "\n");
    if (served.stops) break;
  }
  return as_expected;
}

}  // namespace

void add_serve(CLI::App& app, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("serve", "be a port: answer requests (docs/protocol.md) on standard input");
  command->add_flag("--json")->description("accepted as everywhere; a port speaks JSON with and without it");
  command->callback([&action] { action = run; });
}

}  // namespace microstep::cli
