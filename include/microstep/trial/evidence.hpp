#pragma once
// Gathers what contracts look at: the plans of an experiment, a producer's traces of them, one-step balls, decisions.
#include "microstep/bound/semantics.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/judge/evidence.hpp"

namespace microstep {

/// The plan as `accumulated` and what follows from it: `reference` (large_batch_of), `interrupted` after every
/// microstep, `permuted` (the microbatches of each window in reverse order), `single` (the reference's batches under k
/// = 1), and, where the skip rule leaves microbatches out, `clean` without them.
Experiment experiment_of(const std::string& id, const Plan& accumulated);

/// What is gathered besides the traces.
struct Gathering {
  /// One-step balls of the accumulated run, and where runs are not equal bit for bit of `single`; of other runs what
  /// their plans declare. False for contracts that need none.
  bool expected = true;
  /// The plan's spec against the reference, the permuted and the clean plan.
  bool decisions = true;
  /// The producer's computation where it is not the plan's spec: a planted fault over balls.
  BallTransformation transformation = nullptr;
  /// The producer's numbers for equal computations are equal bit for bit.
  bool bitwise = true;
};
/// The result refers to the experiment. Roles of the experiment without a trace are listed as skipped or errored.
Evidence gather(const Experiment& experiment, const Producer& producer, const Gathering& gathering = {});

/// Our own engine: run, with interruptions through bytes.
Answer own_run(const Plan& plan);

}  // namespace microstep
