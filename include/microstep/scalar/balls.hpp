#pragma once
// Ball arithmetic with certified radii: every result that a faithful implementation in the dtype may give lies in the
// ball. Two modes: rounding (u of the dtype: is a float trace faithful?) and semantics (u = 2^-113, the largest value
// of the declared dtype: are two plans the same computation?). Rules, u = unit roundoff (Higham, Accuracy and Stability
// of Numerical Algorithms, 2nd ed., ch. 2 and 3; Rump, Fast and parallel interval arithmetic, BIT 39, 1999): add,
// subtract, multiply, square_root, square, cast 1u of the result; divide 2u (1u where division is declared true;
// multiplication by the reciprocal, and what a reciprocal out of the normal range loses); exp, log, tanh 8u; power
// max(4, 2t, 4+3|t ln b|)u, through expm1 where that is not small. A subnormal result adds the smallest subnormal, with
// flush-to-zero the smallest normal; there a subnormal operand may be read as 0 too. Beyond the largest value the
// radius is infinite. Nothing is added where the operands have radius 0 and every variant is exact in the dtype; a
// power that the dtype holds counts as exact (not so by exp(t log b)). A certain NaN stays certain; 0 times and 0 over
// a ball without 0 are 0; inf is certain where its sign is. mean_step: division, reciprocal and its fused sum. lerp:
// two products or one, fused or not. square_root cuts a ball that reaches below 0 at 0 (its operand is a mean of
// squares) unless its centre is negative.
#include "microstep/scalar/arithmetic.hpp"
#include "microstep/scalar/ball.hpp"

namespace microstep {

/// C: Wide, or for rounding in dtypes up to float32 double, whose own rounding is added in each operation.
template <class C>
class Balls {
 public:
  using Value = BasicBall<C>;
  using Number = Ball;
  static constexpr bool is_ball = true;
  /// What a centre in double loses by each operation; a Wide one loses too little to count beside a dtype's own u.
  static constexpr double carrier_unit = std::is_same_v<C, Wide> ? 0.0 : 0x1p-53;

  /// true_division: a quotient is an IEEE division (1u), never a product with a rounded reciprocal. running_mean: the
  /// mean of a window is acc + (g - acc)/n, never a sum that is divided, or of terms that are.
  static Balls rounding(Dtype dtype, HyperPrecision precision = HyperPrecision::undeclared, bool flushes = false,
                        bool true_division = false, bool running_mean = true) {
    return {dtype, precision, flushes, true_division, running_mean, false};
  }
  static Balls semantics(Dtype declared, bool running_mean = true) {
    return {declared, HyperPrecision::float64, false, true, running_mean, true};
  }

  Balls at(Dtype dtype) const { return {dtype, precision_, flushes_, true_division_, running_mean_, semantic_}; }
  Dtype dtype() const { return dtype_; }
  bool is_semantic() const { return std::is_same_v<C, Wide> && semantic_; }
  bool flushes() const { return flushes_; }
  bool running_mean() const { return running_mean_; }

  // For operations that kernels define.
  /// The unit roundoff of an operation; its centre is off by wide_unit_roundoff more.
  double unit() const { return is_semantic() ? wide_unit_roundoff : facts(dtype_).unit_roundoff + carrier_unit; }
  /// What one operation with a subnormal result may lose.
  double underflow() const { return flushes_ ? facts(dtype_).smallest_normal : facts(dtype_).smallest_subnormal; }
  /// An operand as hardware that flushes reads it: a subnormal may be 0.
  Value seen(const Value& x) const { return flushes_ ? seen_flushed(x) : x; }
  /// The exact result lies within `propagated` of the value and the implementation's within `local` of that; what a
  /// subnormal or too large result adds is added here.
  Value rounded(C value, double propagated, double local) const;

  static Value load(double x) { return {centre<C>(x), 0.0}; }
  static Ball number(const Value& x) { return {wide::widened(x.value), x.radius}; }
  static Value constant(double x) { return {centre<C>(x), 0.0}; }
  Value hyper(double x) const;
  Decay<Value> decay(double b) const;
  Value one_minus_power(double b, std::int64_t t) const;

  Value add(const Value& a, const Value& b) const;
  Value subtract(const Value& a, const Value& b) const { return add(a, negate(b)); }
  Value multiply(const Value& a, const Value& b) const;
  Value divide(const Value& a, const Value& b) const;
  Value multiply_add(const Value& a, const Value& b, const Value& c) const { return add(multiply(a, b), c); }
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
  Balls branching() const { return {dtype_, precision_, flushes_, true_division_, running_mean_, false}; }

 private:
  Balls(Dtype dtype, HyperPrecision precision, bool flushes, bool true_division, bool running_mean, bool semantic)
      : dtype_(dtype),
        precision_(precision),
        flushes_(flushes),
        true_division_(true_division),
        running_mean_(running_mean),
        semantic_(semantic) {}
  Value seen_flushed(const Value& x) const;
  bool holds(C value) const;
  Value rounded_of(C value, double size, double propagated, double local) const;
  Value finish(C value, double propagated, bool operation_exact, double units) const;
  bool reciprocal_agrees(C a, C b, C quotient) const;
  bool reciprocal_is_normal(const Value& b) const;
  double reciprocal_loss(const Value& a, const Value& b) const;
  Value finite_quotient(const Value& a, const Value& b, C value) const;
  bool contraction_agrees(C difference, std::int64_t n, C moved) const;
  double partial_loss(double part) const;
  double lerp_by_difference(const Value& m, const Value& g, const Decay<Value>& d, C value) const;
  Balls host(Dtype precision) const { return {precision, precision_, flushes_, true_division_, running_mean_, false}; }
  Value one_minus_power_in(double b, std::int64_t t, Dtype precision) const;
  template <class Formula>
  Value in_every(std::span<const Dtype> precisions, const Formula& formula) const;

  Dtype dtype_;
  HyperPrecision precision_;
  bool flushes_;
  bool true_division_;
  bool running_mean_;
  bool semantic_;
};

extern template class Balls<Wide>;
extern template class Balls<double>;

}  // namespace microstep
