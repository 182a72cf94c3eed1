// Adam behind apply_every, then in multi_steps, each against the large batch and explained.
#include <fmt/format.h>

#include "command.hpp"
#include "microstep/json/writer.hpp"
#include "microstep/report/compare.hpp"

namespace microstep::cli {
namespace {

struct Act {
  std::string spec;
  Sameness expected;
  std::string words;
};

const std::vector<Act>& acts() {
  static const std::vector<Act> all = {
      {"chain(adam(0.1), apply_every(2))", Sameness::different,
       "1. Adam with its updates gathered by apply_every. It trains, and it is not the large batch:"},
      {"multi_steps(adam(0.1), k=2)", Sameness::same,
       "2. The gradients gathered in front of Adam by multi_steps. It is the large batch, rounding aside:"},
  };
  return all;
}

Comparison played(const Act& act) {
  return compare({parse_spec(act.spec), parse_spec("mlp(3, 5, 2)", OpKind::problem), {}, {}});
}

int run(bool json) {
  bool expected = true;
  JsonWriter out;
  out.open_object().key("schema").text("microstep/demo/1").key("command").text("demo").key("acts").open_array();
  std::string text;
  for (const Act& act : acts()) {
    const Comparison comparison = played(act);
    expected = expected && comparison.semantics.verdict == act.expected;
    text += fmt::format("{}\n\n$ microstep compare '{}'\n{}\n", act.words, act.spec, text_report(comparison));
    out.open_object(JsonWriter::Form::line).key("spec").text(act.spec).key("expected").text(to_string(act.expected));
    out.key("semantics").text(to_string(comparison.semantics.verdict)).close();
  }
  out.close().key("as_expected").truth(expected).close();
  text += expected ? "Both verdicts are the expected ones.\n"
                   : "A verdict is not the expected one: this build is broken.\n";
  print(json ? out.finish() : text);
  return expected ? as_expected : differs;
}

}  // namespace

void add_demo(CLI::App& app, std::function<int()>& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("demo", "two accumulations of Adam against the large batch, explained");
  command->add_flag("--json", *json, "the verdicts as JSON");
  command->callback([json, &action] { action = [json] { return run(*json); }; });
}

}  // namespace microstep::cli
