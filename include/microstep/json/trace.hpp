#pragma once
// Traces as JSON (docs/trace.md): nested states as people write them, flat rows within. One microstep a line; every bit
// of every number survives; what deviates from the first row is kept as a Deviation, not refused.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/json/document.hpp"
#include "microstep/json/writer.hpp"

namespace microstep {

void write_trace(JsonWriter& out, const Trace& trace);
/// known: the plan that was run, if there is one: names, shapes and dtypes of params and gradients are then its.
/// Without it, `initial/params` must say them. Throws json.*; json.shape-mismatch where values do not fill their own
/// shape.
Trace read_trace(const Document& document, const Plan* known = nullptr);
std::string encode_trace(const Trace& trace);
Trace decode_trace(std::string_view text, const std::string& source = {}, const Plan* known = nullptr);

/// A state without leaf and count in the `of` of another one: owner is `state` or `state/of[0]`, its place there is
/// index. No schema shows it.
struct InnerState {
  std::string owner;
  std::size_t index = 0;
  std::int64_t microstep = 0;
};
std::vector<InnerState> empty_states(const Document& trace);
/// The first of them for which the spec has no place becomes a deviation of the trace.
void note_foreign_states(const std::vector<InnerState>& states, const Spec& spec, Trace& trace);

/// A trace that anyone's loop dumped, with what judging it needs to know. spec: as written, empty if it is not said.
/// weights: of each microstep, 1 if not said.
struct DumpedTrace {
  std::string spec;
  HyperPrecision hyper_precision = HyperPrecision::undeclared;
  bool flushes_subnormals = false;
  bool true_division = false;
  bool running_mean = false;
  std::vector<double> weights;
  std::vector<InnerState> empty_states = {};
  Trace trace;
};
std::string encode_dumped_trace(const DumpedTrace& dumped);
/// The tensors of the files that a trace names under "tensors"; each is called as the keys of the trace lead to its
/// leaf, such as `steps/3/params/w` or `initial/state/of[0]/mu/w`.
using OpenTensors = std::function<std::vector<OutsideTensor>(const std::vector<std::string>& files)>;
/// Throws json.*; json.no-gradients where one step has no gradients and another has; trace.unknown-tensor,
/// trace.duplicate-leaf, trace.tensor-rank, trace.tensors-elsewhere, and what `open` throws.
DumpedTrace decode_dumped_trace(std::string_view text, const std::string& source = {}, const OpenTensors& open = {});

/// Of each leaf of the params some numbers; the parts of one count hold every number once. A leaf that is small beside
/// the count stands whole in one of them.
struct Part {
  std::int64_t index = 0;
  std::int64_t count = 1;

  /// The numbers of a leaf of that size, the leaf-th of the params, that are in this part: the first, and one behind
  /// the last.
  std::pair<std::int64_t, std::int64_t> of(std::size_t leaf, std::int64_t size) const;
};
/// Rows of columns with that many numbers together.
struct TraceSize {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t width = 0;
};
/// decode_dumped_trace in two: the text with its tensors' places, of which no number is read, and a part of it.
Document parse_dumped_trace(std::string_view text, const std::string& source, const OpenTensors& open = {});
TraceSize size_of(const Document& trace);
DumpedTrace read_dumped_trace(const Document& trace, const Part& part = {});
/// The replay plan of a dumped trace under that spec: its initial params, its gradients as given, a batch a microstep.
/// Throws json.no-gradients if no step has any, plan.*.
Plan replay_plan_of(const DumpedTrace& dumped, const Spec& spec);

}  // namespace microstep
