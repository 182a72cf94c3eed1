#include "microstep/report/verdicts.hpp"

#include <fmt/format.h>

namespace microstep {

std::string verdict_lines(const std::vector<Verdict>& verdicts, bool all) {
  std::string text;
  for (const Verdict& v : verdicts)
    if (all || v.outcome != Outcome::not_applicable)
      text += fmt::format("  {:14} {:26} {}\n", to_string(v.outcome), v.contract, v.evidence);
  return text;
}

std::string warning_lines(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& line : warnings) text += fmt::format("warning: {}\n", line);
  return text;
}

void write_verdicts(JsonWriter& out, const std::vector<Verdict>& verdicts) {
  out.open_array();
  for (const Verdict& v : verdicts) {
    out.open_object(JsonWriter::Form::line).key("id").text(v.contract).key("verdict").text(to_string(v.outcome));
    out.key("evidence").text(v.evidence).close();
  }
  out.close();
}

}  // namespace microstep
