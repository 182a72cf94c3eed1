#pragma once
// A trace that anyone's loop dumped, judged without the program that made it; and two, an accumulated run and one on
// large batches.
#include <optional>
#include <string>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/data/semantics.hpp"
#include "microstep/judge/rounding.hpp"
#include "microstep/judge/verdict.hpp"

namespace microstep {

/// What another spec says of the state that a trace shows: every step is that spec's; the same under the paths of that
/// spec, but for accumulators; or only what stands beside the state was held against it.
enum class ShownState { kept, renamed, left_out };

struct TraceJudgement {
  Plan plan;
  /// Is it the spec's, in its numbers and its form?
  Faithfulness faithful;
  /// What its numbers are, whatever its form is.
  Rounding rounding;
  std::vector<Verdict> contracts;
  std::int64_t microsteps = 0;
  /// broken: the trace is not faithful, or a contract is broken; else undecidable where its faithfulness is; else
  /// holds.
  Outcome outcome = Outcome::holds;
  /// Never empty where the outcome is broken.
  std::vector<std::string> causes;
  /// Another spec, of which the updates and params are, and where its state is kept every step.
  std::optional<Spec> explained_by;
  ShownState explained_state = ShownState::kept;
  /// Where the cause is `boundary`: the gradients of closed windows were never cleared.
  bool never_cleared = false;
  /// Where the causes were looked for in a part of a large trace only: which one, in words.
  std::string causes_seen_in;
  /// The first place of the spec's state that the trace does not show; empty for none.
  std::string hidden;
  /// What in the spec has no effect, such as a mask that matches no leaf.
  std::vector<std::string> warnings;
};

/// What a trace hides is taken to start as its spec does and followed from there as balls. Where another reduction of
/// the window would show the same numbers, nothing is decided. text: a file of schema microstep/trace/1. spec: in place
/// of the one in the file. Throws json.*, spec.*, trace.no-spec where neither says one, trace.empty without a
/// microstep, trace.too-large where it does not fit into memory. A large trace of a spec that moves every number by
/// itself is judged a part of each leaf at a time, by all processors: all numbers, all contracts, but causes in one
/// part. parts: how many; 0 for as many as its size asks for.
TraceJudgement judge_trace(const std::string& text, const std::string& source, const std::optional<Spec>& spec,
                           std::int64_t parts = 0);

/// What the difference of two runs is. same: none; explained: what the gradients differ by, and rounding.
enum class Answered { same, explained, undecidable, semantic };
std::string_view to_string(Answered answer);

/// Where the gradients of a window and of its large batch are furthest apart, for the size of their leaf.
struct GradientGap {
  std::int64_t window = 0;
  std::string path;
  Shape shape;
  Dtype dtype = Dtype::float32;
  std::int64_t index = 0;
  /// What the recorded gradients of the window reduce to.
  Ball accumulated{};
  double large_batch = 0;
  double ulps = 0;
  /// Of the largest number of the leaf.
  double relative = 0;
};

struct WindowAnswer {
  std::int64_t window = 0;
  Answered answer = Answered::same;
  /// Both runs had the same params when they took the gradients of this window.
  bool same_params = true;
  std::optional<GradientGap> gap;
  /// No gradient of it is further from the reduced one than reducing may round.
  bool within_rounding = true;
};

struct Against {
  Spec spec, against_spec;
  /// None where a trace has no gradients.
  std::optional<TraceJudgement> accumulated, large_batch;
  Answered answer = Answered::same;
  /// Why it is semantic or undecidable; empty otherwise.
  std::string reason;
  /// What else to record where it is undecidable.
  std::vector<std::string> record;
  std::vector<std::string> causes;
  /// The first difference that is neither rounding nor of the gradients.
  std::optional<Difference> first;
  std::vector<WindowAnswer> windows;
  /// States of one run without counterpart, and microsteps behind the last window.
  std::vector<std::string> not_compared;
};

struct TraceFile {
  std::string text, source;
};

/// Is the difference of an accumulated run and a large-batch run semantic, explained by their gradients, or
/// undecidable? Both traces are judged first; then the specs are decided over the recorded gradients; then each
/// window's reduced gradient is held against the large batch's. against_spec: in place of that of the second file, else
/// the first spec without its accumulators. Throws as judge_trace does; trace.keys, trace.dtype, trace.shape,
/// trace.skipped-step, trace.other-leaves, trace.windows for traces that cannot be paired, spec.accumulates.
Against judge_against(const TraceFile& accumulated, const TraceFile& large_batch, const std::optional<Spec>& spec,
                      const std::optional<Spec>& against_spec);

/// The specs that an unfaithful trace is held against: the claimed one with one known fault each.
std::vector<Spec> other_specs(const Spec& claimed);

}  // namespace microstep
