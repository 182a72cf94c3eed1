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

std::optional<TraceCauses> by_other_specs(const Plan& plan, const Trace& trace, const Envelope& declared,
                                          std::int64_t first_wrong) {
  std::optional<TraceCauses> found;
  for (const Hypothesis& hypothesis : hypotheses(plan.spec)) {
    if (found && !hypothesis.same_state) break;
    if (!explains(plan, hypothesis, trace, declared, first_wrong)) continue;
    if (!found) found = TraceCauses{{}, hypothesis.spec};
    add(found->causes, hypothesis.causes);
    if (!hypothesis.same_state) break;
  }
  return found;
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
    if (result.causes.empty()) result.causes = causes_of_unfaithful(evidence);
    const auto there = broken_there(contracts, declared, faithful.first->microstep);
    if (result.causes == Causes{"formula"}) add(result.causes, of_contracts(there, {"emission.", "state."}));
    if (result.causes.size() > 1) std::erase(result.causes, "formula");
  } else {
    result.causes = of_the_spec(evidence);
    if (result.causes.empty()) result.causes = of_contracts(contracts, {"emission.", "reduction.", "state."});
  }
  add(result.causes, of_contracts(contracts, {"form."}));
  if (result.causes.empty()) result.causes = {"formula"};
  return result;
}

}  // namespace microstep
