#include "floor_case.hpp"

#include <algorithm>
#include <cmath>

#include "microstep/data/random.hpp"
#include "microstep/train/forward.hpp"
#include "microstep/train/model.hpp"

namespace microstep {
namespace {

double uniform(const Stream& stream, Dtype dtype, std::uint64_t which, std::uint64_t index) {
  const double x = static_cast<double>(stream.bits(which, index) >> 11) * 0x1p-52 - 1;
  return round_to(dtype, x);
}

// Inputs of one output of the layer that the leaf belongs to: those of the last weights before it.
double root_of_inputs(const Leaf& leaf) {
  std::int64_t inputs = 1;
  if (leaf.shape.size() == 2) inputs = leaf.shape[0];
  if (leaf.shape.size() == 4) inputs = leaf.size / leaf.shape[0];
  return std::exp2(std::round(std::log2(static_cast<double>(inputs)) / 2));
}

Tree<double> drawn_params(const Spec& model, Dtype dtype, std::uint64_t seed) {
  const Stream stream("init", seed);
  Tree<double> params(make_layout(model_leaves(model, dtype)));
  for (std::size_t i = 0; i < params.leaf_count(); ++i) {
    std::uint64_t index = 0;
    for (double& x : params.values(i)) x = uniform(stream, dtype, i, index++) / root_of_inputs(params.leaf(i));
  }
  return params;
}

std::int64_t row_size(const Tensor& tensor) {
  return tensor.shape[0] == 0 ? 0 : static_cast<std::int64_t>(tensor.values.size()) / tensor.shape[0];
}

Forward rows_of(const Forward& forward, std::int64_t first, std::int64_t count) {
  Forward part{forward.model, forward.params, {forward.inputs.dtype, forward.inputs.shape, {}}, forward.switches};
  part.inputs.shape[0] = count;
  const std::int64_t size = row_size(forward.inputs);
  const auto begin = forward.inputs.values.begin() + first * size;
  part.inputs.values.assign(begin, begin + count * size);
  return part;
}

Tree<double> params_of(const Layer& layer, Dtype dtype, const Tree<double>& all, std::size_t first) {
  Tree<double> params(make_layout(model_leaves(layer.spec, dtype)));
  for (std::size_t i = 0; i < layer.params; ++i) std::ranges::copy(all.values(first + i), params.values(i).begin());
  return params;
}

}  // namespace

Forward floor_case(const Spec& model, Dtype dtype, std::uint64_t seed, std::int64_t batch) {
  Forward forward{model, drawn_params(model, dtype, seed), {dtype, input_shape(model), {}}, {}};
  forward.inputs.shape.insert(forward.inputs.shape.begin(), batch);
  const Stream stream("data", seed);
  const std::int64_t size = element_count(input_shape(model));
  for (std::int64_t row = 0; row < batch; ++row)
    for (std::int64_t i = 0; i < size; ++i)
      forward.inputs.values.push_back(
          uniform(stream, dtype, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(i)));
  return forward;
}

Forward first_rows(const Forward& forward, std::int64_t count) {
  return rows_of(forward, 0, std::min(count, forward.inputs.shape[0]));
}

Forward one_row(const Forward& forward, std::int64_t row) { return rows_of(forward, row, 1); }

Shape due_shape(const Forward& forward) {
  Shape shape = output_shape(forward.model);
  shape.insert(shape.begin(), forward.inputs.shape[0]);
  return shape;
}

std::vector<Forward> layers_alone(const Forward& forward) {
  std::vector<Forward> alone;
  Tensor inputs = forward.inputs;
  std::size_t first = 0;
  for (const Layer& layer : layers_of(forward.model)) {
    alone.push_back({layer.spec, params_of(layer, inputs.dtype, forward.params, first), inputs, {}});
    inputs = exact_outputs(alone.back());
    first += layer.params;
  }
  return alone;
}

}  // namespace microstep
