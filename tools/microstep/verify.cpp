#include "microstep/trial/verify.hpp"

#include <cstdlib>

#include "command.hpp"
#include "microstep/report/goldens.hpp"
#include "port.hpp"

namespace microstep::cli {
namespace {

struct Options {
  std::string folder, filter;
  PortTimes times{120, 120};
  bool json = false;
};

bool on_ci() {
  const char* value = std::getenv("CI");
  const std::string_view said = value ? value : "";
  return !said.empty() && said != "false";
}

int exit_code(const VerifiedFolder& verified) {
  if (!verified.faults.empty()) return bad_input;
  auto fails = [](const CheckedExperiment& e) { return !e.problems.empty(); };
  if (!verified.orphans.empty() || std::ranges::any_of(verified.experiments, fails)) return differs;
  auto decided = [](const CheckedExperiment& e) { return !e.skipped.contains(Role::accumulated); };
  return std::ranges::any_of(verified.experiments, decided) ? as_expected : nothing_decided;
}

int run(const Options& options) {
  auto progress = [](std::size_t done, std::size_t all) { show_progress("verified", done, all); };
  VerifiedFolder verified;
  if (port_command().empty()) {
    verified = verify(options.folder, nullptr, false, options.filter, progress);
  } else {
    const auto port = start_port(options.times);
    const Producer producer = port->producer();
    verified = verify(options.folder, &producer, !on_ci(), options.filter, progress);
    finish(*port);
  }
  if (verified.experiments.empty() && !options.filter.empty())
    tell({"verify.nothing-selected", "no golden's id holds '" + options.filter + "'", options.folder,
          "give --filter a part of a file name in it"});
  print(options.json ? json_report(verified) : text_report(verified));
  return exit_code(verified);
}

}  // namespace

void add_verify(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("verify", "goldens against our engine, or a port's new traces: [-- PORT ARGS...]");
  command->add_option("DIR", options->folder, "the folder of goldens")->required();
  command->add_option("--filter", options->filter, "only goldens whose id holds this");
  add_port_times(*command, options->times);
  command->add_flag("--json", options->json, "the result as JSON");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace microstep::cli
