#pragma once
// Random replay plans: given gradients that can be told apart, in windows that may be partial.
#include <optional>

#include "microstep/data/plan.hpp"
#include "microstep/draw/specs.hpp"

namespace microstep {

/// dyadic: n/2^s, |n| < 128, s of the leaf's own; in every element the magnitudes of the first 127 given gradients
/// differ. well_scaled: full significands within four powers of two around a scale of the leaf's own.
enum class Numbers { dyadic, well_scaled, either };

/// Shares of the given numbers, each its own chance.
struct SpecialShares {
  double zero = 0;
  double negative_zero = 0;
  /// One to three times the smallest subnormal, or the smallest normal.
  double tiny = 0;
  /// The largest finite value or half of it.
  double huge = 0;
  double infinite = 0;
  double nan = 0;
};

struct PlanLimits {
  SpecLimits spec;
  /// Full windows: 1 to windows. Plans end after most_microsteps even where none is full.
  std::int64_t windows = 3;
  std::int64_t most_microsteps = 48;
  /// Half of the plans have microsteps of a window that does not fill.
  bool partial = true;
  /// Given gradients a microstep: 1 to examples, the same number and weight in the whole plan unless it is ragged.
  std::int64_t examples = 2;
  bool ragged = false;
  /// 1 to leaves leaves of rank 0 to rank with axes of 0 to extent (an empty leaf in one of eight), at most
  /// most_elements numbers each.
  std::int64_t leaves = 4;
  std::int64_t rank = 4;
  std::int64_t extent = 3;
  std::int64_t most_elements = 6;
  std::vector<Dtype> dtypes = {Dtype::float64, Dtype::float32, Dtype::bfloat16, Dtype::float16};
  /// A dtype a leaf, and other dtypes for a third of the gradients' leaves.
  bool mixed_dtypes = false;
  std::vector<HyperPrecision> precisions = {HyperPrecision::float64};
  Numbers numbers = Numbers::either;
  SpecialShares special;
  /// Share of the given gradients' leaves that are absent, at most 1/2; whole windows without a leaf are likely.
  double absent = 0;
  /// Share of the leaves that are absent in params and gradients.
  double frozen = 0;
  Loss loss = Loss::mean;
};

/// True if the plan keeps to what the limits say of choices, accumulators, k, loss, equal microbatches and numbers that
/// are not finite: so a law that holds for such plans only is not asked about a simpler one that is none.
bool is_within(const PlanLimits& limits, const Plan& plan);

/// A checked plan of a drawn spec, or of the given one.
Plan draw_plan(const Stream& stream, std::uint64_t which_case, const PlanLimits& limits,
               const std::optional<Spec>& spec = std::nullopt);

}  // namespace microstep
