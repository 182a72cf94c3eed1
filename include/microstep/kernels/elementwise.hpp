#pragma once
// Element-wise functions that have more than one float path.
#include <span>

#include "microstep/kernels/policy.hpp"

namespace microstep::kernels {

/// result[i] = tanh(x[i]); NaN stays NaN on every path. Same sizes. Answers which path ran.
/// For Plain<float>, Plain<double>, Plain<Wide>, Emulated<double>, Balls<Wide>.
template <class A>
TanhPath tanh(const A& arithmetic, const KernelPolicy& policy, std::span<const typename A::Value> x,
              std::span<typename A::Value> result);

}  // namespace microstep::kernels
