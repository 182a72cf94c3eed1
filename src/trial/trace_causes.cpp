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

// The first rows of a trace, with or without its state.
Trace part_of(const Trace& trace, std::int64_t rows, bool with_state) {
  std::vector<Column> columns;
  std::vector<std::size_t> from;
  for (std::size_t i = 0; i < trace.schema().columns().size(); ++i) {
    if (!with_state && trace.schema().columns()[i].path.starts_with("state/")) continue;
    columns.push_back(trace.schema().columns()[i]);
    from.push_back(i);
  }
  const auto counts = with_state ? trace.schema().count_paths() : std::vector<std::string>{};
  Trace part(std::make_shared<const Schema>(std::move(columns), counts));
  for (std::int64_t row = 0; row < rows; ++row) {
    part.append_row();
    for (std::size_t i = 0; i < from.size(); ++i) {
      part.presence(row, i) = trace.presence(row, from[i]);
      std::ranges::copy(trace.numbers(row, from[i]), part.numbers(row, i).begin());
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      part.count(row, i) = trace.count(row, i);
      if (!trace.shows_count(row, i)) part.hide_count(row, i);
    }
  }
  return part;
}

// A wrong one mostly fails where the declared spec does.
bool explains(const Plan& plan, const Hypothesis& hypothesis, const Trace& trace, std::int64_t first_wrong) {
  auto holds = [&](std::int64_t rows) {
    return held_against(plan, hypothesis.spec, part_of(trace, rows, hypothesis.same_state)) == Outcome::holds;
  };
  return holds(first_wrong + 1) && (first_wrong + 1 == trace.rows() || holds(trace.rows()));
}

std::optional<TraceCauses> by_other_specs(const Plan& plan, const Trace& trace, std::int64_t first_wrong) {
  std::optional<TraceCauses> found;
  for (const Hypothesis& hypothesis : hypotheses(plan.spec)) {
    if (found && !hypothesis.same_state) break;
    if (!explains(plan, hypothesis, trace, first_wrong)) continue;
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

}  // namespace

TraceCauses causes_of_trace(const Evidence& evidence, const Trace& trace, const Faithfulness& faithful,
                            std::span<const Verdict> contracts) {
  TraceCauses result;
  const Plan& plan = evidence.experiment->plans.at(Role::accumulated);
  if (faithful.first) {
    if (auto found = by_other_specs(plan, trace, faithful.first->microstep)) result = *found;
    if (result.causes.empty()) result.causes = causes_of_unfaithful(evidence);
    if (result.causes == Causes{"formula"}) add(result.causes, of_contracts(contracts, {"emission.", "state."}));
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
