#pragma once
// Whatever turns a plan into a trace: our own run, a golden file, a foreign port.
#include <functional>
#include <variant>

#include "microstep/data/plan.hpp"
#include "microstep/data/trace.hpp"

namespace microstep {

using Answer = std::variant<Trace, Skipped, Errored>;
using Producer = std::function<Answer(const Plan&)>;

}  // namespace microstep
