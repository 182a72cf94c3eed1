#include <algorithm>
#include <numeric>

#include "axes.hpp"
#include "contribute.hpp"
#include "microstep/data/error.hpp"
#include "microstep/grad/ops.hpp"
#include "microstep/kernels/matmul.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

template <class A>
kernels::Matrix<typename A::Value> matrix(const Tape<A>& tape, Var v) {
  const Dimensions& d = tape.node(v).dimensions;
  return kernels::Matrix<typename A::Value>::row_major(tape.values(v).data(), d[0], d[1]);
}

template <class A>
void product(Tape<A>& tape, const A& arithmetic, const kernels::Matrix<typename A::Value>& a,
             const kernels::Matrix<typename A::Value>& b, typename A::Value* result) {
  tape.ran().note(kernels::matmul(arithmetic, tape.policy(), a, b, result));
}

template <class A>
void pull_matmul(Tape<A>& tape, const Node<A>& node) {
  const Var a = node.operands[0], b = node.operands[1];
  const A arithmetic = tape.arithmetic(node.dtype);
  const auto g =
      kernels::Matrix<typename A::Value>::row_major(tape.cotangent_of(node), node.dimensions[0], node.dimensions[1]);
  contribute(tape, a, tape.node(a).dimensions,
             [&](auto* place) { product(tape, arithmetic, g, matrix(tape, b).transposed(), place); });
  contribute(tape, b, tape.node(b).dimensions,
             [&](auto* place) { product(tape, arithmetic, matrix(tape, a).transposed(), g, place); });
}

template <class A>
void pull_reshape(Tape<A>& tape, const Node<A>& node) {
  const Var x = node.operands[0];
  contribute(tape, x, tape.node(x).dimensions,
             [&](auto* place) { std::copy_n(tape.cotangent_of(node), node.size, place); });
}

/// The number of terms of each sum.
std::int64_t term_count(const Dimensions& from, const Dimensions& kept) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < most_axes; ++i)
    if (from.sizes[i] != kept.sizes[i]) count *= from.sizes[i];
  return count;
}

template <class A>
typename A::Value number_of(std::int64_t count) {
  return A::constant(static_cast<double>(count));
}

/// Spreads f(cotangent) over the reduced axes.
template <class A, class F>
void spread(Tape<A>& tape, const Node<A>& node, const F& f) {
  const Var x = node.operands[0];
  const Dimensions& whole = tape.node(x).dimensions;
  const Operand<typename A::Value> g{tape.cotangent_of(node), node.kept};
  contribute(tape, x, whole,
             [&](auto* place) { each(whole, g, g, place, [&](const auto& value, const auto&) { return f(value); }); });
}

template <class A>
void pull_sum(Tape<A>& tape, const Node<A>& node) {
  spread(tape, node, [](const auto& g) { return g; });
}

template <class A>
void pull_mean(Tape<A>& tape, const Node<A>& node) {
  const A a = tape.arithmetic(node.dtype);
  const auto count = number_of<A>(term_count(tape.node(node.operands[0]).dimensions, node.kept));
  spread(tape, node, [&](const auto& g) { return a.divide(g, count); });
}

template <class A>
struct Table {
  static constexpr Operation<A> matmul{"matmul", pull_matmul<A>};
  static constexpr Operation<A> reshape{"reshape", pull_reshape<A>};
  static constexpr Operation<A> sum{"sum", pull_sum<A>};
  static constexpr Operation<A> mean{"mean", pull_mean<A>};
};

template <class A>
Var reduced(Tape<A>& tape, const Operation<A>& operation, Var x, const Axes& axes, bool keepdims) {
  const Dimensions from = tape.node(x).dimensions;
  const Dimensions kept = with_axes_kept(from, axes);
  const Var result = tape.record(operation, {x, Var{}}, keepdims ? kept : without_axes(from, axes), tape.dtype(x));
  tape.last().kept = kept;
  sum_over_axes(tape.arithmetic(tape.dtype(x)), tape.policy().reduction, from, kept, tape.values(x).data(),
                tape.data(result));
  return result;
}

void require_product(const Dimensions& a, const Dimensions& b) {
  if (a.rank == 2 && b.rank == 2 && a[1] == b[0]) return;
  throw Error("grad.shape", "matmul of shapes " + to_string(a.shape()) + " and " + to_string(b.shape()), "matmul",
              "multiply [m, k] by [k, n]");
}

}  // namespace

Axes all_axes(int rank) {
  Axes axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

template <class A>
Var Tensors<A>::matmul(Tape<A>& tape, Var a, Var b) {
  require_product(tape.node(a).dimensions, tape.node(b).dimensions);
  const Dtype dtype = promote_operands(tape, a, b);
  const Dimensions out = Shape{tape.node(a).dimensions[0], tape.node(b).dimensions[1]};
  const Var result = tape.record(Table<A>::matmul, {a, b}, out, dtype);
  product(tape, tape.arithmetic(dtype), matrix(tape, a), matrix(tape, b), tape.data(result));
  return result;
}

template <class A>
Var Tensors<A>::reshape(Tape<A>& tape, Var x, const Shape& shape) {
  const Dimensions to = shape;
  if (to.count() != tape.node(x).size) {
    throw Error("grad.shape", "reshape of " + to_string(tape.shape(x)) + " to " + to_string(shape), "reshape",
                "keep the number of elements");
  }
  const Var result = tape.record(Table<A>::reshape, {x, Var{}}, to, tape.dtype(x));
  std::ranges::copy(tape.values(x), tape.data(result));
  return result;
}

template <class A>
Var Tensors<A>::sum(Tape<A>& tape, Var x, const Axes& axes, bool keepdims) {
  return reduced(tape, Table<A>::sum, x, axes, keepdims);
}

template <class A>
Var Tensors<A>::mean(Tape<A>& tape, Var x, const Axes& axes, bool keepdims) {
  const Var result = reduced(tape, Table<A>::mean, x, axes, keepdims);
  const A a = tape.arithmetic(tape.dtype(x));
  const auto count = number_of<A>(term_count(tape.node(x).dimensions, tape.node(result).kept));
  auto* values = tape.data(result);
  for (std::int64_t i = 0; i < tape.node(result).size; ++i) values[i] = a.divide(values[i], count);
  return result;
}

template struct Tensors<Plain<float>>;
template struct Tensors<Plain<double>>;
template struct Tensors<Plain<Wide>>;
template struct Tensors<Emulated<double>>;
template struct Tensors<Balls<Wide>>;

}  // namespace microstep
