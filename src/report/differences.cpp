#include <fmt/format.h>
#include <fmt/ranges.h>

#include "microstep/json/numbers.hpp"
#include "microstep/json/writer.hpp"
#include "microstep/report/goldens.hpp"
#include "microstep/report/value.hpp"

namespace microstep {
namespace {

std::string effect(const BehaviourChange& change) {
  if (change.largest == 0) return "  no update differs\n";
  return fmt::format("  {} updates differ by up to {}: {} → {} ({} relative, {} ULP)\n", to_string(change.dtype),
                     rough(change.largest), decimal_text(change.dtype, change.before),
                     decimal_text(change.dtype, change.after), rough(change.relative), rough(change.ulps));
}

}  // namespace

std::string text_report(const FolderDiff& d) {
  std::string text;
  for (const BehaviourChange& change : d.changes)
    text += fmt::format("{}\n{}  in {}\n", change.what, effect(change), fmt::join(change.experiments, ", "));
  for (const OtherExperiment& other : d.other_experiments)
    text += fmt::format("{} is another experiment in each folder: no change of behaviour, not compared\n  {}\n",
                        other.id, fmt::join(other.fields, "\n  "));
  for (const std::string& id : d.only_before) text += fmt::format("only in the first: {}\n", id);
  for (const std::string& id : d.only_after) text += fmt::format("only in the second: {}\n", id);
  for (const Error& fault : d.faults) text += fmt::format("FAULT {}\n", fault.what());
  text += fmt::format(
      "{} experiments compared, {} changes of behaviour; elsewhere {} numbers differ, all by rounding "
      "(largest share of a bound {})\n",
      d.compared, d.changes.size(), d.rounding, rough(d.largest_share));
  return text;
}

std::string json_report(const FolderDiff& d) {
  JsonWriter out;
  out.open_object().key("schema").text("microstep/diff/1").key("command").text("diff").key("changes").open_array();
  for (const BehaviourChange& change : d.changes) {
    out.open_object(JsonWriter::Form::line).key("what").text(change.what).key("largest").number(change.largest);
    out.key("relative")
        .number(change.relative)
        .key("ulps")
        .number(change.ulps)
        .key("experiments")
        .texts(change.experiments)
        .close();
  }
  out.close().key("other_experiments").open_array();
  for (const OtherExperiment& other : d.other_experiments)
    out.open_object(JsonWriter::Form::line).key("id").text(other.id).key("fields").texts(other.fields).close();
  out.close().key("only_before").texts(d.only_before, JsonWriter::Form::line);
  out.key("only_after").texts(d.only_after, JsonWriter::Form::line).key("faults").open_array();
  for (const Error& fault : d.faults) out.text(fault.what());
  out.close().key("compared").integer(d.compared).key("rounding").integer(d.rounding);
  out.key("largest_share").number(d.largest_share).close();
  return out.finish();
}

}  // namespace microstep
