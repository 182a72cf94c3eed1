#pragma once
// What a port's trace lacks of the numbers that docs/protocol.md asks for; only state may be hidden.
#include <optional>
#include <string>

#include "microstep/data/plan.hpp"
#include "microstep/data/trace.hpp"

namespace microstep {

/// The paths of the first microstep that lacks gradients, updates or params, in words. A leaf without gradient needs no
/// update, an absent one nothing.
std::optional<std::string> left_out(const Plan& plan, const Trace& trace);

}  // namespace microstep
