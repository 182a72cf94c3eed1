#pragma once
// The only training loop. Accumulated and large-batch training are the same run on two plans.
#include <functional>

#include "microstep/data/trace.hpp"
#include "microstep/optim/transform.hpp"
#include "microstep/train/problem.hpp"

namespace microstep {

/// One run that is stepped from outside.
template <class A>
class Training {
 public:
  using V = typename A::Value;
  /// The plan must outlive the training. transformation: the plan's spec unless another is given (a planted fault).
  Training(const A& arithmetic, const Plan& plan, TransformationPointer<A> transformation = nullptr);

  /// The next microstep: gradient at the params, update, params + update. Throws std::out_of_range past the plan's end.
  void step();
  /// Microsteps done so far.
  std::int64_t microstep() const { return microstep_; }
  std::map<std::string, std::string> kernels() const { return problem_->kernels(); }
  bool done() const { return microstep_ == static_cast<std::int64_t>(plan_->batches.size()); }

  Tree<V> params;
  Tree<V> gradients;
  Tree<V> updates;
  State<V> state;
  V loss;

 private:
  A arithmetic_;
  const Plan* plan_;
  TransformationPointer<A> transformation_;
  std::unique_ptr<Problem<A>> problem_;
  std::int64_t microstep_ = 0;
};

/// w <- w + u on every dense leaf, in the promotion of the dtypes, cast to the param's. Source: optax.apply_updates.
template <class A>
void apply_updates(const A& arithmetic, Tree<typename A::Value>& params, const Tree<typename A::Value>& updates);

/// One update of the transformation, gradients in `updates`, added to the params. Large leaves of one dtype are moved
/// block by block where the transformation can, so that a block is still in the cache when the params need it.
template <class A>
void update_and_apply(const A& arithmetic, const GradientTransformation<A>& transformation,
                      Tree<typename A::Value>& params, Tree<typename A::Value>& updates,
                      State<typename A::Value>& state, const StepInput& input);

/// State through bytes into a fresh object, as after a crash; the caller brings it, since train knows no file format.
template <class A>
using Restore = std::function<State<typename A::Value>(const State<typename A::Value>&)>;

/// All microsteps, recorded. At the plan's interruptions the state goes through restore.
template <class A>
Rows<typename A::Number> run_recorded(const A& arithmetic, const Plan& plan,
                                      TransformationPointer<A> transformation = nullptr, Restore<A> restore = nullptr);

/// In the plan's own dtypes: hardware floats where all leaves have one dtype that the hardware has, else emulated.
Trace run(const Plan& plan);

/// True if params, gradients and accumulators are all of that dtype, so that the hardware's arithmetic is the plan's.
bool is_uniform(const Plan& plan, Dtype dtype);

}  // namespace microstep
