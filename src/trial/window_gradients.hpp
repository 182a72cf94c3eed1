#pragma once
// The gradients of a window, reduced as its accumulator does, beside the gradient of the large batch.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "microstep/bound/semantics.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {

/// none: within the rounding of the reduction. told: further apart, but each known fault of a window would be further
/// by more than twice as much, so that it is none of them. fault: what that fault gives is as much nearer. blind:
/// neither.
enum class Gap { none, told, fault, blind, absent };

struct LeafGap {
  Gap gap = Gap::none;
  /// The fault that it is, or cannot be told from.
  std::string cause, words;
  GradientGap largest;
  /// blind: all numbers are one factor apart.
  std::optional<double> factor;
};

/// What a known fault of a window would have given the optimizer.
struct KnownFault {
  std::string cause, words;
  std::function<Wide(std::size_t index)> value;
};

/// What the spec's accumulators alone make of the gradients.
Spec reduction_alone(const Spec& spec);

class WindowGradients {
 public:
  /// trace: the accumulated run. Throws Undecidable where a skip is not certain.
  WindowGradients(const Plan& plan, const Trace& trace, Windows windows);

  /// One a leaf of the params that has a gradient in either run; other: the large-batch run.
  std::vector<LeafGap> gaps(std::size_t window, const Trace& other) const;
  /// The reduced gradient; not dense where no microbatch of the window had one.
  Presence presence(std::size_t window, std::size_t leaf) const;
  Ball reduced(std::size_t window, std::size_t leaf, std::size_t index) const;

 private:
  std::vector<KnownFault> faults(std::size_t window, std::size_t leaf) const;
  void add_other_reductions(std::size_t window, std::size_t leaf, std::vector<KnownFault>& faults) const;
  void add_parts(std::size_t window, std::size_t leaf, std::vector<KnownFault>& faults) const;
  LeafGap gap_of(std::size_t window, std::size_t leaf, const Trace& other) const;
  /// Updates of the accumulators alone, with their column of each leaf.
  struct Reduced {
    Envelope rows;
    std::vector<std::size_t> columns;
  };
  Reduced reduced_under(const Spec& spec, const Envelope& rows) const;
  Ball reduced_by(const Reduced& by, std::size_t window, std::size_t leaf, std::size_t index) const;
  double gradient(std::int64_t microstep, std::size_t leaf, std::size_t index) const;
  std::vector<double> shares(std::size_t window) const;

  const Plan& plan_;
  const Trace& trace_;
  Windows windows_;
  /// Of each leaf in the trace; none for a leaf that never has a gradient.
  std::vector<std::optional<std::size_t>> gradients_;
  Reduced reduced_;
  struct Other {
    std::string cause, words;
    Reduced by;
  };
  std::vector<Other> others_;
};

}  // namespace microstep
