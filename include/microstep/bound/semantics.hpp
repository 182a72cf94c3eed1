#pragma once
// Are these two plans the same computation on this input? Decided over balls with a binary128 centre, window by window.
#include <optional>
#include <span>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/data/semantics.hpp"
#include "microstep/optim/transform.hpp"
#include "microstep/scalar/balls.hpp"

namespace microstep {

using BallTransformation = TransformationPointer<Balls<Wide>>;

using Windows = std::vector<std::vector<std::int64_t>>;

/// What is compared with what. After a window judged same, params and paired state of both runs restart from the same
/// centres, the reference's, with radius 0.
struct Pairing {
  const Plan& accumulated;
  const Plan& reference;
  /// The accumulated run's windows, and the reference's (none given: one batch each). A run may have no window at all.
  Windows windows;
  std::optional<Windows> reference_windows = std::nullopt;
  /// In place of the accumulated, or the reference plan's spec: a planted fault.
  BallTransformation transformation = nullptr;
  BallTransformation reference_transformation = nullptr;
};

/// Throws plan.windows where the numbers of windows do not match.
Semantics decide(const Pairing& pairing);
/// The same for several counterparts of one accumulated run, which is run once: its plan, windows and transformation
/// are the first pairing's. The restarts are from the centres of the first counterpart that is still the same.
std::vector<Semantics> decide(std::span<const Pairing> pairings);

/// What skip rules left out of a run.
struct Skips {
  /// Per microstep whether one left it out; empty where no rule can skip.
  std::vector<bool> skipped;
  /// Per microstep that is left out by which multi_steps of the spec, in pre-order from 0; another number elsewhere.
  std::vector<std::size_t> by;
};
Skips skips_of(const Plan& plan);

/// Per microstep whether the plan's skip rule left it out, seen from a run over balls; empty where no rule can skip.
/// Throws Undecidable where a rule is not certain in the declared dtype, and plan.no-common-windows where a skip puts
/// accumulators out of step, so that windows() of it would not be the ends of this run's windows.
std::vector<bool> skipped_microsteps(const Plan& plan);

}  // namespace microstep
