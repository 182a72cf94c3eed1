#pragma once
// Other specs that a trace is held against: could what it shows be theirs?
#include <string>
#include <vector>

#include "microstep/bound/semantics.hpp"
#include "microstep/data/plan.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/judge/verdict.hpp"

namespace microstep {

/// holds: every number that the trace shows lies in a ball of that spec's steps that tells something; broken: one does
/// not; undecidable: neither.
Outcome held_against(const Plan& plan, const Spec& spec, const Trace& trace);

/// Why a trace that hides state does not tell how its windows are reduced; empty where it does.
std::string ambiguity(const Plan& plan, const Trace& trace, const Windows& windows);

/// What a loop with one known fault would be, in place of what it claims to be.
struct Hypothesis {
  /// Ids, as compare has them.
  std::vector<std::string> causes;
  Spec spec;
  /// Its state has the same places; where not, only what is outside of the state can be held against it.
  bool same_state = true;
};
/// Those of the same state first.
std::vector<Hypothesis> hypotheses(const Spec& claimed);

/// The spec with one of its accumulators reducing otherwise (the mean in place of the sum, ...), one change each.
std::vector<Spec> other_reductions(const Spec& spec);

}  // namespace microstep
