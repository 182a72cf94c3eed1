#include "command.hpp"
#include "microstep/report/judgement.hpp"

namespace microstep::cli {
namespace {

struct Options {
  std::string id;
  bool json = false;
};

int run(const Options& options) {
  std::span<const Contract> shown = contracts();
  if (!options.id.empty()) shown = std::span(&contract(options.id), 1);
  print(options.json ? json_catalogue(shown) : text_catalogue(shown));
  return as_expected;
}

}  // namespace

void add_contracts(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("contracts", "what ought to be true of traces: id, statement, source");
  command->add_option("ID", options->id, "one contract only, such as state.inner_asleep");
  command->add_flag("--json", options->json, "the catalogue as JSON");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace microstep::cli
