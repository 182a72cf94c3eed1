#pragma once
// From a spec and a problem to a whole plan: initial params, batches, and for replay the given gradients.
#include "microstep/data/plan.hpp"

namespace microstep {

/// What a plan is made of besides its spec and problem. Every field has its default here and nowhere else.
struct PlanOptions {
  /// Full windows of the accumulated run.
  std::int64_t windows = 3;
  /// Microsteps of a partial window behind them.
  std::int64_t partial = 0;
  /// Examples a microbatch; ragged: microbatch t has examples + t mod 2 of them.
  std::int64_t examples = 2;
  bool ragged = false;
  Dtype dtype = Dtype::float32;
  /// Dtype of the gradients; the params' if it is not given.
  std::optional<Dtype> gradient_dtype = std::nullopt;
  Loss loss = Loss::mean;
  HyperPrecision hyper_precision = HyperPrecision::float64;
  bool training = true;
  std::uint64_t seed = 1;
};

/// Throws plan.too-long (more than 100 000 microsteps), plan.option (windows or examples below 1, partial below 0).
Plan make_plan(const Spec& spec, const Spec& problem, const PlanOptions& options);

/// Leaves of a problem's params: w, b; for the mlp w0, b0, w1, ...; for replay w [2, 3], b [3], s [].
std::vector<Leaf> problem_leaves(const Spec& problem, Dtype dtype);

}  // namespace microstep
