#include "microstep/trial/record.hpp"

#include "command.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/report/goldens.hpp"
#include "port.hpp"

namespace microstep::cli {
namespace {

struct Options {
  std::string folder, experiments, filter;
  PortTimes times{120, 120};
  bool json = false;
};

int nothing_selected(const Options& options, const std::vector<Recipe>& recipes) {
  std::string ids;
  for (const Recipe& recipe : recipes) ids += (ids.empty() ? "" : ", ") + recipe.id;
  tell({"record.nothing-selected", "no experiment's id holds '" + options.filter + "'", options.experiments,
        recipes.empty() ? "list an experiment" : "give --filter a part of one of: " + ids});
  if (options.json) print(json_report(std::vector<Recorded>{}));
  return nothing_decided;
}

int run(const Options& options) {
  if (port_command().empty())
    throw Error("usage.no-port", "record needs a port", "behind --",
                "microstep record DIR --experiments FILE -- PORT ARGS...");
  const std::vector<Recipe> listed = read_recipes(read_file(options.experiments), options.experiments);
  std::vector<Recipe> recipes = listed;
  std::erase_if(recipes, [&](const Recipe& recipe) { return recipe.id.find(options.filter) == std::string::npos; });
  if (recipes.empty()) return nothing_selected(options, listed);
  const auto port = start_port(options.times);
  const auto recorded = record(options.folder, recipes, port->facts(), port->producer(),
                               [&](std::size_t done) { show_progress("recorded", done, recipes.size()); });
  finish(*port);
  print(options.json ? json_report(recorded) : text_report(recorded));
  bool refused = std::ranges::any_of(recorded, [](const Recorded& r) { return !r.problems.empty(); });
  if (refused) return differs;
  bool all_skipped = std::ranges::all_of(recorded, [](const Recorded& r) { return !r.skipped.empty(); });
  return all_skipped ? nothing_decided : as_expected;
}

}  // namespace

void add_record(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("record", "fill a folder of goldens from a library behind a port: ... -- PORT ARGS...");
  command->add_option("DIR", options->folder, "the folder")->required();
  command->add_option("--experiments", options->experiments, "the list of experiments")->required();
  command->add_option("--filter", options->filter, "only experiments whose id holds this");
  add_port_times(*command, options->times);
  command->add_flag("--json", options->json, "the result as JSON");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace microstep::cli
