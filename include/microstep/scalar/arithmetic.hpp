#pragma once
// What every arithmetic offers, so that one kernel body serves plain floats, emulated dtypes and balls.
//
//   Value                       what a buffer holds
//   Number                      what a trace keeps of it: double, or Ball
//   at(dtype)                   the same arithmetic, operations rounding to that dtype
//   load(double)                a recorded number, exact
//   number(Value)               back to what a trace keeps
//   constant(double)            0, 1, k: exact in every dtype
//   hyper(double)               a hyper-parameter: the double that was parsed, rounded to the dtype
//   decay(b)                    b and 1-b as used by lerp; 1-b is formed in the hyper precision
//   one_minus_power(b, t)       1 - b^t, formed in the hyper precision, then cast to the dtype
//   add subtract multiply divide negate absolute square square_root exp log tanh maximum
//   multiply_add(a, b, c)       a b + c with one rounding (Wide: two); balls: fused or not
//   cast(Value)                 stored in a leaf of this dtype
//   mean_step(acc, g, n)        acc + (g - acc)/n
//   lerp(m, g, decay)           b m + (1-b) g
//   less(a, b), is_finite(a)    Truth: a branch may be unsure over balls
//   select(truth, a, b)         a if true, b if not, the hull of both where unsure
//   declared(Value)             semantics only: the centre, given u|x| of the dtype, to re-evaluate a branch
//   branching()                 semantics only: the arithmetic of the declared dtype in which a branch is evaluated
#include <cstdint>
#include <stdexcept>
#include <string>

#include "microstep/scalar/dtype.hpp"

namespace microstep {

enum class Truth : std::uint8_t { no, yes, unsure };

constexpr Truth truth(bool value) { return value ? Truth::yes : Truth::no; }
constexpr Truth negation(Truth value) { return value == Truth::unsure ? value : truth(value == Truth::no); }
constexpr Truth both(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::unsure;
}

/// Where 1-b and 1-b^t are formed before they are cast to the leaf's dtype. Undeclared: all of them
/// that are at least as wide as the leaf. float32 is meant for powers (Optax): 1-b is then formed in double or float32.
enum class HyperPrecision : std::uint8_t { undeclared, leaf, float32, float64 };

/// A branch that decides counters or control is not certain in the declared dtype; caught by bound and reported.
struct Undecidable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The answer of a certain branch. Throws Undecidable with `what` where it is unsure.
inline bool certain(Truth value, const std::string& what) {
  if (value == Truth::unsure) throw Undecidable(what);
  return value == Truth::yes;
}

/// x, computed in one dtype, stored in a leaf: of another dtype it is cast, and of the same it is what it is already.
template <class A, class V>
V stored(const A& leaf, const A& computed, const V& x) {
  if constexpr (A::is_ball)
    if (leaf.dtype() == computed.dtype()) return x;
  return leaf.cast(x);
}

/// b and 1-b in an arithmetic.
template <class Value>
struct Decay {
  Value kept;
  Value taken;
};

}  // namespace microstep
