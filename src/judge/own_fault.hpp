#pragma once
// Whether an accumulator whose input is not shown made a wrong number by itself, or was given one.
#include "finding.hpp"

namespace microstep {

/// The column of the finding, outside of its ball, holds what a faulty accumulator makes of the right input and of what
/// it held before: the input lost, alone, one k-th of it, or added to what ought to be gone.
bool is_own_fault(const Reading& reading, const Node& node, const Finding& found);

/// The first input of a window, but for how it rounds as a running mean that goes on from what was left.
bool replaces_what_was_left(const Reading& reading, const Node& node, const Finding& found);

/// The column holds the right input, and beside it all that was there before.
bool keeps_all_before(const Reading& reading, const Node& node, const Finding& found);

}  // namespace microstep
