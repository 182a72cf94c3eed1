#include "microstep/report/judgement.hpp"

#include <fmt/format.h>

#include "microstep/json/plan.hpp"
#include "microstep/report/value.hpp"
#include "microstep/report/verdicts.hpp"

namespace microstep {
namespace {

bool is_count(const Place& place) {
  return place.path.starts_with("state/") && place.shape.empty() && place.dtype == Dtype::float64 &&
         place.expected.radius == 0;
}

std::string distance(const Place& place) {
  if (place.expected.radius == 0) return "where nothing but that value is faithful";
  double off = share_of_radius(place.expected, static_cast<double>(place.observed.value));
  return fmt::format("{} radii from it", rough(off));
}

void write_place(JsonWriter& out, const Place& place) {
  out.open_object(JsonWriter::Form::line).key("microstep").integer(place.microstep).key("path").text(place.path);
  out.key("index").integer(place.index);
  out.key("recorded").number(place.dtype, static_cast<double>(round_to(place.dtype, place.observed.value)));
  out.key("expected")
      .number(static_cast<double>(place.expected.value))
      .key("radius")
      .number(place.expected.radius)
      .close();
}

}  // namespace

std::string place_in_words(const Place& place) {
  if (is_count(place))
    return fmt::format("microstep {}, {}: {} where {} was due", place.microstep, place.path,
                       static_cast<std::int64_t>(place.observed.value),
                       static_cast<std::int64_t>(place.expected.value));
  return fmt::format("microstep {}, {}{}: {} where {} was due, {}", place.microstep, place.path,
                     index_text(place.shape, place.index), shown_with_bits(place.dtype, place.observed),
                     shown(place.dtype, place.expected), distance(place));
}

std::string text_report(const TraceJudgement& j) {
  std::string text = fmt::format("spec   {}\ntrace  {} microsteps, {}\n\n", to_string(j.plan.spec), j.microsteps,
                                 to_string(narrowest_dtype(j.plan.params.layout())));
  const Faithfulness& f = j.faithful;
  if (f.outcome == Outcome::undecidable) text += fmt::format("UNDECIDABLE: {}\n", f.reason);
  if (f.outcome == Outcome::holds)
    text += fmt::format(
        "FAITHFUL: every one of {} numbers lies in the ball of its step ({} of them have no room at all).\n"
        "largest share of a bound: {}{}\n",
        f.judged, f.exact, rough(f.largest_share), f.largest_path.empty() ? "" : " in " + f.largest_path);
  if (f.outcome == Outcome::broken)
    text += fmt::format("NOT FAITHFUL: {} of {} numbers lie outside; the first:\n  {}\n", f.outside, f.judged,
                        place_in_words(*f.first));
  return text + warning_lines(j.warnings) + "contracts:\n" + verdict_lines(j.contracts, false);
}

std::string json_report(const TraceJudgement& j) {
  JsonWriter out;
  const Faithfulness& f = j.faithful;
  out.open_object().key("schema").text("microstep/judge/1").key("command").text("judge");
  out.key("spec").text(to_string(j.plan.spec)).key("microsteps").integer(j.microsteps);
  out.key("faithful").text(to_string(f.outcome)).key("numbers").integer(f.judged).key("outside").integer(f.outside);
  out.key("largest_share").number(f.largest_share).key("largest_path").text(f.largest_path);
  out.key("reason");
  f.reason.empty() ? out.null() : out.text(f.reason);
  out.key("first");
  f.first ? write_place(out, *f.first) : static_cast<void>(out.null());
  out.key("contracts");
  write_verdicts(out, j.contracts);
  out.key("warnings").texts(j.warnings, JsonWriter::Form::line).close();
  return out.finish();
}

std::string text_catalogue(std::span<const Contract> contracts) {
  std::string text;
  for (const Contract& c : contracts) text += fmt::format("{}\n  {}\n  source: {}\n", c.id, c.statement, c.source);
  return text;
}

std::string json_catalogue(std::span<const Contract> contracts) {
  JsonWriter out;
  out.open_object()
      .key("schema")
      .text("microstep/contracts/1")
      .key("command")
      .text("contracts")
      .key("contracts")
      .open_array();
  for (const Contract& c : contracts) {
    out.open_object().key("id").text(c.id).key("statement").text(c.statement).key("source").text(c.source);
    out.key("needs").open_array(JsonWriter::Form::line);
    for (Role role : c.needs) out.text(to_string(role));
    out.close().close();
  }
  out.close().close();
  return out.finish();
}

}  // namespace microstep
