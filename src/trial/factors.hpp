#pragma once
// Constant factors beside accumulators: a sum times 1/k is a mean.
#include "microstep/data/spec.hpp"

namespace microstep {

/// The same computation: a sum and a scale(1/k) beside it are one mean, and where a sum is due, a mean and a scale(k)
/// one sum.
Spec with_factors_in_reductions(const Spec& spec, bool sum_is_due);

}  // namespace microstep
