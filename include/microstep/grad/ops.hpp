#pragma once
// The operations a loss is made of. Each adds one node to the tape: a value and one pullback.
// Operands of different dtypes are first cast to their promotion (JAX's table), in a node of its own, and the result is
// rounded to it. Broadcasting is NumPy's; the gradient of an operand that was broadcast is summed over those axes.
// Zero-size axes are ordinary. A shape that does not fit throws `grad.shape`, an axis `grad.axis`.
// One struct a family, instantiated for Plain<float>, Plain<double>, Plain<Wide>, Emulated<double>, Balls<Wide>.
#include "microstep/grad/tape.hpp"

namespace microstep {

/// Axes counted from the front, or from the end if negative.
using Axes = std::vector<int>;

template <class A>
struct Elementwise {
  static Var cast(Tape<A>& tape, Var x, Dtype dtype);
  static Var add(Tape<A>& tape, Var a, Var b);
  static Var subtract(Tape<A>& tape, Var a, Var b);
  static Var multiply(Tape<A>& tape, Var a, Var b);
  static Var divide(Tape<A>& tape, Var a, Var b);
};

template <class A>
struct Functions {
  static Var negate(Tape<A>& tape, Var x);
  static Var square(Tape<A>& tape, Var x);
  static Var exp(Tape<A>& tape, Var x);
  static Var log(Tape<A>& tape, Var x);
  static Var tanh(Tape<A>& tape, Var x);
  static Var relu(Tape<A>& tape, Var x);
};

template <class A>
struct Tensors {
  static Var matmul(Tape<A>& tape, Var a, Var b);
  static Var reshape(Tape<A>& tape, Var x, const Shape& shape);
  static Var sum(Tape<A>& tape, Var x, const Axes& axes, bool keepdims);
  static Var mean(Tape<A>& tape, Var x, const Axes& axes, bool keepdims);
};

template <class A>
struct Convolutions {
  static Var conv2d(Tape<A>& tape, Var x, Var w, std::int64_t padding);
};

template <class A>
struct Losses {
  static Var squared_errors(Tape<A>& tape, Var predictions, Var targets);
  static Var cross_entropies(Tape<A>& tape, Var logits, std::span<const std::int64_t> labels);
};

/// x stored in a leaf of that dtype; x itself if it has it.
template <class A>
Var cast(Tape<A>& tape, Var x, Dtype dtype) {
  return Elementwise<A>::cast(tape, x, dtype);
}
template <class A>
Var add(Tape<A>& tape, Var a, Var b) {
  return Elementwise<A>::add(tape, a, b);
}
template <class A>
Var subtract(Tape<A>& tape, Var a, Var b) {
  return Elementwise<A>::subtract(tape, a, b);
}
template <class A>
Var multiply(Tape<A>& tape, Var a, Var b) {
  return Elementwise<A>::multiply(tape, a, b);
}
template <class A>
Var divide(Tape<A>& tape, Var a, Var b) {
  return Elementwise<A>::divide(tape, a, b);
}

template <class A>
Var negate(Tape<A>& tape, Var x) {
  return Functions<A>::negate(tape, x);
}
template <class A>
Var square(Tape<A>& tape, Var x) {
  return Functions<A>::square(tape, x);
}
template <class A>
Var exp(Tape<A>& tape, Var x) {
  return Functions<A>::exp(tape, x);
}
template <class A>
Var log(Tape<A>& tape, Var x) {
  return Functions<A>::log(tape, x);
}
template <class A>
Var tanh(Tape<A>& tape, Var x) {
  return Functions<A>::tanh(tape, x);
}
/// max(x, 0); the derivative is selected, never multiplied: 1 above 0, else 0 (also at 0).
template <class A>
Var relu(Tape<A>& tape, Var x) {
  return Functions<A>::relu(tape, x);
}

/// [m, k] [k, n] -> [m, n], by the tape's policy.
template <class A>
Var matmul(Tape<A>& tape, Var a, Var b) {
  return Tensors<A>::matmul(tape, a, b);
}
/// Images [batch, in, height, width] by kernels [out, in, h, w] -> [batch, out, height + 2 padding - h + 1, ...],
/// stride 1, zeros as padding, by the tape's policy, backwards too. Throws `grad.shape`, `kernel.conv-shape`.
template <class A>
Var conv2d(Tape<A>& tape, Var x, Var w, std::int64_t padding = 0) {
  return Convolutions<A>::conv2d(tape, x, w, padding);
}
/// The same elements in row-major order. Throws `grad.shape` if their number differs.
template <class A>
Var reshape(Tape<A>& tape, Var x, const Shape& shape) {
  return Tensors<A>::reshape(tape, x, shape);
}
Axes all_axes(int rank);
/// Over the given axes, each left as 1 where keepdims; over none, x itself.
template <class A>
Var sum(Tape<A>& tape, Var x, const Axes& axes, bool keepdims = false) {
  return Tensors<A>::sum(tape, x, axes, keepdims);
}
template <class A>
Var sum(Tape<A>& tape, Var x) {
  return sum(tape, x, all_axes(tape.node(x).dimensions.rank));
}
/// The sum divided by the number of terms, which is not rounded to the dtype; 0/0 over no terms.
template <class A>
Var mean(Tape<A>& tape, Var x, const Axes& axes, bool keepdims = false) {
  return Tensors<A>::mean(tape, x, axes, keepdims);
}
template <class A>
Var mean(Tape<A>& tape, Var x) {
  return mean(tape, x, all_axes(tape.node(x).dimensions.rank));
}

/// predictions, targets: [batch, ...] of one shape -> [batch], the mean of (p - t)^2 over the other axes.
template <class A>
Var squared_errors(Tape<A>& tape, Var predictions, Var targets) {
  return Losses<A>::squared_errors(tape, predictions, targets);
}
/// The mean of squared_errors: [].
template <class A>
Var mean_squared_error(Tape<A>& tape, Var predictions, Var targets) {
  return mean(tape, squared_errors(tape, predictions, targets));
}
/// logits: [batch, classes], labels: batch integers in 0 to classes - 1 -> [batch], log sum exp(x) - x[label], formed
/// from x - max(x), so that no finite logits overflow. Throws `grad.label`.
template <class A>
Var softmax_cross_entropies(Tape<A>& tape, Var logits, std::span<const std::int64_t> labels) {
  return Losses<A>::cross_entropies(tape, logits, labels);
}
/// The mean of softmax_cross_entropies: [].
template <class A>
Var softmax_cross_entropy(Tape<A>& tape, Var logits, std::span<const std::int64_t> labels) {
  return mean(tape, softmax_cross_entropies(tape, logits, labels));
}

}  // namespace microstep
