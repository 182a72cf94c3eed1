#include "command.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/report/against.hpp"
#include "microstep/report/judgement.hpp"

namespace microstep::cli {
namespace {

struct Options {
  std::string path, spec, against, against_spec;
  bool json = false;
};

std::optional<Spec> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(parse_spec(text));
}

int run_against(const Options& options) {
  const std::optional<Spec> spec = given(options.spec), other = given(options.against_spec);
  const Against found = judge_against({read_file(options.path), options.path},
                                      {read_file(options.against), options.against}, spec, other);
  print(options.json ? json_report(found) : text_report(found));
  if (found.answer == Answered::semantic) return differs;
  return found.answer == Answered::undecidable ? nothing_decided : as_expected;
}

int run(const Options& options) {
  if (!options.against.empty()) return run_against(options);
  const std::optional<Spec> spec = given(options.spec);
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
  CLI::Option* against =
      command->add_option("--against", options->against, "the trace of a run on large batches, one step a window");
  command->add_option("--against-spec", options->against_spec, "its optimizer; in place of the one in that file")
      ->needs(against);
  command->add_flag("--json", options->json, "the result as JSON");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace microstep::cli
