#pragma once
// The window that an accumulated run ought to have: the reference's batches.
#include "accumulation.hpp"
#include "microstep/data/plan.hpp"

namespace microstep {

/// Likely ones first: a short last window is flushed, or, where that is not its spec's, written out as a length.
std::vector<Window> due_windows(const Plan& accumulated, const Plan& reference,
                                const std::vector<std::vector<std::int64_t>>& windows);

}  // namespace microstep
