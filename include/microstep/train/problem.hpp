#pragma once
// What a run is trained on: gradients that are given, or a model with data from named random streams.
#include <memory>

#include "microstep/data/plan.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"
#include "microstep/scalar/plain.hpp"

namespace microstep {

template <class A>
class Problem {
 public:
  using V = typename A::Value;
  virtual ~Problem() = default;
  /// Loss and gradient of one batch at params: sum(w l)/sum(w) for the mean loss, sum(w l) for the sum loss. gradients
  /// has the plan's gradient layout and is overwritten; a leaf absent in every example of the batch is absent.
  virtual V loss_and_gradient(const A& arithmetic, const Tree<V>& params, const std::vector<std::int64_t>& batch,
                              Tree<V>& gradients) const = 0;
  /// Which float path each kernel took so far; empty where there are none.
  virtual std::map<std::string, std::string> kernels() const { return {}; }
};

/// The problem of a checked plan; keeps a reference to the plan. Throws spec.unknown-op.
template <class A>
std::unique_ptr<Problem<A>> make_problem(const A& arithmetic, const Plan& plan);

/// Sum of the weights of a batch: 1 an example of a trained problem, the given weight in replay.
double batch_weight(const Plan& plan, const std::vector<std::int64_t>& batch);

}  // namespace microstep
