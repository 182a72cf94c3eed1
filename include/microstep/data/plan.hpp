#pragma once
// Which training run: everything that it depends on. Nothing is left open, there is no hidden seed.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "microstep/data/error.hpp"
#include "microstep/data/spec.hpp"
#include "microstep/data/state.hpp"
#include "microstep/data/tree.hpp"
#include "microstep/scalar/arithmetic.hpp"

namespace microstep {

/// How the losses of the examples of one batch make the batch's loss.
enum class Loss : std::uint8_t { mean, sum };
constexpr std::string_view to_string(Loss loss) { return loss == Loss::mean ? "mean" : "sum"; }

/// One given gradient of a `replay` problem: of one example, or the mean gradient of a microbatch of `weight` examples
/// or tokens. Leaves may be absent. Shapes and names are the params', dtypes those of Plan::gradient_layout.
struct GivenGradient {
  Tree<double> gradient;
  double weight = 1;
};

struct Plan {
  Spec spec;
  /// `replay`, or a trained problem such as `mlp(3, 5, 2)`.
  Spec problem;
  /// Initial values, exact in their dtypes. Names, shapes and dtypes of the params are those of this tree's layout.
  Tree<double> params;
  /// Dtypes in which the gradients reach the optimizer (same names and shapes as params).
  LayoutPointer gradient_layout;
  /// replay only: the given gradients. A trained problem has as many examples as its batches name.
  std::vector<GivenGradient> given;
  /// Per microstep the indices of the given gradients, or of the examples, that it consists of. The gradient of a batch
  /// is sum(w g)/sum(w) for the mean loss and sum(w g) for the sum loss, w the weights (1 for an example).
  std::vector<std::vector<std::int64_t>> batches;
  Loss loss = Loss::mean;
  /// The microsteps (counted from 1) after which the state goes through bytes into a fresh object.
  std::vector<std::int64_t> interruptions;
  HyperPrecision hyper_precision = HyperPrecision::float64;
  /// The producer replaces subnormal results by zero.
  bool flushes_subnormals = false;
  /// Quotients are IEEE divisions, never products with a rounded reciprocal.
  bool true_division = true;
  /// The mean of a window is a running one, acc + (g - acc)/n, and no sum that is divided.
  bool running_mean = true;
  /// Train mode (true) or eval mode, explicit.
  bool training = true;
  /// Seed of the named random streams of a trained problem; unused by replay.
  std::uint64_t seed = 0;
  /// Float paths of a trained problem's kernels that are not the producer's own choice, as name and value; which there
  /// are, the producer knows.
  std::map<std::string, std::string> switches = {};
  /// Per microstep what a trace of this plan shows of its skips, for balls that leave them open. No part of the run;
  /// empty for none.
  std::vector<Passing> shown = {};
};

/// Throws Error (plan.*) where the plan contradicts itself: leaves that do not fit, a gradient of an absent param, an
/// index out of range, an empty batch, weights that are not positive and finite, an interruption outside the run.
void check(const Plan& plan);

/// The microsteps (counted from 0) consumed by each window: windows[i] = {first, ..., last}; the emission is on the
/// last. A window ends where every accumulator of the spec is empty again; a partial last window is listed only where
/// it is flushed, in the plan's last microstep. Skipped microbatches are left out: `skipped` says which, empty for
/// none. The outermost accumulator that has a skip rule left them out, and those around it have counted them.
std::vector<std::vector<std::int64_t>> windows(const Plan& plan, const std::vector<bool>& skipped = {});

/// The spec without its accumulators: apply_every is dropped, multi_steps replaced by its inner, a chain of one by its
/// link. A chain of no links, which cannot be written, is the identity.
Spec without_accumulators(const Spec& spec);

/// The reference plan: the spec without its accumulators, one batch a window with the same examples in the same order.
Plan large_batch_of(const Plan& plan, const std::vector<bool>& skipped = {});

enum class Role : std::uint8_t { accumulated, reference, interrupted, permuted, single, clean };
std::string_view to_string(Role role);
std::optional<Role> role_from_name(std::string_view name);

/// An id and the plans that are looked at together.
struct Experiment {
  std::string id;
  std::map<Role, Plan> plans;
};

}  // namespace microstep
