#pragma once
// Other specs that a trace is held against: could what it shows be theirs?
#include <optional>
#include <string>
#include <vector>

#include "microstep/bound/semantics.hpp"
#include "microstep/data/plan.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/judge/verdict.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {

/// holds: every number that the trace shows lies in a ball of that spec's steps that tells something; broken: one does
/// not; undecidable: neither.
Outcome held_against(const Plan& plan, const Spec& spec, const Trace& trace);

/// The spec's one-step balls if the trace holds against them.
std::optional<Envelope> balls_that_hold(const Plan& plan, const Spec& spec, const Trace& trace);

/// Why a trace that hides state does not tell how its windows are reduced; empty where it does.
std::string ambiguity(const Plan& plan, const Trace& trace, const Windows& windows);

/// What a loop with one known fault would be, in place of what it claims to be.
struct Hypothesis {
  /// Ids, as compare has them.
  std::vector<std::string> causes;
  Spec spec;
  /// Its state has the same places; where not, only what is outside of the state can be held against it.
  bool same_state = true;
  /// What was changed, in a word: nodes that changed alike may have done so together.
  std::string kind = {};
};
/// Those of the same state first; each is a spec that `checked` passes.
std::vector<Hypothesis> hypotheses(const Spec& claimed);

/// Links of a multi_steps' inner, or parts of them, that run in every microstep: in front of the accumulator or behind
/// it.
std::vector<Hypothesis> awake(const Spec& multi_steps);

/// What the trace shows is the hypothesis', and what it shows outside of the declared balls tells the two apart; with
/// its state as it stands, under the paths of the other spec, or without it. first_wrong: the row in which it leaves
/// the declared balls.
bool explains(const Plan& plan, const Hypothesis& hypothesis, const Trace& trace, const Envelope& declared,
              std::int64_t first_wrong, ShownState state);
/// In some place where the trace is not what was declared, from that row on, the two could not show the same.
bool are_told_apart(const Trace& trace, const Envelope& declared, const Envelope& other, const Hypothesis& hypothesis,
                    std::int64_t first_row);
/// The trace is that of the plan's spec but for an accumulator that no window clears: divided by what each window is,
/// or by all since the start.
bool is_never_cleared(const Plan& plan, const Windows& windows, const Trace& trace, const Envelope& declared,
                      std::int64_t first_wrong);
/// Each place of the state that the trace shows is one of the spec's.
bool is_state_of(const Plan& plan, const Spec& spec, const Trace& trace);

/// The spec with one of its accumulators reducing otherwise (the mean in place of the sum, ...), one change each.
std::vector<Spec> other_reductions(const Spec& spec);

}  // namespace microstep
