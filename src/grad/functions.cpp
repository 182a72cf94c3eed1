#include "contribute.hpp"
#include "microstep/grad/ops.hpp"
#include "microstep/kernels/elementwise.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

// A rule is value(arithmetic, x) and pull(arithmetic, g, x, y): g times the derivative, from operand x or result y.
struct Negate {
  static constexpr std::string_view name = "negate";
  template <class A, class V>
  static V value(const A& a, const V& x) {
    return a.negate(x);
  }
  template <class A, class V>
  static V pull(const A& a, const V& g, const V&, const V&) {
    return a.negate(g);
  }
};

struct Square {
  static constexpr std::string_view name = "square";
  template <class A, class V>
  static V value(const A& a, const V& x) {
    return a.square(x);
  }
  template <class A, class V>
  static V pull(const A& a, const V& g, const V& x, const V&) {
    return a.multiply(g, a.multiply(A::constant(2), x));
  }
};

struct Exp {
  static constexpr std::string_view name = "exp";
  template <class A, class V>
  static V value(const A& a, const V& x) {
    return a.exp(x);
  }
  template <class A, class V>
  static V pull(const A& a, const V& g, const V&, const V& y) {
    return a.multiply(g, y);
  }
};

struct Log {
  static constexpr std::string_view name = "log";
  template <class A, class V>
  static V value(const A& a, const V& x) {
    return a.log(x);
  }
  template <class A, class V>
  static V pull(const A& a, const V& g, const V& x, const V&) {
    return a.divide(g, x);
  }
};

struct Tanh {
  static constexpr std::string_view name = "tanh";
  template <class A, class V>
  static V pull(const A& a, const V& g, const V&, const V& y) {
    return a.multiply(g, a.subtract(A::constant(1), a.square(y)));
  }
};

// The branch is taken in the declared dtype: over semantic balls an operand too near to 0 gives the hull.
struct Relu {
  static constexpr std::string_view name = "relu";
  template <class A, class V>
  static V value(const A& a, const V& x) {
    return a.maximum(x, A::constant(0));
  }
  template <class A, class V>
  static V pull(const A& a, const V& g, const V& x, const V&) {
    return a.select(a.less(A::constant(0), a.declared(x)), g, A::constant(0));
  }
};

template <class A, class Rule>
void pull(Tape<A>& tape, const Node<A>& node) {
  const A a = tape.arithmetic(node.dtype);
  const auto* g = tape.cotangent_of(node);
  const auto* x = tape.values(node.operands[0]).data();
  const auto* y = tape.saved(node.offset);
  contribute(tape, node.operands[0], node.dimensions, [&](auto* place) {
    for (std::int64_t i = 0; i < node.size; ++i) place[i] = Rule::pull(a, g[i], x[i], y[i]);
  });
}

template <class A, class Rule>
Var record(Tape<A>& tape, Var x) {
  static constexpr Operation<A> operation{Rule::name, pull<A, Rule>};
  return tape.record(operation, {x, Var{}}, tape.node(x).dimensions, tape.dtype(x));
}

template <class A, class Rule>
Var apply(Tape<A>& tape, Var x) {
  const Var result = record<A, Rule>(tape, x);
  const A a = tape.arithmetic(tape.dtype(x));
  auto* to = tape.data(result);
  for (const auto& value : tape.values(x)) *to++ = Rule::value(a, value);
  return result;
}

}  // namespace

template <class A>
Var Functions<A>::negate(Tape<A>& tape, Var x) {
  return apply<A, Negate>(tape, x);
}

template <class A>
Var Functions<A>::square(Tape<A>& tape, Var x) {
  return apply<A, Square>(tape, x);
}

template <class A>
Var Functions<A>::exp(Tape<A>& tape, Var x) {
  return apply<A, Exp>(tape, x);
}

template <class A>
Var Functions<A>::log(Tape<A>& tape, Var x) {
  return apply<A, Log>(tape, x);
}

template <class A>
Var Functions<A>::tanh(Tape<A>& tape, Var x) {
  const Var result = record<A, Tanh>(tape, x);
  const auto in = tape.values(x);
  tape.ran().note(kernels::tanh(tape.arithmetic(tape.dtype(x)), tape.policy(), in, {tape.data(result), in.size()}));
  return result;
}

template <class A>
Var Functions<A>::relu(Tape<A>& tape, Var x) {
  return apply<A, Relu>(tape, x);
}

template struct Functions<Plain<float>>;
template struct Functions<Plain<double>>;
template struct Functions<Plain<Wide>>;
template struct Functions<Emulated<double>>;
template struct Functions<Balls<Wide>>;

}  // namespace microstep
