#include "microstep/scalar/balls.hpp"

#include <algorithm>
#include <cmath>

#include "exactness.hpp"

namespace microstep {

using namespace exactness;

namespace {

Wide sqrt_of(Wide x) { return wide::sqrt(x); }
double sqrt_of(double x) { return std::sqrt(x); }

bool is_value_of(Dtype dtype, Wide x) { return is_representable(dtype, x); }
bool is_value_of(Dtype dtype, double x) { return round_to(dtype, x) == x || x != x; }

}  // namespace

template <class C>
auto Balls<C>::seen_flushed(const Value& x) const -> Value {
  double normal = facts(dtype_).smallest_normal;
  if (is_exactly_zero(x) || !is_bounded(x) || lower(x.value) - x.radius >= normal) return x;
  if (x.radius == 0 && wide::abs(x.value) >= normal) return x;
  return {x.value, std::min(std::max(x.radius, upper(x.value)), x.radius + normal)};
}

template <class C>
bool Balls<C>::holds(C value) const {
  const DtypeFacts& f = facts(dtype_);
  if (is_semantic()) return is_at_most(value, f.largest);
  return is_value_of(dtype_, value) && !(flushes_ && !wide::is_zero(value) && wide::abs(value) < f.smallest_normal);
}

template <class C>
auto Balls<C>::rounded(C value, double propagated, double local) const -> Value {
  return rounded_of(value, upper(value), propagated, local);
}

// size: upper(value).
template <class C>
inline auto Balls<C>::rounded_of(C value, double size, double propagated, double local) const -> Value {
  const DtypeFacts& f = facts(dtype_);
  double radius = (propagated + local) * rounded_up + smallest_radius;
  if (!is_semantic() && size * lower_of_upper - radius < f.smallest_normal) radius += underflow();
  return {value, size + radius <= f.largest ? radius : infinite_radius};
}

template <class C>
inline auto Balls<C>::finish(C value, double propagated, bool operation_exact, double units) const -> Value {
  if (propagated == 0 && operation_exact && holds(value)) return {value, 0.0};
  const double size = upper(value);
  return rounded_of(value, size, propagated, units * unit() * (size + propagated));
}

template <class C>
auto Balls<C>::add(const Value& a_given, const Value& b_given) const -> Value {
  Value a = seen(a_given), b = seen(b_given);
  C value = a.value + b.value;
  double propagated = a.radius + b.radius;
  if (is_exactly_nan(a) || is_exactly_nan(b)) return {value, 0.0};
  if (!wide::is_finite(value)) return {value, propagated < infinite_radius ? 0.0 : infinite_radius};
  return finish(value, propagated * rounded_up, propagated == 0 && sum_is_exact(a.value, b.value), 1);
}

template <class C>
auto Balls<C>::multiply(const Value& a_given, const Value& b_given) const -> Value {
  Value a = seen(a_given), b = seen(b_given);
  C value = a.value * b.value;
  if (a.radius == 0 && b.radius == 0) {
    if (!wide::is_finite(value)) return {value, 0.0};
    return finish(value, 0.0, product_is_exact(a.value, b.value), 1);
  }
  if (is_exactly_nan(a) || is_exactly_nan(b)) return {value, 0.0};
  if (is_bounded(a) && is_bounded(b)) {
    if (is_exactly_zero(a) || is_exactly_zero(b)) return {value, 0.0};
    double propagated = upper(a.value) * b.radius + upper(b.value) * a.radius + a.radius * b.radius;
    return finish(value, propagated * rounded_up + smallest_radius, false, 1);
  }
  bool certain = (is_exactly_infinite(a) && excludes_zero(b)) || (is_exactly_infinite(b) && excludes_zero(a));
  return {value, certain ? 0.0 : infinite_radius};
}

template <class C>
bool Balls<C>::reciprocal_agrees(C a, C b, C quotient) const {
  if (is_semantic() || true_division_) return true;
  if (const double inverse = 1 / wide::to_double(wide::abs(b)); is_power_of_two(b))  // a times it is the quotient
    if (inverse >= facts(dtype_).smallest_normal && inverse <= facts(dtype_).largest) return true;
  C reciprocal = round_to(dtype_, C(1) / b);
  return wide::is_finite(reciprocal) && holds(reciprocal) && round_to(dtype_, a * reciprocal) == quotient;
}

template <class C>
bool Balls<C>::reciprocal_is_normal(const Value& b) const {
  return is_semantic() || true_division_ ||
         (upper(b.value) + b.radius) * rounded_up * facts(dtype_).smallest_normal < 1;
}

// What multiplication by the reciprocal loses beyond 2u where 1/b lies below the normal range or beyond the largest.
template <class C>
double Balls<C>::reciprocal_loss(const Value& a, const Value& b) const {
  if (is_semantic() || true_division_) return 0;
  const DtypeFacts& f = facts(dtype_);
  if (!((lower(b.value) - b.radius) * f.largest >= rounded_up)) return infinite_radius;
  return reciprocal_is_normal(b) ? 0.0 : (upper(a.value) + a.radius) * underflow();
}

template <class C>
auto Balls<C>::finite_quotient(const Value& a, const Value& b, C value) const -> Value {
  bool exact = a.radius == 0 && b.radius == 0 && quotient_is_exact(a.value, b.value, value);
  if (exact && holds(value) && reciprocal_agrees(a.value, b.value, value)) return {value, 0.0};
  double size = lower(b.value) - b.radius, loss = reciprocal_loss(a, b);
  if (!(size > 0) || loss == infinite_radius) return {value, infinite_radius};
  if (is_exactly_zero(a)) return {value, 0.0};
  double propagated = 0;
  if (a.radius != 0 || b.radius != 0)
    propagated = (a.radius / size + upper(value) * (b.radius / size)) * rounded_up + smallest_radius;
  const double units = true_division_ ? 1 : 2;
  return rounded(value, propagated, units * unit() * (upper(value) + propagated) + loss);
}

template <class C>
auto Balls<C>::divide(const Value& a_given, const Value& b_given) const -> Value {
  Value a = seen(a_given), b = seen(b_given);
  C value = a.value / b.value;
  if (is_exactly_nan(a) || is_exactly_nan(b)) return {value, 0.0};
  if (is_bounded(a) && is_bounded(b) && excludes_zero(b)) return finite_quotient(a, b, value);
  if (is_exactly_infinite(a) && is_bounded(b) && excludes_zero(b)) {
    bool reciprocal_may_vanish = flushes_ && !reciprocal_is_normal(b);
    return {value, reciprocal_may_vanish ? infinite_radius : 0.0};
  }
  bool certain = (a.radius == 0 && b.radius == 0) || (is_bounded(a) && is_exactly_infinite(b));
  return {value, certain ? 0.0 : infinite_radius};
}

template <class C>
auto Balls<C>::square(const Value& a_given) const -> Value {
  Value a = seen(a_given);
  C value = a.value * a.value;
  if (!wide::is_finite(value)) return {value, a.radius == 0 ? 0.0 : infinite_radius};
  if (a.radius == 0) return finish(value, 0.0, product_is_exact(a.value, a.value), 1);
  double propagated = 2 * upper(a.value) * a.radius + a.radius * a.radius;
  return finish(value, propagated * rounded_up + smallest_radius, false, 1);
}

// A ball that reaches below 0 is cut there, and so is its root: what is added to it may exclude 0 again.
// Wide's own root is not correctly rounded: 2u of the carrier, which matter in semantics only.
template <class C>
auto Balls<C>::square_root(const Value& a_given) const -> Value {
  Value a = seen(a_given);
  C root = sqrt_of(a.value);
  double units = is_semantic() ? 2 : 1;
  if (!wide::is_finite(root)) return {root, a.radius == 0 ? 0.0 : infinite_radius};
  if (a.radius == 0) return finish(root, 0.0, root_is_exact(a.value, root), units);
  double low = lower(a.value) - a.radius;
  if (!(low > 0)) {  // all of [0, sqrt(value + radius)]
    const double half = std::sqrt(upper(a.value) + a.radius) / 2 * rounded_up;
    return finish(C(half), half, false, units);
  }
  double propagated = a.radius / (lower(root) + std::sqrt(low));
  return finish(root, propagated * rounded_up + smallest_radius, false, units);
}

template <class C>
auto Balls<C>::maximum(const Value& a, const Value& b) -> Value {
  if (wide::is_nan(a.value) || wide::is_nan(b.value)) {
    bool certain = is_exactly_nan(a) || is_exactly_nan(b);
    return {a.value + b.value, certain ? 0.0 : infinite_radius};
  }
  if (surely_below(b, a)) return a;
  if (surely_below(a, b)) return b;
  return {a.value < b.value ? b.value : a.value, std::max(a.radius, b.radius)};
}

template <class C>
auto Balls<C>::cast(const Value& a_given) const -> Value {
  if (!is_bounded(a_given)) return a_given;
  if (is_semantic()) {
    if (upper(a_given.value) + a_given.radius <= facts(dtype_).largest) return a_given;
    return holds(a_given.value) && a_given.radius == 0 ? a_given : Value{a_given.value, infinite_radius};
  }
  Value a = seen(a_given);
  return finish(a.value, a.radius, true, 1);
}

template <class C>
Truth Balls<C>::less(const Value& a_given, const Value& b_given) const {
  Value a = seen(a_given), b = seen(b_given);
  if (is_exactly_nan(a) || is_exactly_nan(b)) return Truth::no;
  if (!(a.radius < infinite_radius) || !(b.radius < infinite_radius)) return Truth::unsure;
  if (!wide::is_finite(a.value) || !wide::is_finite(b.value)) return truth(a.value < b.value);
  if (surely_below(a, b)) return Truth::yes;
  bool never = a.value - b.value >= reach(a, b);
  return never ? Truth::no : Truth::unsure;
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

// The value as an operation of the declared dtype would have left it.
template <class C>
auto Balls<C>::declared(const Value& a) const -> Value {
  if (!is_semantic() || !is_bounded(a)) return a;
  return rounding(dtype_).cast(a);
}

template class Balls<Wide>;
template class Balls<double>;

}  // namespace microstep
