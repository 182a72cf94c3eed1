#pragma once
// Ball arithmetic with certified radii: every result that a faithful implementation in the dtype may give lies in the
// ball. Two modes: rounding (u of the dtype: is a float trace faithful?) and semantics (u = 2^-113, the largest value of
// the declared dtype: are two plans the same computation?).
// Rules, u = unit roundoff (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., ch. 2 and 3; Rump, Fast
// and parallel interval arithmetic, BIT 39, 1999): add, subtract, multiply, square_root, square, cast 1u of the result;
// divide 2u (multiplication by the reciprocal); exp, log, tanh 8u; power max(4, 2t, 4+|t ln b|)u.
// A subnormal result adds the smallest subnormal, with flush-to-zero the smallest normal. Beyond the largest value the
// radius is infinite. Nothing is added where the operands have radius 0 and every variant is exact in the dtype.
#include "microstep/scalar/arithmetic.hpp"
#include "microstep/scalar/ball.hpp"

namespace microstep {

template <class C>
class Balls {
 public:
  using Value = BasicBall<C>;
  using Number = Ball;
  static constexpr bool is_ball = true;

  static Balls rounding(Dtype dtype, HyperPrecision precision = HyperPrecision::undeclared, bool flushes = false) {
    return {dtype, precision, flushes, false};
  }
  static Balls semantics(Dtype declared) { return {declared, HyperPrecision::float64, false, true}; }

  Balls at(Dtype dtype) const { return {dtype, precision_, flushes_, semantic_}; }
  Dtype dtype() const { return dtype_; }
  bool is_semantic() const { return semantic_; }
  bool flushes() const { return flushes_; }
  /// The unit roundoff of an operation, that of the centre included.
  double unit() const;
  /// The ball of a result that carries `propagated` from its operands and `local` of its own; underflow and overflow
  /// are added here. For operations that kernels define.
  Value rounded(C value, double propagated, double local) const;

  static Value load(double x) { return {C(x), 0.0}; }
  static Ball number(const Value& x) { return {Wide(x.value), x.radius}; }
  static Value constant(double x) { return {C(x), 0.0}; }
  Value hyper(double x) const;
  Decay<Value> decay(double b) const;
  Value one_minus_power(double b, std::int64_t t) const;

  Value add(const Value& a, const Value& b) const;
  Value subtract(const Value& a, const Value& b) const { return add(a, negate(b)); }
  Value multiply(const Value& a, const Value& b) const;
  Value divide(const Value& a, const Value& b) const;
  static Value negate(const Value& a) { return {-a.value, a.radius}; }
  static Value absolute(const Value& a) { return {a.value < 0 ? -a.value : a.value, a.radius}; }
  Value square(const Value& a) const;
  Value square_root(const Value& a) const;
  Value exp(const Value& a) const;
  Value log(const Value& a) const;
  Value tanh(const Value& a) const;
  static Value maximum(const Value& a, const Value& b);
  Value cast(const Value& a) const;
  Value mean_step(const Value& acc, const Value& g, std::int64_t n) const;
  Value lerp(const Value& m, const Value& g, const Decay<Value>& d) const;
  Truth less(const Value& a, const Value& b) const;
  Truth is_finite(const Value& a) const;
  static Value select(Truth which, const Value& a, const Value& b);
  Value declared(const Value& a) const;
  Balls branching() const { return {dtype_, precision_, flushes_, false}; }

 private:
  Balls(Dtype dtype, HyperPrecision precision, bool flushes, bool semantic)
      : dtype_(dtype), precision_(precision), flushes_(flushes), semantic_(semantic) {}
  bool holds_exactly(C value) const;
  bool fits(C value, bool operation_exact, double propagated) const;
  Value finish(C value, double propagated, bool operation_exact, double units) const;
  bool reciprocal_agrees(C a, C b, C quotient) const;
  Value one_minus_power_in(double b, std::int64_t t, Dtype precision) const;

  Dtype dtype_;
  HyperPrecision precision_;
  bool flushes_;
  bool semantic_;
};

extern template class Balls<Wide>;

}  // namespace microstep
