#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "microstep/json/numbers.hpp"
#include "microstep/json/writer.hpp"
#include "microstep/report/goldens.hpp"
#include "microstep/report/value.hpp"
#include "microstep/report/verdicts.hpp"

namespace microstep {
namespace {

std::string effect(const BehaviourChange& change) {
  if (change.largest == 0) return "  no update differs\n";
  return fmt::format("  {} updates differ by up to {}: {} → {} ({} relative, {} ULP)\n", to_string(change.dtype),
                     rough(change.largest), decimal_text(change.dtype, change.before),
                     decimal_text(change.dtype, change.after), rough(change.relative), rough(change.ulps));
}

// What all experiments say of one leaf.
struct LeafSummary {
  std::vector<const LeafRounding*> parts;
  const LeafRounding* widest = nullptr;
  std::int64_t numbers = 0;
  std::set<std::string> experiments;
};

std::map<std::string, LeafSummary> by_path(const FolderDiff& d) {
  std::map<std::string, LeafSummary> leaves;
  for (const LeafRounding& part : d.leaves) {
    LeafSummary& leaf = leaves[part.path];
    leaf.parts.push_back(&part);
    leaf.numbers += part.numbers;
    leaf.experiments.insert(part.experiment);
    if (!leaf.widest || part.share > leaf.widest->share) leaf.widest = &part;
  }
  return leaves;
}

std::string rounding_lines(const FolderDiff& d, bool all) {
  std::string text;
  for (const auto& [path, leaf] : by_path(d)) {
    text += fmt::format("{}: rounding, {} of the bound ({} numbers in {} experiments, most in {})\n", path,
                        rough(leaf.widest->share), leaf.numbers, leaf.experiments.size(), leaf.widest->experiment);
    for (const LeafRounding* part : leaf.parts)
      if (all)
        text += fmt::format("  {} ({}): {} of the bound, {} numbers, most in {}\n", part->experiment,
                            to_string(part->role), rough(part->share), part->numbers, part->place);
  }
  return text;
}

std::int64_t rounded_numbers(const FolderDiff& d) {
  std::int64_t numbers = 0;
  for (const LeafRounding& leaf : d.leaves) numbers += leaf.numbers;
  return numbers;
}

void write_leaves(JsonWriter& out, const FolderDiff& d) {
  out.key("leaves").open_array();
  for (const LeafRounding& leaf : d.leaves) {
    out.open_object(JsonWriter::Form::line).key("experiment").text(leaf.experiment);
    out.key("role").text(to_string(leaf.role)).key("path").text(leaf.path).key("numbers").integer(leaf.numbers);
    out.key("share").number(leaf.share).key("place").text(leaf.place).close();
  }
  out.close();
}

}  // namespace

std::string text_report(const FolderDiff& d, bool all) {
  std::string text;
  for (const BehaviourChange& change : d.changes)
    text += fmt::format("{}\n{}  in {}\n", change.what, effect(change), fmt::join(change.experiments, ", "));
  for (const OtherExperiment& other : d.other_experiments)
    text += fmt::format("{} is another experiment in each folder: no change of behaviour, not compared\n  {}\n",
                        other.id, fmt::join(other.fields, "\n  "));
  for (const std::string& id : d.only_before) text += fmt::format("only in the first: {}\n", id);
  for (const std::string& id : d.only_after) text += fmt::format("only in the second: {}\n", id);
  for (const Error& fault : d.faults) text += fmt::format("FAULT {}\n", fault.what());
  text += rounding_lines(d, all);
  text += fmt::format(
      "{} experiments compared, {} changes of behaviour; elsewhere {} numbers differ, all by rounding "
      "(largest share of a bound {})\n",
      d.compared, d.changes.size(), rounded_numbers(d), rough(rounding_in(d).max_ratio.value_or(0)));
  return text;
}

std::string json_report(const FolderDiff& d) {
  JsonWriter out;
  out.open_object().key("schema").text("microstep/diff/2").key("command").text("diff").key("changes").open_array();
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
  out.close().key("compared").integer(d.compared);
  write_leaves(out, d);
  write_rounding(out, rounding_in(d));
  out.key("rounded")
      .integer(rounded_numbers(d))
      .key("largest_share")
      .number(rounding_in(d).max_ratio.value_or(0))
      .close();
  return out.finish();
}

}  // namespace microstep
