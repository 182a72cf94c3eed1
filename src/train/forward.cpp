#include "microstep/train/forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microstep/grad/value_and_grad.hpp"
#include "microstep/kernels/switches.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"
#include "microstep/train/model.hpp"

namespace microstep {
namespace {

void check_params(const Forward& forward) {
  const std::vector<Leaf> due = model_leaves(forward.model, forward.inputs.dtype);
  bool fits = due.size() == forward.params.leaf_count();
  for (std::size_t i = 0; fits && i < due.size(); ++i) {
    const Leaf& leaf = forward.params.leaf(i);
    fits = leaf.name == due[i].name && leaf.shape == due[i].shape && leaf.dtype == due[i].dtype &&
           forward.params.is_dense(i);
  }
  if (fits) return;
  std::vector<std::string> leaves;
  for (const Leaf& leaf : due) leaves.push_back(leaf.name + " " + to_string(leaf.shape));
  throw Error("forward.params", "the params are not those of " + to_string(forward.model), "/params",
              fmt::format("give {} in {}", fmt::join(leaves, ", "), to_string(forward.inputs.dtype)));
}

void check_inputs(const Forward& forward) {
  const Tensor& inputs = forward.inputs;
  const Shape example = input_shape(forward.model);
  const bool fits = inputs.shape.size() == example.size() + 1 &&
                    std::equal(example.begin(), example.end(), inputs.shape.begin() + 1) && inputs.shape[0] > 0;
  if (!fits)
    throw Error("forward.batch",
                fmt::format("inputs of shape {} for examples of {}", to_string(inputs.shape), to_string(example)),
                "/inputs", "give [batch, the shape of an example] with a batch of 1 or more");
}

void check_finite(std::span<const double> values, const std::string& place) {
  const auto wrong = std::ranges::find_if(values, [](double x) { return !std::isfinite(x); });
  if (wrong == values.end()) return;
  throw Error("forward.not-finite", fmt::format("{} stands at element {}", *wrong, wrong - values.begin()), place,
              "give finite numbers: which path ran would not show in others");
}

template <class A>
std::vector<typename A::Value> loaded(std::span<const double> values) {
  std::vector<typename A::Value> result(values.size());
  std::ranges::transform(values, result.begin(), A::load);
  return result;
}

// The outputs on the tape.
template <class A>
Var evaluated(Tape<A>& tape, const Forward& forward) {
  std::vector<Var> params;
  for (std::size_t i = 0; i < forward.params.leaf_count(); ++i) {
    const Leaf& leaf = forward.params.leaf(i);
    params.push_back(tape.constant(loaded<A>(forward.params.values(i)), leaf.shape, leaf.dtype));
  }
  const Tensor& in = forward.inputs;
  const Var inputs = tape.constant(loaded<A>(in.values), in.shape, in.dtype);
  return Model<A>(forward.model).forward(tape, params, inputs);
}

template <class A>
Outputs outputs_of(const A& arithmetic, const Forward& forward) {
  Tape<A> tape(arithmetic, policy_of(forward.switches));
  const Var out = evaluated(tape, forward);
  const auto values = tape.values(out);
  return {{forward.inputs.dtype, tape.shape(out), {values.begin(), values.end()}}, tape.ran().named()};
}

}  // namespace

void check(const Forward& forward) {
  if (forward.inputs.dtype == Dtype::tf32)
    throw Error("forward.dtype", "no leaf is of tf32", "/inputs/dtype", "switch matmul_inputs to tf32 in float32");
  check_inputs(forward);
  check_params(forward);
  check_finite(forward.inputs.values, "/inputs");
  for (std::size_t i = 0; i < forward.params.leaf_count(); ++i)
    check_finite(forward.params.values(i), "/params/" + forward.params.leaf(i).name);
}

Outputs forward(const Forward& forward) {
  check(forward);
  if (forward.inputs.dtype == Dtype::float32) return outputs_of(Plain<float>{}, forward);
  if (forward.inputs.dtype == Dtype::float64) return outputs_of(Plain<double>{}, forward);
  return outputs_of(Emulated<double>{forward.inputs.dtype}, forward);
}

std::vector<Ball> forward_balls(const Forward& forward, const KernelPolicy& policy) {
  check(forward);
  using A = Balls<Wide>;
  Tape<A> tape(A::rounding(forward.inputs.dtype), policy);
  const auto values = tape.values(evaluated(tape, forward));
  return {values.begin(), values.end()};
}

Tensor exact_outputs(const Forward& forward) {
  check(forward);
  Tape<Plain<Wide>> tape(Plain<Wide>{});
  const Var out = evaluated(tape, forward);
  Tensor outputs{forward.inputs.dtype, tape.shape(out), {}};
  for (const Wide& x : tape.values(out))
    outputs.values.push_back(static_cast<double>(round_to(forward.inputs.dtype, x)));
  return outputs;
}

}  // namespace microstep
