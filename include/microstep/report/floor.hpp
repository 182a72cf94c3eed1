#pragma once
// The float32 floor as text for people and as JSON (schema microstep/floor/1).
#include <string>
#include <vector>

#include "microstep/trial/floor.hpp"

namespace microstep {

std::string text_report(const Floor& floor);
std::string json_report(const Floor& floor);

/// What the tables say, one sentence an entry; that nothing has an effect is one, too.
std::vector<std::string> conclusion(const Floor& floor);

/// `conv2d winograd4, matmul eigen`; `-` where the port names none.
std::string paths_text(const FloorLine& line);

}  // namespace microstep
