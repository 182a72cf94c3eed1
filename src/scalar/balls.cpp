#include "microstep/scalar/balls.hpp"

#include <algorithm>
#include <cmath>

namespace microstep {
namespace {

constexpr double rounded_up = 1 + 0x1p-49;
constexpr double smallest_radius = 0x1p-1074;

double magnitude(Wide x) { return static_cast<double>(wide::abs(x)) * rounded_up; }

bool sum_is_exact(Wide a, Wide b) {
  if (a == 0 || b == 0) return true;
  int top = std::max(wide::exponent_of(a), wide::exponent_of(b)) + 1;
  return top - std::min(wide::lowest_bit(a), wide::lowest_bit(b)) < wide_significand;
}

bool product_is_exact(Wide a, Wide b) {
  return wide::significant_bits(a) + wide::significant_bits(b) <= wide_significand;
}

bool quotient_is_exact(Wide a, Wide b, Wide quotient) { return product_is_exact(quotient, b) && quotient * b == a; }

// An operand that is not finite: exact operands and certain NaN give the IEEE result, all else may be anything.
template <class C>
BasicBall<C> not_finite(C value, bool certain) {
  return {value, certain ? 0.0 : infinite_radius};
}

}  // namespace

template <class C>
double Balls<C>::unit() const {
  return semantic_ ? wide_unit_roundoff : facts(dtype_).unit_roundoff + wide_unit_roundoff;
}

template <class C>
bool Balls<C>::holds_exactly(C value) const {
  if (semantic_) return true;
  return is_representable(dtype_, value) &&
         !(flushes_ && value != 0 && wide::abs(value) < facts(dtype_).smallest_normal);
}

template <class C>
bool Balls<C>::fits(C value, bool operation_exact, double propagated) const {
  return propagated == 0 && operation_exact && holds_exactly(value) && magnitude(value) <= facts(dtype_).largest * rounded_up;
}

template <class C>
auto Balls<C>::rounded(C value, double propagated, double local) const -> Value {
  if (!wide::is_finite(value)) return {value, infinite_radius};
  const DtypeFacts& f = facts(dtype_);
  double radius = (propagated + local) * rounded_up + smallest_radius;
  double size = magnitude(value);
  if (!semantic_ && size - radius < f.smallest_normal) radius += flushes_ ? f.smallest_normal : f.smallest_subnormal;
  if (!(size + radius <= f.largest)) radius = infinite_radius;
  return {value, radius};
}

template <class C>
auto Balls<C>::finish(C value, double propagated, bool operation_exact, double units) const -> Value {
  if (fits(value, operation_exact, propagated)) return {value, 0.0};
  return rounded(value, propagated, units * unit() * (magnitude(value) + propagated));
}

template <class C>
auto Balls<C>::hyper(double x) const -> Value {
  if (semantic_) return {C(x), 0.0};
  double error = std::fabs(round_to(dtype_, x) - x);
  return {C(x), error == 0 ? 0.0 : error * rounded_up};
}

template <class C>
auto Balls<C>::decay(double b) const -> Decay<Value> {
  Value kept = hyper(b);
  Value exact = {C(1) - C(b), 0.0};
  if (semantic_) return {kept, exact};
  Value in_double = Balls<C>::rounding(Dtype::float64).cast(exact);
  if (precision_ == HyperPrecision::float64) return {kept, cast(in_double)};
  Value in_leaf = subtract(constant(1), kept);
  return {kept, precision_ == HyperPrecision::leaf ? in_leaf : hull(in_leaf, cast(in_double))};
}

// t multiplications, or exp(t log b): both within max(4, 2t, 4+|t ln b|) u of b^t.
template <class C>
auto Balls<C>::one_minus_power_in(double b, std::int64_t t, Dtype precision) const -> Value {
  Balls in = rounding(precision);
  Value base = in.hyper(b);
  C power = 1;
  bool exact = true;
  for (std::int64_t i = 0; i < t && power != 0; ++i) {
    exact = exact && product_is_exact(power, C(b));
    power *= C(b);
  }
  double steps = static_cast<double>(t);
  double propagated = b == 0 ? 0.0 : steps * base.radius * magnitude(power) / std::fabs(b) * rounded_up;
  double units = std::max({4.0, 2 * steps, 4 + (b > 0 ? std::fabs(steps * std::log(b)) : 0.0)}) + steps * 0x1p-50;
  return in.subtract(constant(1), in.finish(power, propagated, exact, units));
}

template <class C>
auto Balls<C>::one_minus_power(double b, std::int64_t t) const -> Value {
  if (semantic_) {
    Balls wide_balls = *this;
    Value base = constant(b), power = constant(1);
    for (std::int64_t n = t; n > 0; n >>= 1, base = wide_balls.square(base))
      if (n & 1) power = multiply(power, base);
    return subtract(constant(1), power);
  }
  if (precision_ == HyperPrecision::float64) return cast(one_minus_power_in(b, t, Dtype::float64));
  if (precision_ == HyperPrecision::float32) return cast(one_minus_power_in(b, t, Dtype::float32));
  Value leaf = one_minus_power_in(b, t, dtype_);
  if (precision_ == HyperPrecision::leaf) return leaf;
  return hull(leaf, cast(one_minus_power_in(b, t, Dtype::float64)));
}

template <class C>
auto Balls<C>::add(const Value& a, const Value& b) const -> Value {
  C value = a.value + b.value;
  if (!wide::is_finite(value)) return not_finite(value, a.radius + b.radius < infinite_radius);
  double propagated = a.radius + b.radius;
  return finish(value, propagated, propagated == 0 && sum_is_exact(a.value, b.value), 1);
}

template <class C>
auto Balls<C>::multiply(const Value& a, const Value& b) const -> Value {
  C value = a.value * b.value;
  if (!wide::is_finite(value)) return not_finite(value, a.radius == 0 && b.radius == 0);
  double propagated = 0;
  if (a.radius != 0 || b.radius != 0)
    propagated = (magnitude(a.value) * b.radius + magnitude(b.value) * a.radius + a.radius * b.radius) * rounded_up + smallest_radius;
  if (propagated != propagated) propagated = infinite_radius;
  return finish(value, propagated, propagated == 0 && product_is_exact(a.value, b.value), 1);
}

template <class C>
bool Balls<C>::reciprocal_agrees(C a, C b, C quotient) const {
  if (semantic_) return true;
  return round_to(dtype_, a * round_to(dtype_, C(1) / b)) == quotient;
}

template <class C>
auto Balls<C>::divide(const Value& a, const Value& b) const -> Value {
  C value = a.value / b.value;
  if (a.radius == 0 && b.radius == 0) {
    if (!wide::is_finite(value)) return {value, 0.0};
    bool exact = quotient_is_exact(a.value, b.value, value) && reciprocal_agrees(a.value, b.value, value);
    return finish(value, 0.0, exact, 2);
  }
  double size = static_cast<double>(wide::abs(b.value)) / rounded_up;
  if (!(size > b.radius) || !wide::is_finite(value)) return {value, infinite_radius};
  double propagated = (a.radius + magnitude(value) * b.radius) / (size - b.radius) * rounded_up + smallest_radius;
  return finish(value, propagated, false, 2);
}

template <class C>
auto Balls<C>::square(const Value& a) const -> Value {
  C value = a.value * a.value;
  if (!wide::is_finite(value)) return not_finite(value, a.radius == 0);
  double propagated = a.radius == 0 ? 0.0 : (2 * magnitude(a.value) * a.radius + a.radius * a.radius) * rounded_up + smallest_radius;
  return finish(value, propagated, propagated == 0 && product_is_exact(a.value, a.value), 1);
}

template <class C>
auto Balls<C>::square_root(const Value& a) const -> Value {
  C root = wide::sqrt(a.value);
  if (a.radius == 0) {
    if (!wide::is_finite(root)) return {root, 0.0};
    return finish(root, 0.0, product_is_exact(root, root) && root * root == a.value, 1);
  }
  if (!wide::is_finite(root)) return {root, infinite_radius};
  double size = static_cast<double>(root) / rounded_up;
  double low = static_cast<double>(a.value) / rounded_up;
  double propagated = low > a.radius ? a.radius / (size + std::sqrt(low - a.radius) / rounded_up) : std::sqrt(a.radius + magnitude(a.value));
  return finish(root, propagated * rounded_up + smallest_radius, false, 1);
}

template <class C>
auto Balls<C>::exp(const Value& a) const -> Value {
  C value = wide::exp(a.value);
  if (!wide::is_finite(value)) return not_finite(value, a.radius == 0);
  double propagated = a.radius == 0 ? 0.0 : magnitude(value) * std::expm1(a.radius) * rounded_up + smallest_radius;
  return finish(value, propagated, a.value == 0 && a.radius == 0, 8);
}

template <class C>
auto Balls<C>::log(const Value& a) const -> Value {
  C value = wide::log(a.value);
  if (a.radius == 0 && !wide::is_finite(value)) return {value, 0.0};
  double low = static_cast<double>(a.value) / rounded_up - a.radius;
  if (!(low > 0) || !wide::is_finite(value)) return {value, infinite_radius};
  double propagated = a.radius == 0 ? 0.0 : a.radius / low * rounded_up + smallest_radius;
  return finish(value, propagated, a.value == 1 && a.radius == 0, 8);
}

template <class C>
auto Balls<C>::tanh(const Value& a) const -> Value {
  C value = wide::tanh(a.value);
  if (wide::is_nan(value)) return not_finite(value, a.radius == 0);
  return finish(value, a.radius, a.value == 0 && a.radius == 0, 8);
}

template <class C>
auto Balls<C>::maximum(const Value& a, const Value& b) -> Value {
  C value = a.value < b.value || wide::is_nan(b.value) ? b.value : a.value;
  if (!wide::is_finite(value)) return not_finite(value, a.radius == 0 && b.radius == 0);
  if (a.value - C(a.radius) >= b.value + C(b.radius)) return a;
  if (b.value - C(b.radius) >= a.value + C(a.radius)) return b;
  return {value, std::max(a.radius, b.radius)};
}

template <class C>
auto Balls<C>::cast(const Value& a) const -> Value {
  if (!wide::is_finite(a.value) || a.radius == infinite_radius) return a;
  return semantic_ ? a : finish(a.value, a.radius, true, 1);
}

// acc (1-1/n) + g/n: input radii pass once; the roundings of g-acc, of the quotient (2u) and of the sum are local.
template <class C>
auto Balls<C>::mean_step(const Value& acc, const Value& g, std::int64_t n) const -> Value {
  Balls exact_parts = *this;
  Value step = exact_parts.subtract({g.value, 0.0}, {acc.value, 0.0});
  Value part = exact_parts.divide(step, constant(static_cast<double>(n)));
  Value moved = exact_parts.add({acc.value, 0.0}, part);
  if (acc.radius == 0 && g.radius == 0) return moved;
  double share = 1.0 / static_cast<double>(n);
  double propagated = (acc.radius * (1 - share) + g.radius * share) * rounded_up + smallest_radius;
  if (!(propagated < infinite_radius) || !wide::is_finite(moved.value)) return add(acc, divide(subtract(g, acc), constant(static_cast<double>(n))));
  double local = moved.radius + 8 * unit() * (acc.radius + g.radius);
  return rounded(moved.value, propagated, local);
}

// b m + c g or m + c (g-m): b and c = 1-b carry their own radii; the larger local rounding of the two forms is taken.
template <class C>
auto Balls<C>::lerp(const Value& m, const Value& g, const Decay<Value>& d) const -> Value {
  Value two_products = add(multiply(d.kept, m), multiply(d.taken, g));
  if (semantic_ || two_products.radius == 0 || !(two_products.radius < infinite_radius)) return two_products;
  double difference = magnitude(g.value - m.value) + g.radius + m.radius;
  double c = magnitude(d.taken.value) + d.taken.radius;
  double one_product = 2 * unit() * c * difference + difference * d.taken.radius + m.radius * magnitude(d.kept.value) + g.radius * c;
  double result = unit() * (magnitude(two_products.value) + one_product);
  double radius = std::max(two_products.radius, (one_product + result) * (1 + 8 * unit()) * rounded_up + smallest_radius);
  return {two_products.value, radius};
}

template <class C>
Truth Balls<C>::less(const Value& a, const Value& b) const {
  if (!(a.radius < infinite_radius) || !(b.radius < infinite_radius)) return Truth::unsure;
  if (wide::is_nan(a.value) || wide::is_nan(b.value)) return Truth::no;
  if (a.value + C(a.radius) < b.value - C(b.radius)) return Truth::yes;
  return a.value - C(a.radius) >= b.value + C(b.radius) ? Truth::no : Truth::unsure;
}

template <class C>
Truth Balls<C>::is_finite(const Value& a) const {
  if (!(a.radius < infinite_radius)) return Truth::unsure;
  return truth(wide::is_finite(a.value));
}

template <class C>
auto Balls<C>::select(Truth which, const Value& a, const Value& b) -> Value {
  if (which == Truth::unsure) return hull(a, b);
  return which == Truth::yes ? a : b;
}

template <class C>
auto Balls<C>::declared(const Value& a) const -> Value {
  if (!semantic_ || (a.radius == 0 && is_representable(dtype_, a.value))) return a;
  return {a.value, std::max(a.radius, facts(dtype_).unit_roundoff * magnitude(a.value))};
}

template class Balls<Wide>;

}  // namespace microstep
