#include "microstep/report/verdicts.hpp"

#include <fmt/format.h>

#include "microstep/report/value.hpp"

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

void write_rounding(JsonWriter& out, const std::optional<Rounding>& rounding) {
  out.key("rounding");
  if (!rounding) {
    out.null();
    return;
  }
  out.open_object(JsonWriter::Form::line).key("verdict").text(to_string(rounding->verdict)).key("max_ratio");
  rounding->max_ratio ? out.number(*rounding->max_ratio) : out.null();
  out.key("path");
  rounding->path.empty() ? out.null() : out.text(rounding->path);
  out.close();
}

std::string rounding_in_words(const Rounding& rounding) {
  if (!rounding.max_ratio) return "no ball to hold it against";
  if (*rounding.max_ratio == 0) return "none, every number is exact";
  return fmt::format("at most {} of a bound, in {}", rough(*rounding.max_ratio), rounding.path);
}

}  // namespace microstep
