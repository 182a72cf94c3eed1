#include "microstep/trial/record.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

namespace microstep {
namespace {

std::string machine_name() {
  utsname names{};
  return uname(&names) == 0 ? names.machine : "unknown";
}

Provenance provenance_of(const PortFacts& facts) {
  return {facts.name, facts.runtime, facts.dtypes, facts.hyper_precision, facts.flushes_subnormals, machine_name()};
}

Recorded record_one(GoldenWriter& writer, const Recipe& recipe, const PortFacts& facts, const Producer& port) {
  Recorded recorded{recipe.id, Written::unchanged, {}, {}, {}};
  const Experiment experiment = experiment_of(recipe, facts);
  std::map<Role, Trace> traces;
  for (const auto& [role, plan] : experiment.plans) {
    Answer answer = port(plan);
    if (auto* skipped = std::get_if<Skipped>(&answer)) {
      recorded.skipped = skipped->reason;
      return recorded;
    }
    if (auto* errored = std::get_if<Errored>(&answer)) {
      recorded.problems.push_back(fmt::format("{}: {}: {}", to_string(role), errored->id, errored->message));
      return recorded;
    }
    traces[role] = std::get<Trace>(std::move(answer));
  }
  auto of_role = [&](Role role, const Plan&) -> Answer { return traces.at(role); };
  const auto explained = explaining_behaviours(experiment, of_role);
  recorded.behaviours = explained.value_or(std::vector<std::string>{});
  const CheckedExperiment checked =
      check_experiment(experiment, {recipe.plans, recipe.broken, recorded.behaviours}, of_role);
  recorded.problems = checked.problems;
  recorded.rounding = rounding_in(checked);
  if (recorded.problems.empty())
    recorded.written = writer.record(golden_of(recipe, experiment, facts, traces, checked, recorded.behaviours));
  return recorded;
}

}  // namespace

Golden golden_of(const Recipe& recipe, const Experiment& experiment, const PortFacts& facts,
                 const std::map<Role, Trace>& traces, const CheckedExperiment& checked,
                 const std::vector<std::string>& behaviours) {
  Golden golden{recipe.id,
                recipe.why,
                recipe.source,
                recipe.flags,
                provenance_of(facts),
                experiment.plans,
                traces,
                {recipe.plans, {}, behaviours}};
  for (const Verdict& verdict : checked.contracts) golden.expected.contracts[verdict.contract] = verdict.outcome;
  return golden;
}

std::vector<Recorded> record(const std::string& folder, const std::vector<Recipe>& recipes, const PortFacts& facts,
                             const Producer& port, const std::function<void(std::size_t)>& done) {
  GoldenWriter writer(folder);
  std::vector<Recorded> all;
  for (const Recipe& recipe : recipes) {
    all.push_back(record_one(writer, recipe, facts, port));
    done(all.size());
  }
  return all;
}

}  // namespace microstep
