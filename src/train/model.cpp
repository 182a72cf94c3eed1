#include "microstep/train/model.hpp"

#include "microstep/grad/ops.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

template <class A>
Var activated(Tape<A>& tape, const Spec& layer, Var x) {
  if (layer.text("act") == "none") return x;
  return layer.text("act") == "relu" ? relu(tape, x) : tanh(tape, x);
}

template <class A>
Var linear(Tape<A>& tape, const Spec& layer, std::span<const Var> params, Var x) {
  return activated(tape, layer, add(tape, matmul(tape, x, params[0]), params[1]));
}

// The biases [out] lie along the channels of [batch, out, height, width].
template <class A>
Var convolution(Tape<A>& tape, const Spec& layer, std::span<const Var> params, Var x) {
  const Var bias = reshape(tape, params[1], {tape.shape(params[1])[0], 1, 1});
  const std::int64_t padding = (layer.integer("kernel") - 1) / 2;
  return activated(tape, layer, add(tape, conv2d(tape, x, params[0], padding), bias));
}

template <class A>
Var mean_pool(Tape<A>& tape, const Spec& /*layer*/, std::span<const Var> /*params*/, Var x) {
  return mean(tape, x, {2, 3});
}

template <class A>
struct LayerForward {
  std::string_view op;
  Var (*forward)(Tape<A>&, const Spec&, std::span<const Var>, Var);
};

template <class A>
constexpr LayerForward<A> layer_forwards[] = {
    {"linear", linear<A>}, {"conv2d", convolution<A>}, {"mean_pool", mean_pool<A>}};

}  // namespace

template <class A>
Var Model<A>::forward(Tape<A>& tape, std::span<const Var> params, Var inputs) const {
  Var x = inputs;
  for (const Layer& layer : layers_) {
    for (const LayerForward<A>& maker : layer_forwards<A>)
      if (maker.op == layer.spec.op) x = maker.forward(tape, layer.spec, params.first(layer.params), x);
    params = params.subspan(layer.params);
  }
  return x;
}

template class Model<Plain<float>>;
template class Model<Plain<double>>;
template class Model<Plain<Wide>>;
template class Model<Emulated<double>>;
template class Model<Balls<Wide>>;

}  // namespace microstep
