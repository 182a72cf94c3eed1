#include "microstep/report/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/json/plan.hpp"
#include "microstep/report/compare.hpp"
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

std::string all_inside(const Faithfulness& f) {
  return fmt::format("every one of {} numbers lies in the ball of its step ({} of them have no room at all).", f.judged,
                     f.exact);
}

std::string broken_contracts(const TraceJudgement& j) {
  std::string ids;
  for (const Verdict& v : j.contracts)
    if (v.outcome == Outcome::broken) ids += (ids.empty() ? "" : ", ") + v.contract;
  return ids;
}

// What the exit code says, in words.
std::string headline(const TraceJudgement& j) {
  const Faithfulness& f = j.faithful;
  if (f.first) return fmt::format("NOT FAITHFUL: {} of {} numbers lie outside; the first:", f.outside, f.judged);
  if (f.outcome == Outcome::broken) return "NOT FAITHFUL: " + f.reason;
  const std::string ids = broken_contracts(j);
  if (ids.empty()) return f.outcome == Outcome::holds ? "FAITHFUL: " + all_inside(f) : "UNDECIDABLE: " + f.reason;
  if (f.outcome == Outcome::holds)
    return fmt::format("BROKEN: {}; the trace is its spec's all the same: {}", ids, all_inside(f));
  return fmt::format("BROKEN: {}; the numbers are undecidable: {}", ids, f.reason);
}

bool breaks(const TraceJudgement& j, std::string_view contract) {
  return std::ranges::any_of(j.contracts,
                             [&](const Verdict& v) { return v.contract == contract && v.outcome == Outcome::broken; });
}

bool skips_large(const Spec& spec) {
  return (spec.op == "multi_steps" && spec.text("skip") == "large") || std::ranges::any_of(spec.of, skips_large);
}

std::string words_of(const TraceJudgement& j, const std::string& cause) {
  if (cause == "sum-mean" && breaks(j, "reduction.sum"))
    return "the window's gradients are divided where their sum is declared";
  if (cause == "sum-mean" && breaks(j, "reduction.mean"))
    return "the window's gradients are summed, or divided twice, where their mean is declared";
  if (cause == "token-weight" && breaks(j, "reduction.mean"))
    return "microbatches count by their weights where their plain mean is declared";
  if (cause == "boundary" && !breaks(j, "emission.every_k") &&
      (j.never_cleared || breaks(j, "state.accumulator_empty")))
    return "something of a closed window is left in the accumulator";
  if (cause == "boundary" && !breaks(j, "emission.every_k") && breaks(j, "emission.counters"))
    return "the accumulator's counters are not those of the windows";
  if (cause == "nonfinite-skip" && skips_large(j.plan.spec))
    return "a microbatch that is not finite, or too large, is treated otherwise";
  if (cause == "formula" && !j.hidden.empty())
    return "no other cause fits what is shown; what is hidden might tell one";
  return cause_in_words(cause);
}

std::string name_of(ShownState state) {
  if (state == ShownState::kept) return "kept";
  return state == ShownState::renamed ? "renamed" : "left_out";
}

std::string cause_lines(const TraceJudgement& j) {
  std::string text = j.causes.empty()           ? ""
                     : j.causes_seen_in.empty() ? "causes:\n"
                                                : fmt::format("causes, looked for in {}:\n", j.causes_seen_in);
  for (const std::string& cause : j.causes) text += fmt::format("  {}: {}\n", cause, words_of(j, cause));
  if (j.explained_by)
    text += fmt::format(
        "{}  {}\n",
        j.explained_state == ShownState::kept ? "every step is that of" : "its updates and params are those of",
        to_string(*j.explained_by));
  return text;
}

void write_place(JsonWriter& out, const Place& place) {
  out.open_object(JsonWriter::Form::line).key("microstep").integer(place.microstep).key("path").text(place.path);
  out.key("index").integer(place.first + place.index);
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
  const auto [seen, due] = shown_apart(place.dtype, place.observed, place.expected);
  const double observed = static_cast<double>(round_to(place.dtype, place.observed.value));
  return fmt::format("microstep {}, {}{}: {} ({}) where {} was due, {}", place.microstep, place.path,
                     index_text(place.shape, place.first + place.index), seen, bits_text(place.dtype, observed), due,
                     distance(place));
}

std::string text_report(const TraceJudgement& j) {
  std::string text = fmt::format("spec   {}\ntrace  {} microsteps, {}\n\n{}\n", to_string(j.plan.spec), j.microsteps,
                                 to_string(narrowest_dtype(j.plan.params.layout())), headline(j));
  const Faithfulness& f = j.faithful;
  if (f.first) text += "  " + place_in_words(*f.first) + "\n";
  if (f.outcome == Outcome::holds)
    text += fmt::format("largest share of a bound: {}{}\n", rough(f.largest_share),
                        f.largest_path.empty() ? "" : " in " + f.largest_path);
  if (!j.hidden.empty())
    text += fmt::format("the trace hides {}: hidden state is followed from where its spec starts it.\n", j.hidden);
  return text + cause_lines(j) + warning_lines(j.warnings) + "contracts:\n" + verdict_lines(j.contracts, false);
}

std::string json_report(const TraceJudgement& j) {
  JsonWriter out;
  const Faithfulness& f = j.faithful;
  out.open_object().key("schema").text("microstep/judge/1").key("command").text("judge");
  out.key("spec").text(to_string(j.plan.spec)).key("microsteps").integer(j.microsteps);
  out.key("verdict").text(to_string(j.outcome));
  out.key("faithful").text(to_string(f.outcome)).key("numbers").integer(f.judged).key("outside").integer(f.outside);
  out.key("largest_share").number(f.largest_share).key("largest_path").text(f.largest_path);
  write_rounding(out, j.rounding);
  out.key("reason");
  f.reason.empty() ? out.null() : out.text(f.reason);
  out.key("hidden");
  j.hidden.empty() ? out.null() : out.text(j.hidden);
  out.key("first");
  f.first ? write_place(out, *f.first) : static_cast<void>(out.null());
  out.key("contracts");
  write_verdicts(out, j.contracts);
  out.key("causes").texts(j.causes, JsonWriter::Form::line);
  out.key("causes_seen_in");
  j.causes_seen_in.empty() ? out.null() : out.text(j.causes_seen_in);
  out.key("explained_by");
  j.explained_by ? out.text(to_string(*j.explained_by)) : out.null();
  out.key("explained_state");
  j.explained_by ? out.text(name_of(j.explained_state)) : out.null();
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
