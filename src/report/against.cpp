#include "microstep/report/against.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/report/compare.hpp"
#include "microstep/report/value.hpp"
#include "microstep/report/verdicts.hpp"

namespace microstep {
namespace {

std::int64_t steps_of(const std::optional<TraceJudgement>& judgement) { return judgement ? judgement->microsteps : 0; }

const GradientGap* largest_gap(const Against& a) {
  const GradientGap* largest = nullptr;
  for (const WindowAnswer& window : a.windows)
    if (window.gap && window.gap->relative > 0 && (!largest || window.gap->relative > largest->relative))
      largest = &*window.gap;
  return largest;
}

std::string headline(const Against& a) {
  switch (a.answer) {
    case Answered::same:
      return fmt::format("SAME: over {} windows every number of both runs is the same.", a.windows.size());
    case Answered::explained:
      return std::ranges::all_of(a.windows, &WindowAnswer::within_rounding)
                 ? "EXPLAINED by rounding: each gradient of the large batch is its window's, but for what reducing it "
                   "rounds; given it, both runs are one computation."
                 : "EXPLAINED by the gradients: given them, both runs are one computation, and no known fault of a "
                   "window is as small as their difference.";
    case Answered::undecidable:
      return "UNDECIDABLE: " + a.reason;
    default:
      return "SEMANTIC: " + a.reason;
  }
}

// One gradient is no further from the other than the reduction itself may round.
std::string gap_in_words(const GradientGap& gap) {
  const auto [own, other] = shown_apart(gap.dtype, gap.accumulated, exactly(gap.large_batch));
  const std::string_view reach =
      contains(gap.accumulated, gap.large_batch) ? ", within the rounding of its reduction" : "";
  return fmt::format("window {}, {}{}: {} against {}, {} ULP, {} of the largest in its leaf{}", gap.window, gap.path,
                     gap.shape.empty() ? "" : index_text(gap.shape, gap.index), own, other, rough(gap.ulps),
                     rough(gap.relative), reach);
}

std::string sides_of(const Difference& d) {
  if (d.is_count)
    return fmt::format("{} against {}", static_cast<std::int64_t>(d.accumulated.value),
                       static_cast<std::int64_t>(d.reference.value));
  const auto [own, other] = shown_apart(d.dtype, d.accumulated, d.reference);
  return fmt::format("{} against {}", own, other);
}

std::string place_of(const Difference& d) {
  return d.is_count || d.shape.empty() ? d.path : d.path + index_text(d.shape, d.index);
}

std::string rounding_of_run(const char* name, const std::optional<TraceJudgement>& j) {
  return j ? fmt::format("rounding of the {} run: {}\n", name, rounding_in_words(j->rounding)) : "";
}

std::string apart_from_the_start(const Against& a) {
  const auto first = std::ranges::find(a.windows, false, &WindowAnswer::same_params);
  if (first == a.windows.end()) return "";
  return fmt::format("from window {} on the gradients are taken at params that differ by what is explained before.\n",
                     first->window);
}

void write_gap(JsonWriter& out, const GradientGap& gap) {
  out.open_object(JsonWriter::Form::line).key("window").integer(gap.window).key("path").text(gap.path);
  out.key("index").integer(gap.index).key("accumulated").number(static_cast<double>(gap.accumulated.value));
  out.key("large_batch").number(gap.dtype, gap.large_batch).key("ulps").number(gap.ulps);
  out.key("relative").number(gap.relative).close();
}

void write_first(JsonWriter& out, const Difference& d) {
  out.open_object(JsonWriter::Form::line).key("window").integer(d.window).key("microstep").integer(d.microstep);
  out.key("path").text(d.path).key("index").integer(d.index);
  out.key("accumulated").number(static_cast<double>(d.accumulated.value));
  out.key("large_batch").number(static_cast<double>(d.reference.value)).close();
}

void write_run(JsonWriter& out, const char* key, const Spec& spec, const std::optional<TraceJudgement>& j) {
  out.key(key).open_object(JsonWriter::Form::line).key("spec").text(to_string(spec));
  out.key("steps").integer(steps_of(j)).key("faithful");
  j ? out.text(to_string(j->faithful.outcome)) : out.null();
  write_rounding(out, j ? std::optional(j->rounding) : std::nullopt);
  out.close();
}

void write_windows(JsonWriter& out, const Against& a) {
  out.key("windows").open_array();
  for (const WindowAnswer& window : a.windows) {
    out.open_object(JsonWriter::Form::line).key("window").integer(window.window);
    out.key("verdict").text(to_string(window.answer)).key("same_params").truth(window.same_params).key("ulps");
    window.gap ? out.number(window.gap->ulps) : out.null();
    out.key("relative");
    window.gap ? out.number(window.gap->relative) : out.null();
    out.close();
  }
  out.close();
}

}  // namespace

std::string text_report(const Against& a) {
  std::string text =
      fmt::format("accumulated  {}  ({} microsteps)\nlarge batch  {}  ({} steps)\n\n{}\n", to_string(a.spec),
                  steps_of(a.accumulated), to_string(a.against_spec), steps_of(a.large_batch), headline(a));
  if (a.first)
    text +=
        fmt::format("first difference: window {}, {}: {}\n", a.first->window, place_of(*a.first), sides_of(*a.first));
  if (!a.causes.empty()) text += "causes:\n";
  for (const std::string& cause : a.causes) text += fmt::format("  {}: {}\n", cause, cause_in_words(cause));
  if (const GradientGap* gap = largest_gap(a))
    text += fmt::format("the gradients differ most in {}\n", gap_in_words(*gap));
  if (a.answer == Answered::explained || a.answer == Answered::undecidable) text += apart_from_the_start(a);
  text += rounding_of_run("accumulated", a.accumulated) + rounding_of_run("large-batch", a.large_batch);
  for (const std::string& line : a.record) text += fmt::format("record also: {}\n", line);
  for (const std::string& line : a.not_compared) text += fmt::format("not compared, no counterpart: {}\n", line);
  return text;
}

std::string json_report(const Against& a) {
  JsonWriter out;
  out.open_object().key("schema").text("microstep/against/1").key("command").text("judge");
  out.key("verdict").text(to_string(a.answer)).key("reason");
  a.reason.empty() ? out.null() : out.text(a.reason);
  write_run(out, "accumulated", a.spec, a.accumulated);
  write_run(out, "large_batch", a.against_spec, a.large_batch);
  out.key("first");
  a.first ? write_first(out, *a.first) : static_cast<void>(out.null());
  out.key("causes").texts(a.causes, JsonWriter::Form::line).key("gradients");
  const GradientGap* gap = largest_gap(a);
  gap ? write_gap(out, *gap) : static_cast<void>(out.null());
  write_windows(out, a);
  out.key("record").texts(a.record).key("not_compared").texts(a.not_compared, JsonWriter::Form::line).close();
  return out.finish();
}

}  // namespace microstep
