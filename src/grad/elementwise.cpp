#include <algorithm>

#include "contribute.hpp"
#include "microstep/grad/ops.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

template <class A>
void pull_cast(Tape<A>& tape, const Node<A>& node) {
  const Var x = node.operands[0];
  const A to = tape.arithmetic(tape.dtype(x));
  const auto* g = tape.cotangent_of(node);
  contribute(tape, x, node.dimensions, [&](auto* place) {
    for (std::int64_t i = 0; i < node.size; ++i) place[i] = to.cast(g[i]);
  });
}

template <class A>
void pass(Tape<A>& tape, const Node<A>& node, Var to) {
  contribute(tape, to, node.dimensions, [&](auto* place) { std::copy_n(tape.cotangent_of(node), node.size, place); });
}

/// Contributes f(cotangent, other) to an operand.
template <class A, class F>
void pull_with(Tape<A>& tape, const Node<A>& node, Var to, Var other, const F& f) {
  const Operand<typename A::Value> g{tape.cotangent_of(node), node.dimensions};
  contribute(tape, to, node.dimensions, [&](auto* place) { each(node.dimensions, g, operand(tape, other), place, f); });
}

template <class A>
void pull_add(Tape<A>& tape, const Node<A>& node) {
  pass(tape, node, node.operands[0]);
  pass(tape, node, node.operands[1]);
}

template <class A>
void pull_subtract(Tape<A>& tape, const Node<A>& node) {
  pass(tape, node, node.operands[0]);
  const auto* g = tape.cotangent_of(node);
  contribute(tape, node.operands[1], node.dimensions, [&](auto* place) {
    for (std::int64_t i = 0; i < node.size; ++i) place[i] = A::negate(g[i]);
  });
}

template <class A>
void pull_multiply(Tape<A>& tape, const Node<A>& node) {
  const A a = tape.arithmetic(node.dtype);
  const auto product = [&](const auto& g, const auto& other) { return a.multiply(g, other); };
  pull_with(tape, node, node.operands[0], node.operands[1], product);
  pull_with(tape, node, node.operands[1], node.operands[0], product);
}

// d(x/y)/dy = -(1/y) (x/y): the quotient is already there.
template <class A>
void pull_divide(Tape<A>& tape, const Node<A>& node) {
  const A a = tape.arithmetic(node.dtype);
  const auto quotient = [&](const auto& g, const auto& other) { return a.divide(g, other); };
  pull_with(tape, node, node.operands[0], node.operands[1], quotient);
  const Operand<typename A::Value> g{tape.cotangent_of(node), node.dimensions};
  contribute(tape, node.operands[1], node.dimensions, [&](auto* place) {
    each(node.dimensions, g, operand(tape, node.operands[1]), place, quotient);
    const auto* result = tape.saved(node.offset);
    for (std::int64_t i = 0; i < node.size; ++i) place[i] = A::negate(a.multiply(place[i], result[i]));
  });
}

/// Name and pullback of every operation of this family.
template <class A>
struct Table {
  static constexpr Operation<A> cast{"cast", pull_cast<A>};
  static constexpr Operation<A> add{"add", pull_add<A>};
  static constexpr Operation<A> subtract{"subtract", pull_subtract<A>};
  static constexpr Operation<A> multiply{"multiply", pull_multiply<A>};
  static constexpr Operation<A> divide{"divide", pull_divide<A>};
};

template <class A, class F>
Var binary(Tape<A>& tape, const Operation<A>& operation, Var x, Var y, const F& f) {
  const Dtype dtype = promote_operands(tape, x, y);
  const Dimensions out = broadcast(tape.node(x).dimensions, tape.node(y).dimensions, operation.name);
  const Var result = tape.record(operation, {x, y}, out, dtype);
  const A arithmetic = tape.arithmetic(dtype);
  each(out, operand(tape, x), operand(tape, y), tape.data(result),
       [&](const auto& a, const auto& b) { return f(arithmetic, a, b); });
  return result;
}

}  // namespace

template <class A>
Dtype promote_operands(Tape<A>& tape, Var& a, Var& b) {
  const Dtype dtype = promote(tape.dtype(a), tape.dtype(b));
  a = Elementwise<A>::cast(tape, a, dtype);
  b = Elementwise<A>::cast(tape, b, dtype);
  return dtype;
}

template <class A>
Var Elementwise<A>::cast(Tape<A>& tape, Var x, Dtype dtype) {
  if (tape.dtype(x) == dtype) return x;
  const Var result = tape.record(Table<A>::cast, {x, Var{}}, tape.node(x).dimensions, dtype);
  const A to = tape.arithmetic(dtype);
  std::ranges::transform(tape.values(x), tape.data(result), [&](const auto& value) { return to.cast(value); });
  return result;
}

template <class A>
Var Elementwise<A>::add(Tape<A>& tape, Var a, Var b) {
  return binary(tape, Table<A>::add, a, b, [](const A& in, const auto& x, const auto& y) { return in.add(x, y); });
}

template <class A>
Var Elementwise<A>::subtract(Tape<A>& tape, Var a, Var b) {
  return binary(tape, Table<A>::subtract, a, b,
                [](const A& in, const auto& x, const auto& y) { return in.subtract(x, y); });
}

template <class A>
Var Elementwise<A>::multiply(Tape<A>& tape, Var a, Var b) {
  return binary(tape, Table<A>::multiply, a, b,
                [](const A& in, const auto& x, const auto& y) { return in.multiply(x, y); });
}

template <class A>
Var Elementwise<A>::divide(Tape<A>& tape, Var a, Var b) {
  return binary(tape, Table<A>::divide, a, b,
                [](const A& in, const auto& x, const auto& y) { return in.divide(x, y); });
}

template Dtype promote_operands(Tape<Plain<float>>&, Var&, Var&);
template Dtype promote_operands(Tape<Plain<double>>&, Var&, Var&);
template Dtype promote_operands(Tape<Plain<Wide>>&, Var&, Var&);
template Dtype promote_operands(Tape<Emulated<double>>&, Var&, Var&);
template Dtype promote_operands(Tape<Balls<Wide>>&, Var&, Var&);
template struct Elementwise<Plain<float>>;
template struct Elementwise<Plain<double>>;
template struct Elementwise<Plain<Wide>>;
template struct Elementwise<Emulated<double>>;
template struct Elementwise<Balls<Wide>>;

}  // namespace microstep
