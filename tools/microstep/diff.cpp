#include "microstep/trial/diff.hpp"

#include "command.hpp"
#include "microstep/report/goldens.hpp"

namespace microstep::cli {
namespace {

struct Options {
  std::string before, after;
  bool json = false, all = false;
};

int run(const Options& options) {
  const FolderDiff found = diff(options.before, options.after);
  print(options.json ? json_report(found) : text_report(found, options.all));
  if (!found.faults.empty()) return bad_input;
  if (!found.other_experiments.empty()) return differs;
  if (found.compared == 0) return nothing_decided;
  return found.changes.empty() && found.only_before.empty() ? as_expected : differs;
}

}  // namespace

void add_diff(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("diff", "what changed in behaviour between two folders of goldens");
  command->add_option("BEFORE", options->before, "the folder of the older version")->required();
  command->add_option("AFTER", options->after, "the folder of the newer version")->required();
  command->add_flag("-v,--verbose", options->all, "rounding by experiment too, and not by leaf alone");
  command->add_flag("--json", options->json, "the result as JSON");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace microstep::cli
