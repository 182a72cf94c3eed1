#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "microstep/json/writer.hpp"
#include "microstep/report/goldens.hpp"
#include "microstep/report/verdicts.hpp"

namespace microstep {
namespace {

std::string_view outcome(const Recorded& r) {
  if (!r.skipped.empty()) return "skipped";
  if (!r.problems.empty()) return "refused";
  constexpr std::string_view names[] = {"created", "unchanged", "pending"};
  return names[static_cast<int>(r.written)];
}

std::optional<Rounding> rounding_in(const std::vector<Recorded>& recorded) {
  std::optional<Rounding> all;
  for (const Recorded& r : recorded) {
    if (!r.rounding) continue;
    Rounding own = *r.rounding;
    if (!own.path.empty()) own.path = fmt::format("{}, {}", r.id, own.path);
    all = all ? both(*all, own) : own;
  }
  return all;
}

}  // namespace

std::string text_report(const std::vector<Recorded>& recorded) {
  std::string text;
  std::map<std::string_view, int> totals;
  for (const Recorded& r : recorded) {
    ++totals[outcome(r)];
    if (!r.behaviours.empty()) text += fmt::format("{}: behaves as {}\n", r.id, fmt::join(r.behaviours, ", "));
    if (!r.skipped.empty()) text += fmt::format("{}: skipped: {}\n", r.id, r.skipped);
    for (const std::string& problem : r.problems) text += fmt::format("{}: not written: {}\n", r.id, problem);
  }
  if (const auto rounding = rounding_in(recorded)) text += "rounding: " + rounding_in_words(*rounding) + "\n";
  for (const auto& [name, count] : totals) text += fmt::format("{} {}\n", count, name);
  return text;
}

std::string json_report(const std::vector<Recorded>& recorded) {
  JsonWriter out;
  out.open_object()
      .key("schema")
      .text("microstep/record/1")
      .key("command")
      .text("record")
      .key("experiments")
      .open_array();
  for (const Recorded& r : recorded) {
    out.open_object(JsonWriter::Form::line).key("id").text(r.id).key("outcome").text(outcome(r));
    out.key("behaviours").texts(r.behaviours).key("problems").texts(r.problems).key("reason");
    r.skipped.empty() ? out.null() : out.text(r.skipped);
    write_rounding(out, r.rounding);
    out.close();
  }
  out.close();
  write_rounding(out, rounding_in(recorded));
  out.close();
  return out.finish();
}

}  // namespace microstep
