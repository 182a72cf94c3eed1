#pragma once
// Records a case on a tape of any arithmetic and reads value and gradient back.
#include "grad/cases.hpp"

namespace microstep::testing_grad {

using Points = std::vector<std::vector<double>>;

/// Values for every input of a case, the same at each call.
Points draw_inputs(const Case& c);
/// The cotangent of each element of the value: distinct, so that a swap of elements shows.
std::vector<double> weights(std::size_t count);

template <class A>
struct Result {
  std::vector<typename A::Value> value;
  std::vector<std::vector<typename A::Value>> gradient;
};

template <class A>
std::vector<typename A::Value> loaded(const std::vector<double>& x) {
  std::vector<typename A::Value> out;
  for (double value : x) out.push_back(A::load(value));
  return out;
}

template <class A>
std::vector<Var> leaves(Tape<A>& tape, const Case& c, const Points& points, Dtype dtype) {
  std::vector<Var> vars;
  for (std::size_t i = 0; i < points.size(); ++i)
    vars.push_back(tape.leaf(loaded<A>(points[i]), c.inputs[i].shape, dtype));
  return vars;
}

/// sum weights * v.
template <class A>
Var weighted(Tape<A>& tape, Var v) {
  const auto factors = loaded<A>(weights(tape.values(v).size()));
  return sum(tape, multiply(tape, v, tape.constant(factors, tape.shape(v), tape.dtype(v))));
}

/// Value and gradient of sum weights * value.
template <class A>
Result<A> evaluate(const A& arithmetic, const Case& c, const Points& points, Dtype dtype, KernelPolicy policy = {}) {
  Tape<A> tape(arithmetic, policy);
  const auto vars = leaves(tape, c, points, dtype);
  const Var value = c.recipe(tape, vars);
  const Var loss = weighted(tape, value);
  Result<A> result;
  result.value.assign(tape.values(value).begin(), tape.values(value).end());
  for (auto part : tape.gradient(loss, vars)) result.gradient.emplace_back(part.begin(), part.end());
  return result;
}

}  // namespace microstep::testing_grad
