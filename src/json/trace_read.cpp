#include <algorithm>
#include <unordered_map>

#include "leaf.hpp"
#include "microstep/data/error.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/json/trace.hpp"
#include "texts.hpp"
#include "trace_part.hpp"
#include "trace_paths.hpp"
#include "trace_schema.hpp"
#include "trace_tensors.hpp"

namespace microstep {
namespace {

using Kind = Document::Kind;

constexpr std::pair<std::string_view, Deviation::Kind> kind_names[] = {
    {"keys", Deviation::Kind::keys}, {"shape", Deviation::Kind::shape}, {"dtype", Deviation::Kind::dtype}};

Deviation::Kind read_kind(const Document& name) {
  for (const auto& [known, kind] : kind_names)
    if (name.text() == known) return kind;
  name.refuse("json.wrong-value", "the kind \"" + name.text() + "\" is unknown", "known are keys, shape, dtype");
}

class TraceReader {
 public:
  TraceReader(const Document& document, const Plan* known, const Part& part);
  Trace read();

 private:
  void listed_deviations();
  void deviate(Deviation::Kind kind, const std::string& path, const std::string& message);
  void row(const Document& row);
  void leaf(const std::string& path, const Document& leaf);
  bool fits(const Column& column, const ReadLeaf& read);
  void count(const std::string& path, const Document& count);
  void missing(const Document& row, const FlatRow& flat);
  void missing_columns(const Document& row, const std::string& section);
  void missing_updates(const Document& row);

  Document document_;
  SchemaPointer whole_;
  Trace trace_;
  std::unordered_map<std::string, std::size_t> columns_, counts_;
  std::int64_t row_ = 0;
};

TraceReader::TraceReader(const Document& document, const Plan* known, const Part& part)
    : document_(document), whole_(schema_of(document, known)), trace_(part_of(whole_, part)) {
  for (std::size_t i = 0; i < trace_.schema().columns().size(); ++i)
    columns_.emplace(trace_.schema().columns()[i].path, i);
  for (std::size_t i = 0; i < trace_.schema().count_paths().size(); ++i)
    counts_.emplace(trace_.schema().count_paths()[i], i);
}

void TraceReader::listed_deviations() {
  std::optional<Document> list = document_.find("deviations");
  if (!list) return;
  for (std::size_t i = 0; i < list->expect(Kind::list).size(); ++i) {
    Document one = list->element(i);
    trace_.deviations.push_back(
        {read_kind(one.at("kind")), one.at("microstep").integer(), one.at("path").text(), one.at("message").text()});
  }
}

void TraceReader::deviate(Deviation::Kind kind, const std::string& path, const std::string& message) {
  for (const Deviation& each : trace_.deviations)
    if (each.microstep == row_ && each.path == path) return;
  trace_.deviations.push_back({kind, row_, path, message});
}

bool TraceReader::fits(const Column& column, const ReadLeaf& read) {
  std::string name(to_string(column.dtype));
  if (read.shape != column.shape) {
    deviate(Deviation::Kind::shape, column.path,
            to_string(read.shape) + " where " + to_string(column.shape) + " is due");
    return false;
  }
  if (read.dtype != column.dtype)
    deviate(Deviation::Kind::dtype, column.path, std::string(to_string(read.dtype)) + " where " + name + " is due");
  return true;
}

void TraceReader::leaf(const std::string& path, const Document& leaf) {
  auto found = columns_.find(path);
  if (found == columns_.end()) {
    deviate(Deviation::Kind::keys, path, "a leaf that is not there at the start");
    return;
  }
  const Column& column = whole_->columns()[found->second];
  const ReadLeaf read = described_leaf(leaf, {column.dtype, column.shape});
  if (!fits(column, read)) return;
  trace_.presence(row_, found->second) = Presence::dense;
  const std::span<double> numbers = trace_.numbers(row_, found->second);
  const std::int64_t first = trace_.schema().columns()[found->second].first();
  if (leaf.is(Kind::tensor))
    leaf.tensor().read(first, numbers);
  else
    std::copy_n(read.values.begin() + first, numbers.size(), numbers.begin());
}

void TraceReader::count(const std::string& path, const Document& count) {
  auto found = counts_.find(path);
  std::int64_t value = count.integer();
  if (found == counts_.end())
    deviate(Deviation::Kind::keys, path, "a count that is not there at the start");
  else
    trace_.count(row_, found->second) = value;
}

void TraceReader::missing_columns(const Document& row, const std::string& section) {
  bool whole = !row.find(section);
  for (std::size_t i = 0; i < trace_.schema().columns().size(); ++i) {
    const std::string& path = trace_.schema().columns()[i].path;
    if (!path.starts_with(section + '/') || trace_.presence(row_, i) != Presence::absent) continue;
    deviate(Deviation::Kind::keys, whole ? section : path, "missing, though it is there at the start");
  }
}

/// An update may be absent only where the gradient is.
void TraceReader::missing_updates(const Document& row) {
  for (const auto& [name, index] : section_columns(trace_.schema(), "updates")) {
    auto gradient = columns_.find("gradients/" + name);
    if (trace_.presence(row_, index) != Presence::absent || gradient == columns_.end()) continue;
    if (trace_.presence(row_, gradient->second) == Presence::absent) continue;
    deviate(Deviation::Kind::keys, row.find("updates") ? "updates/" + name : "updates",
            "missing, though there is a gradient");
  }
}

void TraceReader::missing(const Document& row, const FlatRow& flat) {
  missing_columns(row, "params");
  missing_columns(row, "state");
  missing_updates(row);
  bool no_state = !row.find("state");
  for (std::size_t index = 0; index < trace_.schema().count_paths().size(); ++index) {
    const std::string& path = trace_.schema().count_paths()[index];
    if (std::ranges::any_of(flat.counts, [&](const auto& each) { return each.first == path; })) continue;
    trace_.hide_count(row_, index);
    deviate(Deviation::Kind::keys, no_state ? "state" : path, "missing, though it is there at the start");
  }
}

void TraceReader::row(const Document& row) {
  trace_.append_row();
  FlatRow flat = flattened(row);
  for (const auto& [path, document] : flat.leaves) leaf(path, document);
  for (const auto& [path, document] : flat.counts) count(path, document);
  missing(row, flat);
  ++row_;
}

Trace TraceReader::read() {
  listed_deviations();
  Document steps = document_.at("steps");
  trace_.reserve(static_cast<std::int64_t>(steps.size()) + 1);
  row(document_.at("initial"));
  for (std::size_t i = 0; i < steps.size(); ++i) row(steps.element(i));
  return std::move(trace_);
}

std::vector<double> read_weights(const Document& steps) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::optional<Document> weight = steps.element(i).find("weight");
    weights.push_back(weight ? weight->number() : 1.0);
  }
  return weights;
}

