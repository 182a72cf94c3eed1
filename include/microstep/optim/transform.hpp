#pragma once
// An optimizer is a pair of functions and visible state. Sources: the definitions of Optax's functions of the same
// names.
#include <functional>
#include <memory>

#include "microstep/data/spec.hpp"
#include "microstep/data/state.hpp"
#include "microstep/data/tree.hpp"
#include "microstep/scalar/arithmetic.hpp"

namespace microstep {

/// Work on the elements [first, last) of a leaf.
using BlockWork = std::function<void(std::size_t leaf, std::size_t first, std::size_t last)>;

/// What a microstep is besides its gradients. weight: examples or tokens of the microbatch (read by reduce=weighted).
/// last: no microstep follows, so that a declared partial-window policy can act.
struct StepInput {
  double weight = 1;
  bool last = false;
  /// Done to each block of the gradients before it is read, and to each block of the updates that was written, while it
  /// is in the cache. Given only where works_in_blocks() or moves_in_blocks() says so and every leaf is dense.
  const BlockWork* before = nullptr;
  const BlockWork* after = nullptr;
  /// What a trace shows of this microstep, read where a skip rule is not certain over balls.
  const Passing* shown = nullptr;
};

/// A: the arithmetic. Trees: the same leaves as the params; a leaf's operations round to the promotion of the operands'
/// dtypes and are cast where they are stored.
template <class A>
class GradientTransformation {
 public:
  using Value = typename A::Value;
  virtual ~GradientTransformation() = default;

  /// The state before the first microstep; leaves that are absent in params are absent in its slots.
  virtual State<Value> init(const A& arithmetic, const Tree<Value>& params) const = 0;
  /// Gradients in, updates out, in place. An absent gradient leaf leaves its state as it is. A held microstep gives
  /// zero leaves. Throws Undecidable where a branch that decides control is not certain over balls.
  virtual void update(const A& arithmetic, Tree<Value>& updates, State<Value>& state, const Tree<Value>& params,
                      const StepInput& input) const = 0;
  /// True where every update goes through each leaf from its first element to its last and does a StepInput's work on
  /// the way.
  virtual bool works_in_blocks() const { return false; }
  /// The same of the next update alone, and of the work behind it.
  virtual bool moves_in_blocks(const State<Value>&) const { return works_in_blocks(); }
};

template <class A>
using TransformationPointer = std::shared_ptr<const GradientTransformation<A>>;

/// The transformation of a checked spec. Throws spec.unknown-op.
template <class A>
TransformationPointer<A> build(const Spec& spec);

}  // namespace microstep
