#include <algorithm>

#include "leaf.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/json/trace.hpp"
#include "texts.hpp"
#include "trace_paths.hpp"

namespace microstep {
namespace {

using Form = JsonWriter::Form;
constexpr std::string_view kind_names[] = {"keys", "shape", "dtype"};

class TraceWriter {
 public:
  /// every_gradient: a step in which no leaf has one says so, as a dumped trace must.
  TraceWriter(JsonWriter& out, const Trace& trace, bool every_gradient)
      : out_(out),
        trace_(trace),
        every_gradient_(every_gradient),
        state_(state_tree(trace.schema())),
        stated_(trace.schema().columns().size(), false) {
    for (std::string_view section : {"gradients", "updates", "params"})
      sections_.emplace_back(section, section_columns(trace.schema(), section));
  }

  void initial();
  void step(std::int64_t row, std::span<const double> weights);

 private:
  bool is_present(std::int64_t row, std::size_t column) const {
    return trace_.presence(row, column) != Presence::absent;
  }
  bool any_present(std::int64_t row, const std::vector<NamedIndex>& columns) const {
    return std::ranges::any_of(columns, [&](const NamedIndex& each) { return is_present(row, each.second); });
  }
  bool has_state(std::int64_t row) const;
  Stated due_words(std::size_t column, bool fits) const;
  void column(std::int64_t row, std::size_t column);
  void members(std::int64_t row, const std::vector<NamedIndex>& columns);
  void state(std::int64_t row, const StateNode& node);
  void sections(std::int64_t row);
  void loss(std::int64_t row);

  JsonWriter& out_;
  const Trace& trace_;
  bool every_gradient_;
  StateNode state_;
  std::vector<std::pair<std::string_view, std::vector<NamedIndex>>> sections_;
  std::vector<bool> stated_;
};

bool TraceWriter::has_state(std::int64_t row) const {
  return !state_.empty() && std::ranges::none_of(trace_.deviations, [row](const Deviation& deviation) {
    return deviation.microstep == row && deviation.path == "state";
  });
}

/// Dtype and shape stand where the reader could not know them: with the params, and with the first of a column that
/// differs from the param of its name.
Stated TraceWriter::due_words(std::size_t index, bool fits) const {
  const Column& column = trace_.schema().columns()[index];
  if (stated_[index]) return {.dtype = !fits, .shape = false};
  if (column.path.starts_with("params/")) return {.dtype = true, .shape = true};
  if (column.path == "loss") return {.dtype = column.dtype != Dtype::float64 || !fits, .shape = false};
  std::optional<std::size_t> param = trace_.schema().find_column(param_path(column.path));
  if (!param) return {.dtype = true, .shape = true};
  const Column& like = trace_.schema().columns()[*param];
  return {.dtype = column.dtype != like.dtype || !fits, .shape = column.shape != like.shape};
}

void TraceWriter::column(std::int64_t row, std::size_t index) {
  const Column& column = trace_.schema().columns()[index];
  std::vector<double> values(static_cast<std::size_t>(column.size));
  if (trace_.presence(row, index) == Presence::dense) std::ranges::copy(trace_.numbers(row, index), values.begin());
  bool fits = std::ranges::all_of(values, [&](double x) { return x != x || round_to(column.dtype, x) == x; });
  write_leaf(out_, fits ? column.dtype : Dtype::float64, column.shape, values, due_words(index, fits));
  stated_[index] = true;
}

void TraceWriter::members(std::int64_t row, const std::vector<NamedIndex>& columns) {
  out_.open_object();
  for (const auto& [name, index] : columns) {
    if (!is_present(row, index)) continue;
    out_.key(name);
    column(row, index);
  }
  out_.close();
}

void TraceWriter::state(std::int64_t row, const StateNode& node) {
  out_.open_object();
  if (!node.counts.empty()) {
    out_.key("counts").open_object(Form::line);
    for (const auto& [name, index] : node.counts) out_.key(name).integer(trace_.count(row, index));
    out_.close();
  }
  if (!node.slots.empty()) {
    out_.key("slots").open_object();
    for (const auto& [name, columns] : node.slots) {
      out_.key(name);
      members(row, columns);
    }
    out_.close();
  }
  if (!node.of.empty()) {
    out_.key("of").open_array();
    for (const StateNode& inner : node.of) state(row, inner);
    out_.close();
  }
  out_.close();
}

void TraceWriter::sections(std::int64_t row) {
  for (const auto& [section, columns] : sections_) {
    const bool says_none = every_gradient_ && section == "gradients" && !columns.empty();
    if (row == 0 ? section != "params" : !any_present(row, columns) && !says_none) continue;
    out_.key(section);
    members(row, columns);
  }
  if (!has_state(row)) return;
  out_.key("state");
  state(row, state_);
}

void TraceWriter::loss(std::int64_t row) {
  std::optional<std::size_t> index = trace_.schema().find_column("loss");
  if (!index || !is_present(row, *index)) return;
  out_.key("loss");
  column(row, *index);
}

void TraceWriter::initial() {
  out_.key("initial").open_object();
  sections(0);
  out_.close();
}

void TraceWriter::step(std::int64_t row, std::span<const double> weights) {
  out_.open_object(Form::line);
  auto index = static_cast<std::size_t>(row - 1);
  if (index < weights.size() && weights[index] != 1) out_.key("weight").number(weights[index]);
  loss(row);
  sections(row);
  out_.close();
}

void write_deviations(JsonWriter& out, const std::vector<Deviation>& deviations) {
  if (deviations.empty()) return;
  out.key("deviations").open_array();
  for (const Deviation& deviation : deviations) {
    out.open_object(Form::line).key("kind").text(kind_names[static_cast<int>(deviation.kind)]);
    out.key("microstep").integer(deviation.microstep).key("path").text(deviation.path);
    out.key("message").text(deviation.message).close();
  }
  out.close();
}

void write_body(JsonWriter& out, const Trace& trace, std::span<const double> weights, bool every_gradient) {
  TraceWriter writer(out, trace, every_gradient);
  writer.initial();
  out.key("steps").open_array();
  for (std::int64_t row = 1; row < trace.rows(); ++row) writer.step(row, weights);
  out.close();
  if (!trace.kernels.empty()) write_texts(out.key("kernels"), trace.kernels);
  write_deviations(out, trace.deviations);
}

}  // namespace

void write_trace(JsonWriter& out, const Trace& trace) {
  out.open_object().key("schema").text("microstep/trace/1");
  write_body(out, trace, {}, false);
  out.close();
}

std::string encode_trace(const Trace& trace) {
  JsonWriter out;
  write_trace(out, trace);
  return out.finish();
}

std::string encode_dumped_trace(const DumpedTrace& dumped) {
  JsonWriter out;
  out.open_object().key("schema").text("microstep/trace/1");
  if (!dumped.spec.empty()) out.key("spec").text(dumped.spec);
  out.key("hyper_precision").text(to_string(dumped.hyper_precision));
  out.key("flushes_subnormals").truth(dumped.flushes_subnormals);
  out.key("true_division").truth(dumped.true_division);
  if (dumped.running_mean) out.key("running_mean").truth(true);
  write_body(out, dumped.trace, dumped.weights, true);
  out.close();
  return out.finish();
}

}  // namespace microstep
