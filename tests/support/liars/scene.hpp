#pragma once
// The experiment in which a liar and the honest run of its claim are judged.
#include "microstep/judge/contract.hpp"
#include "support/liars/liar.hpp"

namespace microstep::liars {

enum class Carrier { float32, float64, balls };

/// Leaves w [2, 3], v [3, 2], b [] and e [0], twelve microsteps of odd eighths that are all different; weights 3, 1, 2
/// where the spec reads them, else 1.
Plan usual_plan(const Spec& spec, Dtype dtype);
/// A single leaf w with one gradient a microstep, each leaf value of one number; NaN is given as it is.
Plan scalar_plan(const Spec& spec, double start, const std::vector<double>& gradients);
/// Leaves by name with their start; per microstep one gradient a leaf, none where it is absent; weights 1 unless given.
using LeafValues = std::vector<double>;
Plan plan_with(const Spec& spec, const std::vector<std::pair<std::string, LeafValues>>& start,
               const std::vector<std::vector<std::optional<LeafValues>>>& gradients,
               const std::vector<double>& weights = {});
/// The plan on which a liar is judged.
Plan plan_of(const Liar& liar, Dtype dtype);

/// The trace of a plan by the liar, or by the honest transformation where liar is null.
Envelope observed(const Plan& plan, Carrier carrier, const Liar* liar);
/// All verdicts on the liar's run, or on the honest run of the claim.
std::vector<Verdict> verdicts_on(const Liar& liar, Carrier carrier, bool honest);

}  // namespace microstep::liars
