#pragma once
// A state as bytes of this machine and back, for an interruption: nothing of the old object is left but what is
// written. Every bit of every number, dtypes, shapes and which leaves are zero or absent are kept.
#include <string>
#include <string_view>

#include "microstep/data/state.hpp"

namespace microstep {

/// S: float or double.
template <class S>
std::string bytes_of(const State<S>& state);
/// Throws state.bytes where the text ends too early or goes on.
template <class S>
State<S> state_from(std::string_view bytes);

}  // namespace microstep
