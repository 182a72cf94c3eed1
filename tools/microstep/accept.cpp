#include <filesystem>

#include "command.hpp"
#include "microstep/report/goldens.hpp"
#include "microstep/trial/verify.hpp"

namespace microstep::cli {
namespace {

struct Options {
  std::string folder;
  std::vector<std::string> ids;
  bool json = false;
};

int run(const Options& options) {
  if (!std::filesystem::is_directory(options.folder))
    throw Error("golden.not-a-folder", "there is no folder of goldens", options.folder, "name one that record made");
  const Accepted found = accept(options.folder, options.ids);
  print(options.json ? json_report(found) : text_report(found));
  if (!found.refused.empty()) return differs;
  if (found.ids.empty())
    tell({"accept.nothing-pending", "nothing waits", options.folder,
          "microstep verify " + options.folder + " -- PORT ARGS... writes beside the old ones what has changed"});
  return found.ids.empty() ? nothing_decided : as_expected;
}

}  // namespace

void add_accept(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("accept", "move reviewed .new goldens over the old ones and list their hashes");
  command->add_option("DIR", options->folder, "the folder of goldens")->required();
  command->add_option("ID", options->ids, "these only; all that wait if none is named");
  command->add_flag("--json", options->json, "the result as JSON");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace microstep::cli
