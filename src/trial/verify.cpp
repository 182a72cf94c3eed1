#include "microstep/trial/verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "microstep/golden/file.hpp"

namespace microstep {
namespace {

std::vector<std::string> broken_of(const Golden& golden) {
  std::vector<std::string> broken;
  for (const auto& [id, outcome] : golden.expected.contracts)
    if (outcome == Outcome::broken) broken.push_back(id);
  return broken;
}

// A contract that no longer applies, or applies anew, is a change too.
void note_outcomes(CheckedExperiment& checked, const Golden& golden) {
  for (const Verdict& v : checked.contracts) {
    auto due = golden.expected.contracts.find(v.contract);
    if (due == golden.expected.contracts.end()) {
      checked.problems.push_back(fmt::format("the golden keeps no verdict of {}", v.contract));
      continue;
    }
    if (due->second == v.outcome) continue;
    if (due->second == Outcome::broken || v.outcome == Outcome::broken) continue;
    checked.problems.push_back(fmt::format("{}: the verdict is {} where {} was kept", v.contract, to_string(v.outcome),
                                           to_string(due->second)));
  }
}

void note_missing_traces(const Golden& golden, CheckedExperiment& checked) {
  for (const auto& [role, plan] : golden.plans)
    if (!golden.traces.contains(role))
      checked.problems.push_back(fmt::format("{}: the golden keeps no trace of this plan", to_string(role)));
}

// Runs each plan once and keeps the answers.
TraceOfRole port_traces(const Producer& port, std::shared_ptr<std::map<Role, Answer>> answers) {
  return [&port, answers = std::move(answers)](Role role, const Plan& plan) -> Answer {
    if (!answers->contains(role)) (*answers)[role] = port(plan);
    return answers->at(role);
  };
}

// Where the new traces are as expected under other behaviours, as record would write them.
void judge_anew(Golden& golden) {
  const Experiment experiment{golden.id, golden.plans};
  const TraceOfRole kept = kept_traces(golden);
  const auto explained = explaining_behaviours(experiment, kept);
  if (!explained) return;
  const CheckedExperiment checked =
      check_experiment(experiment, {golden.expected.plans, broken_of(golden), *explained}, kept);
  if (!checked.problems.empty()) return;
  golden.expected.behaviours = *explained;
  golden.expected.contracts.clear();
  for (const Verdict& verdict : checked.contracts) golden.expected.contracts[verdict.contract] = verdict.outcome;
}

bool propose(GoldenWriter& writer, Golden golden, const std::map<Role, Answer>& answers) {
  for (const auto& [role, answer] : answers) {
    const auto* trace = std::get_if<Trace>(&answer);
    if (!trace) return false;
    golden.traces[role] = *trace;
  }
  judge_anew(golden);
  return writer.propose(golden) == Written::pending;
}

}  // namespace

TraceOfRole kept_traces(const Golden& golden) {
  return [&golden](Role role, const Plan&) -> Answer {
    auto found = golden.traces.find(role);
    if (found == golden.traces.end()) return Skipped{"the golden keeps no trace of it"};
    return found->second;
  };
}

CheckedExperiment verify_golden(const Golden& golden, const TraceOfRole& traces) {
  const Experiment experiment{golden.id, golden.plans};
  const Expectation expectation{golden.expected.plans, broken_of(golden), golden.expected.behaviours};
  CheckedExperiment checked = check_experiment(experiment, expectation, traces);
  if (checked.skipped.empty() && checked.errored.empty()) note_outcomes(checked, golden);
  if (!checked.problems.empty() && !golden.expected.behaviours.empty())
    checked.problems.push_back(fmt::format("it was judged as what {} does, which has the behaviours {}",
                                           golden.provenance.library, fmt::join(golden.expected.behaviours, ", ")));
  return checked;
}

CheckedExperiment verify_kept(const Golden& golden) {
  CheckedExperiment checked = verify_golden(golden, kept_traces(golden));
  note_missing_traces(golden, checked);
  return checked;
}

VerifiedFolder verify(const std::string& path, const Producer* port, bool writes, const std::string& filter,
                      const std::function<void(std::size_t, std::size_t)>& done) {
  GoldenFolder folder = load_golden_folder(path);
  VerifiedFolder verified{path, {}, folder.faults, folder.orphans, folder.pending, {}};
  std::unique_ptr<GoldenWriter> writer;
  if (port && writes) writer = std::make_unique<GoldenWriter>(path);
  std::erase_if(folder.goldens, [&](const Golden& golden) { return golden.id.find(filter) == std::string::npos; });
  for (const Golden& golden : folder.goldens) {
    auto answers = std::make_shared<std::map<Role, Answer>>();
    try {
      verified.experiments.push_back(port ? verify_golden(golden, port_traces(*port, answers)) : verify_kept(golden));
    } catch (const Error& error) {
      verified.faults.emplace_back(error.id(), error.message(), file_name_of(golden.id) + " " + error.place(),
                                   error.next());
      continue;
    }
    if (writer && !verified.experiments.back().problems.empty() && propose(*writer, golden, *answers))
      verified.proposed.push_back(golden.id);
    done(verified.experiments.size(), folder.goldens.size());
  }
  return verified;
}

Accepted accept(const std::string& path, const std::vector<std::string>& ids) {
  Accepted result;
  auto is_sound = [&](const Golden& golden) {
    CheckedExperiment checked = in_file(file_name_of(golden.id) + ".new", [&] { return verify_kept(golden); });
    if (checked.problems.empty()) return true;
    result.refused.push_back(std::move(checked));
    return false;
  };
  result.ids = GoldenWriter(path).accept(ids, is_sound);
  return result;
}

}  // namespace microstep
