#pragma once
// What a comparison will hold in memory, from the lengths of its runs and the widths of their rows, before any of it is
// allocated.
#include "microstep/trial/compare.hpp"

namespace microstep {

/// Bytes that this process may still take: the machine's, the control group's or the limit of its address space.
double available_memory();

/// Throws plan.too-large, with the figures, where more would be needed.
void refuse_beyond(double available, const CompareRequest& request);

}  // namespace microstep
