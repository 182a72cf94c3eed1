#include "microstep/kernels/conv.hpp"

#include <fmt/format.h>

#include "contribute.hpp"
#include "microstep/data/error.hpp"
#include "microstep/grad/ops.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

kernels::ConvShape conv_shape(const Dimensions& x, const Dimensions& w, std::int64_t pad_height,
                              std::int64_t pad_width) {
  return {x[0], x[1], x[2], x[3], w[0], w[2], w[3], pad_height, pad_width};
}

// The padding is what makes the output as large as it is.
template <class A>
kernels::ConvShape conv_shape(const Tape<A>& tape, const Node<A>& node) {
  const Dimensions &x = tape.node(node.operands[0]).dimensions, &w = tape.node(node.operands[1]).dimensions;
  return conv_shape(x, w, (node.dimensions[2] - x[2] + w[2] - 1) / 2, (node.dimensions[3] - x[3] + w[3] - 1) / 2);
}

template <class A>
void pull_conv2d(Tape<A>& tape, const Node<A>& node) {
  const Var x = node.operands[0], w = node.operands[1];
  const A arithmetic = tape.arithmetic(node.dtype);
  const kernels::ConvShape shape = conv_shape(tape, node);
  const auto* g = tape.cotangent_of(node);
  contribute(tape, x, tape.node(x).dimensions, [&](auto* place) {
    tape.ran().note(kernels::conv2d_input_gradient(arithmetic, tape.policy(), shape, g, tape.values(w).data(), place));
  });
  contribute(tape, w, tape.node(w).dimensions, [&](auto* place) {
    tape.ran().note(kernels::conv2d_weight_gradient(arithmetic, tape.policy(), shape, g, tape.values(x).data(), place));
  });
}

template <class A>
constexpr Operation<A> conv2d_operation{"conv2d", pull_conv2d<A>};

void require_images(const Dimensions& x, const Dimensions& w) {
  if (x.rank == 4 && w.rank == 4 && x[1] == w[1]) return;
  throw Error("grad.shape",
              fmt::format("conv2d of images {} by kernels {}", to_string(x.shape()), to_string(w.shape())), "conv2d",
              "give images [batch, in, height, width] and kernels [out, in, height, width]");
}

}  // namespace

template <class A>
Var Convolutions<A>::conv2d(Tape<A>& tape, Var x, Var w, std::int64_t padding) {
  require_images(tape.node(x).dimensions, tape.node(w).dimensions);
  const Dtype dtype = promote_operands(tape, x, w);
  const auto shape = conv_shape(tape.node(x).dimensions, tape.node(w).dimensions, padding, padding);
  check(shape);
  const Dimensions out = Shape{shape.batch, shape.out_channels, shape.out_height(), shape.out_width()};
  const Var result = tape.record(conv2d_operation<A>, {x, w}, out, dtype);
  tape.ran().note(kernels::conv2d(tape.arithmetic(dtype), tape.policy(), shape, tape.values(x).data(),
                                  tape.values(w).data(), tape.data(result)));
  return result;
}

template struct Convolutions<Plain<float>>;
template struct Convolutions<Plain<double>>;
template struct Convolutions<Plain<Wide>>;
template struct Convolutions<Emulated<double>>;
template struct Convolutions<Balls<Wide>>;

}  // namespace microstep
