#pragma once
// Two traces, one against the other, as text for people and as JSON (schema microstep/against/1).
#include <string>

#include "microstep/trial/judge_trace.hpp"

namespace microstep {

std::string text_report(const Against& against);
std::string json_report(const Against& against);

}  // namespace microstep
