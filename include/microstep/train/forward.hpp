#pragma once
// One evaluation of a model: in its own dtype, and as the balls in which that must lie.
#include "microstep/data/trace.hpp"
#include "microstep/kernels/policy.hpp"
#include "microstep/scalar/ball.hpp"

namespace microstep {

/// Throws forward.params (other leaves than model_leaves, or of another dtype than the inputs), forward.batch (inputs
/// that are not [batch, input shape], or an empty batch), forward.not-finite (an input or param), forward.dtype (tf32),
/// kernel.* for a switch.
void check(const Forward& forward);

/// By the hardware's floats for float32 and float64, else emulated. Throws as check does.
Outputs forward(const Forward& forward);

/// The outputs of every faithful evaluation by these paths, [batch, ...] row-major; the centre is the exact one. Throws
/// as check does.
std::vector<Ball> forward_balls(const Forward& forward, const KernelPolicy& policy);

/// The exact outputs, each rounded once to the dtype of the inputs; all numbers in binary128 before. Throws as check
/// does.
Tensor exact_outputs(const Forward& forward);

}  // namespace microstep
