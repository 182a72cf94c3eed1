#pragma once
// Verdicts of contracts as lines of text and as a JSON array, for every report that has them.
#include <optional>
#include <string>
#include <vector>

#include "microstep/json/writer.hpp"
#include "microstep/judge/rounding.hpp"

namespace microstep {

/// One line a verdict: outcome, id, evidence; not_applicable ones only where all is asked for.
std::string verdict_lines(const std::vector<Verdict>& verdicts, bool all);
/// One line a warning.
std::string warning_lines(const std::vector<std::string>& warnings);
/// [{"id":..,"verdict":..,"evidence":..}, ...] as the value of the current key.
void write_verdicts(JsonWriter& out, const std::vector<Verdict>& verdicts);
/// {"verdict":..,"max_ratio":..,"path":..} as the value of the key `rounding`, null for none.
void write_rounding(JsonWriter& out, const std::optional<Rounding>& rounding);
/// `exact`, `0.93 of the bound in microstep 4, params/w[1]`, `semantic`, ...
std::string rounding_in_words(const Rounding& rounding);

}  // namespace microstep
