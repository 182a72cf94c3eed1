#pragma once
// Are these two plans the same computation on this input? Decided over balls with a binary128 centre, window by window.
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/data/semantics.hpp"
#include "microstep/optim/transform.hpp"
#include "microstep/scalar/balls.hpp"

namespace microstep {

using BallTransformation = TransformationPointer<Balls<Wide>>;

/// reference has one batch for each window of accumulated. After a window judged same, params and paired state of both
/// runs restart from the reference's centres with radius 0. transformation: in place of the accumulated plan's spec (a
/// planted fault). Throws plan.windows where the numbers of windows do not match.
Semantics decide(const Plan& accumulated, const Plan& reference, const std::vector<std::vector<std::int64_t>>& windows,
                 BallTransformation transformation = nullptr);

/// Per microstep whether the plan's skip rule left it out, seen from a run over balls; empty where no rule can skip.
/// Throws Undecidable where a rule is not certain in the declared dtype.
std::vector<bool> skipped_microsteps(const Plan& plan);

}  // namespace microstep
