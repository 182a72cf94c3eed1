#include "microstep/trial/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "left_out.hpp"
#include "microstep/bound/transition.hpp"
#include "microstep/judge/contract.hpp"
#include "microstep/trial/evidence.hpp"

namespace microstep {
namespace {

Faithfulness undecided(const std::string& reason) {
  Faithfulness result;
  result.outcome = Outcome::undecidable;
  result.reason = reason;
  return result;
}

// A trace that has other shapes than the plan allows no step to be made after it; one that hides state is not kept as
// an example of its spec, however well what it shows fits.
Faithfulness faithful_to(const Plan& plan, const Trace& trace) {
  try {
    const Envelope expected = transitions(plan, embedded(trace));
    const Faithfulness found = faithfulness(trace, expected, true);
    const std::string hidden = hidden_state(expected, trace.schema());
    return hidden.empty() || found.outcome == Outcome::broken ? found : undecided("the trace hides " + hidden);
  } catch (const Undecidable& reason) {
    return undecided(reason.what());
  } catch (const Error& error) {
    if (!error.id().starts_with("trace.")) throw;
    return undecided(error.message());
  }
}

void note_faithfulness(CheckedExperiment& checked, Role role, const Faithfulness& f) {
  if (f.outcome == Outcome::broken)
    checked.problems.push_back(fmt::format("{}: {} of {} numbers are not the spec's, first {} in microstep {}",
                                           to_string(role), f.outside, f.judged, f.first->path, f.first->microstep));
  if (f.outcome == Outcome::undecidable)
    checked.problems.push_back(fmt::format("{}: undecidable: {}", to_string(role), f.reason));
  if (f.largest_share <= checked.largest_share) return;
  checked.largest_share = f.largest_share;
  checked.largest_path = fmt::format("{} {}", to_string(role), f.largest_path);
}

void note_contracts(CheckedExperiment& checked, const Expectation& expectation) {
  for (const Verdict& v : checked.contracts) {
    bool due = std::ranges::find(expectation.broken, v.contract) != expectation.broken.end();
    if (due && v.outcome != Outcome::broken)
      checked.problems.push_back(fmt::format("{}: the verdict is {} where broken was derived: {}", v.contract,
                                             to_string(v.outcome), v.evidence));
    if (!due && (v.outcome == Outcome::broken || v.outcome == Outcome::undecidable))
      checked.problems.push_back(fmt::format("{} is {}: {}", v.contract, to_string(v.outcome), v.evidence));
  }
}

// As a place in all traces of an experiment.
Rounding of_role(Role role, const Faithfulness& found) {
  Rounding rounding = rounding_in(found);
  if (!rounding.path.empty()) rounding.path = fmt::format("{}, {}", to_string(role), rounding.path);
  return rounding;
}

}  // namespace

std::optional<Rounding> rounding_in(const CheckedExperiment& checked) {
  std::optional<Rounding> all;
  for (const auto& [role, found] : checked.faithful)
    all = all ? both(*all, of_role(role, found)) : of_role(role, found);
  return all;
}

Experiment under_behaviours(const Experiment& experiment, const std::vector<std::string>& ids) {
  Experiment result = experiment;
  for (auto& [role, plan] : result.plans) plan.spec = with_behaviours(plan.spec, ids);
  return result;
}

CheckedExperiment check_experiment(const Experiment& experiment, const Expectation& expectation,
                                   const TraceOfRole& traces) {
  CheckedExperiment checked{experiment.id, {}, {}, {}, {}, {}, {}, 0, {}};
  const Experiment judged = under_behaviours(experiment, expectation.behaviours);
  auto by_plan = [&](const Plan& plan) -> Answer {
    for (const auto& [role, own] : judged.plans)
      if (&own == &plan) return traces(role, experiment.plans.at(role));
    return Skipped{"not part of the experiment"};
  };
  Gathering gathering;
  gathering.bitwise = false;
  const Evidence evidence = gather(judged, by_plan, gathering);
  checked.skipped = evidence.skipped;
  checked.errored = evidence.errored;
  for (const auto& [role, why] : evidence.errored)
    checked.problems.push_back(fmt::format("{}: {}", to_string(role), why));
  for (const auto& [role, plan] : judged.plans) {
    const Answer answer = traces(role, experiment.plans.at(role));
    const auto* trace = std::get_if<Trace>(&answer);
    if (!trace) continue;
    const auto missing = left_out(plan, *trace), other = other_than_given(plan, *trace);
    if (missing || other)
      checked.problems.push_back(fmt::format("{}: {}", to_string(role), missing ? *missing : *other));
    if (!other) note_faithfulness(checked, role, checked.faithful[role] = faithful_to(plan, *trace));
  }
  checked.contracts = judge_all(evidence);
  if (evidence.observed.contains(Role::accumulated)) note_contracts(checked, expectation);
  if (evidence.against_reference) checked.plans = evidence.against_reference->verdict;
  if (checked.plans != expectation.plans)
    checked.problems.push_back(
        fmt::format("the plans are {} where {} was derived", to_string(checked.plans), to_string(expectation.plans)));
  return checked;
}

namespace {

// Faithful numbers in the dtypes that the spec declares.
bool explains(const Plan& plan, const Trace& trace) {
  if (!trace.deviations.empty() || faithful_to(plan, trace).outcome != Outcome::holds) return false;
  const Envelope expected = transitions(plan, embedded(trace));
  for (const Column& column : expected.schema().columns()) {
    auto own = trace.schema().find_column(column.path);
    if (own && column.path != "loss" && trace.schema().columns()[*own].dtype != column.dtype) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> explaining_behaviours(const Experiment& experiment, const TraceOfRole& traces) {
  std::vector<std::vector<std::string>> lists = {{}};
  for (const Behaviour& behaviour : behaviours()) {
    std::vector<std::vector<std::string>> longer = lists;
    for (auto& list : longer) list.emplace_back(behaviour.id);
    lists.insert(lists.end(), longer.begin(), longer.end());
  }
  std::ranges::stable_sort(lists, {}, &std::vector<std::string>::size);
  for (const auto& list : lists) {
    bool explained = true;
    for (const auto& [role, plan] : under_behaviours(experiment, list).plans) {
      const Answer answer = traces(role, experiment.plans.at(role));
      const auto* trace = std::get_if<Trace>(&answer);
      explained = explained && (!trace || explains(plan, *trace));
    }
    if (explained) return list;
  }
  return std::nullopt;
}

}  // namespace microstep
