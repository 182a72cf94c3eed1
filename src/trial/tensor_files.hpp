#pragma once
// The tensor files beside a trace.
#include <string>

#include "microstep/json/trace.hpp"

namespace microstep {

/// Opens safetensors files by their names relative to the folder of `source`. Throws trace.outside for a name that
/// leads out of that folder, file.* and safetensors.*, each with the file as its place.
OpenTensors tensors_beside(const std::string& source);

}  // namespace microstep
