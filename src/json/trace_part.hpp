#pragma once
// The columns of a part of a trace.
#include "microstep/json/trace.hpp"

namespace microstep {

/// Cut are the columns of params, gradients, updates and slots that have the name and the shape of a param.
SchemaPointer part_of(const SchemaPointer& whole, const Part& part);

}  // namespace microstep
