#pragma once
// The value and the gradient of a loss by a tree of parameters.
#include "microstep/data/tree.hpp"
#include "microstep/grad/ops.hpp"

namespace microstep {

template <class A>
struct ValueAndGradient {
  typename A::Value value;
  Tree<typename A::Value> gradients;
};

/// The parameters as variables of the tape, leaf by leaf; a zero leaf is filled with 0, an absent one has no variable.
template <class A>
std::vector<Var> variables_of(Tape<A>& tape, const Tree<typename A::Value>& params) {
  std::vector<Var> variables(params.leaf_count());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Leaf& leaf = params.leaf(i);
    if (params.presence(i) == Presence::absent) continue;
    if (params.is_dense(i)) {
      variables[i] = tape.leaf(params.values(i), leaf.shape, leaf.dtype);
    } else {
      const std::vector<typename A::Value> zeros(static_cast<std::size_t>(leaf.size), A::constant(0));
      variables[i] = tape.leaf(zeros, leaf.shape, leaf.dtype);
    }
  }
  return variables;
}

/// loss: (Tape<A>&, std::span<const Var> params) -> Var of one element, built on the tape, which is cleared first and
/// keeps its memory. gradients gets params' layout and presence (dense where params are dense or zero), in place where
/// it already has the layout. Throws what the loss throws, and `grad.loss-not-scalar`.
template <class A, class Loss>
typename A::Value value_and_grad_into(Tape<A>& tape, const Loss& loss, const Tree<typename A::Value>& params,
                                      Tree<typename A::Value>& gradients) {
  tape.clear();
  const std::vector<Var> variables = variables_of(tape, params);
  const Var value = loss(tape, std::span<const Var>(variables));
  tape.backward(value);
  if (!gradients || gradients.layout_pointer() != params.layout_pointer())
    gradients = Tree<typename A::Value>(params.layout_pointer());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    gradients.mark(i, variables[i] ? Presence::dense : Presence::absent);
    if (variables[i]) std::ranges::copy(tape.cotangent(variables[i]), gradients.values(i).begin());
  }
  return tape.values(value)[0];
}

template <class A, class Loss>
ValueAndGradient<A> value_and_grad(Tape<A>& tape, const Loss& loss, const Tree<typename A::Value>& params) {
  ValueAndGradient<A> found;
  found.value = value_and_grad_into(tape, loss, params, found.gradients);
  return found;
}

}  // namespace microstep
