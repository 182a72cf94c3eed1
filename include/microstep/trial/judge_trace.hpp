#pragma once
// A trace that anyone's loop dumped, judged without the program that made it.
#include <optional>
#include <string>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/judge/faithful.hpp"
#include "microstep/judge/verdict.hpp"

namespace microstep {

/// What another spec says of the state that a trace shows: every step is that spec's; the same under the paths of that
/// spec, but for accumulators; or only what stands beside the state was held against it.
enum class ShownState { kept, renamed, left_out };

struct TraceJudgement {
  Plan plan;
  /// Is it the spec's, in its numbers and its form?
  Faithfulness faithful;
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
  /// The first place of the spec's state that the trace does not show; empty for none.
  std::string hidden;
  /// What in the spec has no effect, such as a mask that matches no leaf.
  std::vector<std::string> warnings;
};

/// What a trace hides is taken to start as its spec does and followed from there as balls. Where another reduction of
/// the window would show the same numbers, nothing is decided. text: a file of schema microstep/trace/1. spec: in place
/// of the one in the file. Throws json.*, spec.*, trace.no-spec where neither says one, trace.empty without a
/// microstep.
TraceJudgement judge_trace(const std::string& text, const std::string& source, const std::optional<Spec>& spec);

/// The specs that an unfaithful trace is held against: the claimed one with one known fault each.
std::vector<Spec> other_specs(const Spec& claimed);

}  // namespace microstep
