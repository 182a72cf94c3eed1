#pragma once
// The links of a spec in the order in which a gradient meets them, and what its accumulators have made of it until
// there.
#include <optional>
#include <vector>

#include "microstep/data/spec.hpp"

namespace microstep {

/// A link that holds no accumulator.
struct Stage {
  Spec link;
  /// After so many microsteps all accumulators in front of it, or around it, are empty.
  double period;
  /// By so much those of them that take means divide together.
  double divisor;
};
struct Stages {
  std::vector<Stage> links;
  /// Of all accumulators.
  double divisor = 1;
};
/// Nothing where a length follows a schedule or a mask lies around an accumulator.
std::optional<Stages> stages_of(const Spec& spec);

}  // namespace microstep
