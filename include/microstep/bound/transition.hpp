#pragma once
// Is a trace faithful to its spec? Each transition is stepped again over balls from what was recorded.
#include "microstep/data/plan.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/scalar/balls.hpp"

namespace microstep {

/// Row t holds the balls in which a faithful step of the plan's spec from the observed row t-1 with the observed
/// gradients of row t must lie; row 0 the start that the plan declares. Columns are the spec's. What observed does not
/// show of row t-1 (hidden state, a missing leaf) is carried on: the balls that the step before gave, from the start
/// that the plan declares. arithmetic: rounding for a float trace, semantics for a run over balls. Throws
/// trace.not-shown where params or gradients have no column in observed, trace.shape where one has another shape,
/// Undecidable for uncertain control that the observed counts do not tell.
Envelope transitions(const Plan& plan, const Envelope& observed, const Balls<Wide>& arithmetic);
/// The same for a float trace, in the arithmetic in which it is judged: centres are double where every number is of
/// float32 or narrower and the gradients are given, else Wide.
Envelope transitions(const Plan& plan, const Envelope& observed);

/// One of the spec's accumulators has a skip rule.
bool can_skip(const Spec& spec);

/// Per microstep whether the gradients passed the skip rules, as the observed counts tell; empty where no rule can
/// skip.
std::vector<Passing> shown_passing(const Plan& plan, const Envelope& observed);

/// The columns and counts that a run of the plan has, from microsteps in double until every leaf has had an update;
/// what the one-step balls of `observed` would show besides their numbers. Throws as transitions does.
SchemaPointer declared_columns(const Plan& plan, const Envelope& observed);

/// The arithmetic in which a float trace of this plan is judged.
Balls<Wide> rounding_of(const Plan& plan);
/// The arithmetic in which two plans are compared.
Balls<Wide> semantics_of(const Plan& plan);

}  // namespace microstep
