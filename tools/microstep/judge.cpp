#include "command.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/report/judgement.hpp"

namespace microstep::cli {
namespace {

struct Options {
  std::string path, spec;
  bool json = false;
};

int run(const Options& options) {
  std::optional<Spec> spec;
  if (!options.spec.empty()) spec = parse_spec(options.spec);
  const TraceJudgement judgement = judge_trace(read_file(options.path), options.path, spec);
  print(options.json ? json_report(judgement) : text_report(judgement));
  if (judgement.outcome == Outcome::broken) return differs;
  return judgement.outcome == Outcome::undecidable ? nothing_decided : as_expected;
}

}  // namespace

void add_judge(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("judge", "a trace that anyone's loop dumped (docs/trace.md), transition by transition");
  command->add_option("TRACE", options->path, "the file")->required();
  command->add_option("--spec", options->spec, "the optimizer; in place of the one in the file");
  command->add_flag("--json", options->json, "the result as JSON");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace microstep::cli
