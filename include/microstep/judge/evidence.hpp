#pragma once
// All that contracts may look at: plain values. A float trace and a run over balls are judged by the same contracts.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/data/semantics.hpp"
#include "microstep/data/trace.hpp"

namespace microstep {

struct Evidence {
  const Experiment* experiment = nullptr;
  /// What the producer showed; a float trace has radius 0 everywhere.
  std::map<Role, Envelope> observed;
  /// Row t: the step of the plan's spec from the observed row t-1 on the observed gradients of row t, as balls; from
  /// the balls of row t-1 where observed hides or lacks something. Columns are the spec's. Row 0: the start that the
  /// plan declares.
  std::map<Role, Envelope> expected;
  /// The columns and counts that the plan's spec has, with their shapes and dtypes. Where it is missing, expected's are
  /// taken; needed only for roles that hide a part of their state.
  std::map<Role, SchemaPointer> declared;
  /// Roles that gave no trace: why.
  std::map<Role, std::string> skipped;
  std::map<Role, std::string> errored;
  /// Roles without one-step balls, because a branch of a step is not certain or a shape does not fit: why.
  std::map<Role, std::string> undecidable;
  /// The accumulated plan's windows (microsteps from 0) and which microsteps its skip rule left out.
  std::vector<std::vector<std::int64_t>> windows;
  std::vector<bool> skipped_microsteps;
  /// Of those by which multi_steps, in pre-order from 0; empty: by the outermost one that has a rule.
  std::vector<std::size_t> skipped_by;
  /// The producer's computation against the large batch, against itself with the microbatches of each window in another
  /// order, against itself without the microbatches that its rule skips: decided over balls.
  std::optional<Semantics> against_reference;
  std::optional<Semantics> against_permuted;
  std::optional<Semantics> against_clean;
  /// Where the accumulated trace first leaves the one-step balls of its spec: what was decided of the spec does not
  /// speak for it then. Empty where it does.
  std::string unfaithful;
  /// Why the accumulated trace, which hides state, does not tell how its windows are reduced. Empty where it does.
  std::string ambiguous;
  /// Numbers of the two traces of a same computation must be equal bit for bit (our own engine), not only up to
  /// rounding.
  bool bitwise = true;
};

}  // namespace microstep
