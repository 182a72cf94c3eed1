#include "trace_causes.hpp"

#include <algorithm>

#include "hypothesis.hpp"
#include "microstep/judge/contract.hpp"
#include "repair.hpp"

namespace microstep {
namespace {

using Causes = std::vector<std::string>;

void add(Causes& causes, const Causes& others) {
  for (const std::string& cause : others)
    if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(cause);
}

bool has_dtypes_of(const Schema& seen, const Schema& expected) {
  return std::ranges::all_of(seen.columns(), [&](const Column& column) {
    const auto mirror = expected.find_column(column.path);
    return column.path == "loss" || (mirror && expected.columns()[*mirror].dtype == column.dtype);
  });
}

bool shows_state(const Schema& schema) {
  return !schema.count_paths().empty() ||
         std::ranges::any_of(schema.columns(), [](const Column& c) { return c.path.starts_with("state/"); });
}

// Those of the same state that explain the trace, all of them; else the first other one.
std::optional<TraceCauses> by_those(const std::vector<Hypothesis>& others, const Plan& plan, const Trace& trace,
                                    const Envelope& declared, std::int64_t first_wrong, ShownState state) {
  std::optional<TraceCauses> found;
  for (const Hypothesis& hypothesis : others) {
    if (hypothesis.same_state ? state != ShownState::kept : found.has_value()) continue;
    if (!explains(plan, hypothesis, trace, declared, first_wrong, state)) continue;
    if (!found) found = TraceCauses{{}, hypothesis.spec, state};
    add(found->causes, hypothesis.causes);
  }
  const bool kept = state == ShownState::kept;
  if (found && kept && !(shows_state(trace.schema()) && is_state_of(plan, *found->explained_by, trace)))
    found->explained_state = ShownState::left_out;
  return found;
}

std::optional<TraceCauses> by_other_specs(const Plan& plan, const Trace& trace, const Envelope& declared,
                                          std::int64_t first_wrong) {
  const std::vector<Hypothesis> others = hypotheses(plan.spec);
  for (ShownState state : {ShownState::kept, ShownState::renamed, ShownState::left_out})
    if (auto found = by_those(others, plan, trace, declared, first_wrong, state)) return found;
  return std::nullopt;
}

// Every number is in its ball, and the dtypes are those of a spec that keeps its sums in another one.
std::optional<TraceCauses> by_other_dtypes(const Plan& plan, const Trace& trace) {
  for (const Hypothesis& hypothesis : hypotheses(plan.spec)) {
    if (hypothesis.causes != Causes{"dtype"}) continue;
    const auto balls = balls_that_hold(plan, hypothesis.spec, trace);
    if (balls && has_dtypes_of(trace.schema(), balls->schema()))
      return TraceCauses{hypothesis.causes, hypothesis.spec, ShownState::kept};
  }
  return std::nullopt;
}

// Of a trace that is its spec's: what the spec does otherwise than the large batch.
Causes of_the_spec(const Evidence& evidence) {
  const auto& semantics = evidence.against_reference;
  if (!semantics || semantics->verdict != Sameness::different) return {};
  const auto& plans = evidence.experiment->plans;
  return causes_against(plans.at(Role::accumulated), plans.at(Role::reference), evidence.windows, *semantics).causes;
}

Causes of_contracts(std::span<const Verdict> contracts, const std::vector<std::string_view>& families) {
  Causes causes;
  for (const Verdict& verdict : contracts)
    if (verdict.outcome == Outcome::broken &&
        std::ranges::any_of(families, [&](std::string_view family) { return verdict.contract.starts_with(family); }))
      add(causes, verdict.causes);
  if (causes.size() > 1) std::erase(causes, "formula");
  return causes;
}

std::optional<Ball> ball_at(const Place& place, const Envelope& declared) {
  if (auto count = declared.schema().find_count(place.path))
    return exactly(static_cast<double>(declared.count(place.microstep, *count)));
  auto column = declared.schema().find_column(place.path);
  if (!column) return std::nullopt;
  if (declared.presence(place.microstep, *column) != Presence::dense) return exactly(0);
  const auto balls = declared.numbers(place.microstep, *column);
  const auto index = static_cast<std::size_t>(place.index);
  return index < balls.size() ? std::optional(balls[index]) : std::nullopt;
}

// What a contract speaks of is not in its ball, and what it says was due is what the step makes.
bool is_outside(const Place& place, const Envelope& declared) {
  const std::optional<Ball> ball = ball_at(place, declared);
  return ball && !overlap(place.observed, *ball) && overlap(place.expected, *ball);
}

// Those that are broken where the trace first leaves its balls, by that: what comes later may follow from it, and what
// the spec does itself explains nothing.
std::vector<Verdict> broken_there(std::span<const Verdict> contracts, const Envelope& declared, std::int64_t row) {
  std::vector<Verdict> there;
  for (const Verdict& verdict : contracts)
    if (verdict.place && verdict.place->role == Role::accumulated && verdict.place->microstep <= row &&
        is_outside(*verdict.place, declared))
      there.push_back(verdict);
  return there;
}

}  // namespace

TraceCauses causes_of_trace(const Evidence& evidence, const Trace& trace, const Faithfulness& faithful,
                            std::span<const Verdict> contracts) {
  TraceCauses result;
  const Plan& plan = evidence.experiment->plans.at(Role::accumulated);
  if (faithful.first) {
    const Envelope& declared = evidence.expected.at(Role::accumulated);
    if (auto found = by_other_specs(plan, trace, declared, faithful.first->microstep)) result = *found;
    result.never_cleared =
        result.causes.empty() && is_never_cleared(plan, evidence.windows, trace, declared, faithful.first->microstep);
    if (result.never_cleared) result.causes = {"boundary"};
    if (result.causes.empty()) result.causes = causes_of_unfaithful(evidence);
    const auto there = broken_there(contracts, declared, faithful.first->microstep);
    if (result.causes == Causes{"formula"}) add(result.causes, of_contracts(there, {"emission.", "state."}));
    if (result.causes.size() > 1) std::erase(result.causes, "formula");
  } else {
    result.causes = of_the_spec(evidence);
    if (result.causes.empty()) result.causes = of_contracts(contracts, {"emission.", "reduction.", "state."});
  }
  const Causes of_form = of_contracts(contracts, {"form."});
  if (!faithful.first && of_form == Causes{"dtype"})
    if (auto found = by_other_dtypes(plan, trace)) {
      result.explained_by = found->explained_by;
      result.explained_state = found->explained_state;
    }
  add(result.causes, of_form);
  if (result.causes.empty()) result.causes = {"formula"};
  return result;
}

}  // namespace microstep
