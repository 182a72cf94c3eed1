#pragma once
// The accumulators of a spec, and specs that accumulate as they do but for what has been repaired.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "microstep/data/spec.hpp"

namespace microstep {

bool holds_accumulator(const Spec& spec);
/// `mean`, `sum` or `weighted`; apply_every sums.
std::string reduction_of(const Spec& accumulator);
/// A chain of one is its link, a chain of none scale(1).
Spec chained(std::vector<Spec> links);
std::vector<Spec> links_of(const Spec& spec);
/// The same computation without chains directly in chains: chain is associative.
Spec flattened(const Spec& spec);

/// What makes one window of several microsteps.
struct Window {
  Value k;
  std::string reduce;
  /// multi_steps or empty: whose skip rule it has.
  const Spec* skips_as = nullptr;
  /// What is left at the end of the run comes out by its own length.
  bool flush = false;
};
Spec accumulated_over(const Spec& inner, const Window& window);

/// A link that runs beside an accumulator, in front of it or behind it.
struct Outside {
  Spec link;
  bool before;
};

/// One accumulator and what stands in its chain.
struct Level {
  Spec accumulator;
  std::vector<Outside> outside;
};

/// Accumulators within one another, from the outermost inwards.
struct Nest {
  std::vector<Level> levels;
  /// More than one in one chain: the first of them is the only level.
  bool side_by_side = false;
};
Nest nest_of(const Spec& spec);

/// The same nest over another inner, each accumulator with that reduction.
struct Kept {
  std::size_t level;
  Outside outside;
};
Spec nested_over(const Nest& nest, const Spec& inner, const std::vector<std::string>& reduce,
                 const std::optional<Kept>& kept = std::nullopt);

/// The accumulators of the spec in pre-order.
std::vector<const Spec*> accumulators_of(const Spec& spec);
/// The spec without the masks around accumulators.
Spec without_masks(Spec spec);
/// False where the same gradients give the same updates in each microstep.
bool has_state(const Spec& spec);
/// Only the accumulators, and masks, in their places, in pre-order with these reductions; the last one over `inner`,
/// the others over scale(1).
Spec skeleton_of(const Spec& spec, const std::vector<std::string>& reduce, const Spec& inner);

}  // namespace microstep
