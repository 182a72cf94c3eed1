#pragma once
// The main job: is this accumulated run the same computation as large-batch training, where does it first differ, why,
// and which spec would be?
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/data/semantics.hpp"
#include "microstep/judge/rounding.hpp"
#include "microstep/train/setup.hpp"

namespace microstep {

struct CompareRequest {
  Spec spec;
  Spec problem;
  PlanOptions options;
  /// The reference's spec; the spec without its accumulators unless given.
  std::optional<Spec> against;
  /// Bytes that it may take; what the machine has left unless given.
  std::optional<double> memory = std::nullopt;
  /// Called after each of the runs and decisions, with how many are done and how many there are.
  std::function<void(std::size_t, std::size_t)> done = nullptr;
};

/// What the float run itself showed of one path: information, never a verdict.
struct LargestDifference {
  std::string path;
  std::int64_t window = 0;
  Shape shape;
  Dtype dtype = Dtype::float32;
  std::int64_t index = 0;
  double accumulated = 0;
  double reference = 0;
  double ulps = 0;
};

struct Comparison {
  Plan accumulated;
  Plan reference;
  std::vector<std::vector<std::int64_t>> windows;
  Semantics semantics;
  /// Of the accumulated float run against the balls of its own steps; semantic or undecidable where the plans are
  /// different or undecidable.
  Rounding rounding;
  std::vector<Verdict> contracts;
  /// Never empty when the plans differ.
  std::vector<std::string> causes;
  /// Verified to be the reference's computation, on this input.
  std::optional<Spec> equivalent;
  std::vector<LargestDifference> shown;
  /// Microsteps behind the last window, which the large batch has not: empty or one sentence.
  std::vector<std::string> left_over;
  /// What in the request has no effect, such as a mask that matches no leaf.
  std::vector<std::string> warnings;
};

/// Throws Error for a request that makes no plan; plan.too-large before anything of its size is allocated;
/// spec.no-accumulator where nothing accumulates and no --against is
/// given.
Comparison compare(const CompareRequest& request);

}  // namespace microstep