/// An empty object says that no leaf had a gradient; a step without the key says nothing. Where no step has it, the
/// trace is of another kind.
void check_gradients(const Document& steps) {
  std::optional<Document> without;
  bool any = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool has = steps.element(i).find("gradients").has_value();
    any = any || has;
    if (!has && !without) without = steps.element(i);
  }
  if (any && without)
    without->refuse("json.no-gradients", "the step has no \"gradients\"",
                    "dump what reached the optimizer; {} says that no leaf had a gradient");
}

}  // namespace

Trace read_trace(const Document& document, const Plan* known) {
  if (document.expect(Kind::object).find("schema")) check_schema(document, "trace");
  Trace trace = TraceReader(document, known, {}).read();
  if (auto kernels = document.find("kernels")) trace.kernels = read_text_map(*kernels);
  if (known) note_foreign_states(empty_states(document), known->spec, trace);
  return trace;
}

Trace decode_trace(std::string_view text, const std::string& source, const Plan* known) {
  return read_trace(Document::parse(text, source), known);
}

Document parse_dumped_trace(std::string_view text, const std::string& source, const OpenTensors& open) {
  return Document::parse(text, source, [&](const Document& trace, Document::Root& root) {
    check_schema(trace, "trace");
    take_tensors(trace, open, root);
  });
}

DumpedTrace decode_dumped_trace(std::string_view text, const std::string& source, const OpenTensors& open) {
  return read_dumped_trace(parse_dumped_trace(text, source, open));
}

DumpedTrace read_dumped_trace(const Document& document, const Part& part) {
  DumpedTrace dumped;
  if (auto spec = document.find("spec")) dumped.spec = spec->text();
  if (auto precision = document.find("hyper_precision")) dumped.hyper_precision = read_hyper_precision(*precision);
  if (auto flushes = document.find("flushes_subnormals")) dumped.flushes_subnormals = flushes->truth();
  if (auto divides = document.find("true_division")) dumped.true_division = divides->truth();
  if (auto runs = document.find("running_mean")) dumped.running_mean = runs->truth();
  dumped.trace = TraceReader(document, nullptr, part).read();
  check_gradients(document.at("steps"));
  dumped.empty_states = empty_states(document);
  dumped.weights = read_weights(document.at("steps"));
  return dumped;
}

}  // namespace microstep
