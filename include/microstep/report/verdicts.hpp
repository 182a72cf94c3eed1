#pragma once
// Verdicts of contracts as lines of text and as a JSON array, for every report that has them.
#include <string>
#include <vector>

#include "microstep/json/writer.hpp"
#include "microstep/judge/verdict.hpp"

namespace microstep {

/// One line a verdict: outcome, id, evidence; not_applicable ones only where all is asked for.
std::string verdict_lines(const std::vector<Verdict>& verdicts, bool all);
/// One line a warning.
std::string warning_lines(const std::vector<std::string>& warnings);
/// [{"id":..,"verdict":..,"evidence":..}, ...] as the value of the current key.
void write_verdicts(JsonWriter& out, const std::vector<Verdict>& verdicts);

}  // namespace microstep
