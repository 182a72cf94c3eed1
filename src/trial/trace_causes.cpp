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

}  // namespace

TraceCauses causes_of_trace(const Evidence& evidence, const Trace& trace, const Faithfulness& faithful,
                            std::span<const Verdict> contracts) {
  TraceCauses result;
  const Plan& plan = evidence.experiment->plans.at(Role::accumulated);
  if (faithful.first) {
    const Envelope& declared = evidence.expected.at(Role::accumulated);
    if (auto found = by_other_specs(plan, trace, declared, faithful.first->microstep)) result = *found;
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
