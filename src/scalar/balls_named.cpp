// The named operations of Balls: input radii pass once through the exact derivative, and the variants that real
// libraries use compete in the local rounding only.
#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>

#include "exactness.hpp"
#include "microstep/scalar/balls.hpp"

namespace microstep {

using namespace exactness;

namespace {

// Where a hyper-parameter's 1-b or 1-b^t may be formed for a leaf of the dtype.
std::span<const Dtype> precisions_of(HyperPrecision precision, Dtype leaf, bool of_power) {
  static constexpr Dtype widening[] = {Dtype::float64, Dtype::float32, Dtype::bfloat16, Dtype::float16, Dtype::tf32};
  const std::span<const Dtype> all = widening;
  switch (precision) {
    case HyperPrecision::leaf:
      return all.subspan(static_cast<std::size_t>(leaf), 1);
    case HyperPrecision::float64:
      return all.first(1);
    case HyperPrecision::float32:
      return of_power ? all.subspan(1, 1) : all.first(2);
    case HyperPrecision::undeclared:
      break;
  }
  return leaf == Dtype::float64 ? all.first(1) : all.first(2);
}

struct Power {
  Wide value;
  bool exact;
};

Power power_of(double base, std::int64_t exponent) {
  Power result{1, true};
  Power factor{base, true};
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) {
      result.exact = result.exact && factor.exact && product_is_exact(result.value, factor.value);
      result.value *= factor.value;
    }
    if (exponent > 1)
      factor = {factor.value * factor.value, factor.exact && product_is_exact(factor.value, factor.value)};
  }
  return result;
}

// Relative error of b^t in any precision of unit u, t itself rounded to it: t multiplications, or exp(t log b).
double power_error(double b, std::int64_t t, Dtype precision) {
  double steps = static_cast<double>(t), u = facts(precision).unit_roundoff;
  double logarithm = b > 0 ? std::fabs(std::log(b)) : 0.0;
  double error = u * std::max({4.0, 2 * steps, 4 + 3 * steps * logarithm});
  error += std::fabs(round_to(precision, steps) - steps) * logarithm;
  return error < 1 ? error : std::expm1(error);
}

}  // namespace

template <class C>
auto Balls<C>::hyper(double x) const -> Value {
  if (is_semantic() || !std::isfinite(x)) return constant(x);
  double error = std::fabs(round_to(dtype_, x) - x);
  return {centre<C>(x), error == 0 ? 0.0 : error * rounded_up};
}

template <class C>
template <class Formula>
auto Balls<C>::in_every(std::span<const Dtype> precisions, const Formula& formula) const -> Value {
  auto formed = [&](Dtype precision) {
    Value x = formula(host(precision));
    return precision == dtype_ ? x : cast(x);
  };
  Value result = formed(precisions.front());
  for (Dtype precision : precisions.subspan(1)) result = hull(result, formed(precision));
  return precision_ == HyperPrecision::undeclared ? hull(result, formed(dtype_)) : result;
}

template <class C>
auto Balls<C>::decay(double b) const -> Decay<Value> {
  Value kept = hyper(b);
  if (is_semantic()) return {kept, subtract(constant(1), kept)};
  auto taken = [b](const Balls& in) { return in.subtract(constant(1), in.hyper(b)); };
  return {kept, in_every(precisions_of(precision_, dtype_, false), taken)};
}

template <class C>
auto Balls<C>::one_minus_power_in(double b, std::int64_t t, Dtype precision) const -> Value {
  Balls in = host(precision);
  double radius = in.hyper(b).radius, farthest = std::fabs(b) + radius;
  Power power = power_of(b, t);
  double size = upper(power.value);
  const C value = static_cast<C>(power.value);
  if (radius == 0 && power.exact && is_representable(precision, power.value) && in.holds(value))
    return in.subtract(constant(1), {value, 0.0});
  double propagated = radius == 0 ? 0.0 : upper(power_of(farthest * rounded_up, t).value - wide::abs(power.value));
  double local = (power_error(b, t, precision) + carrier_unit) * (size + propagated);
  return in.subtract(constant(1), in.rounded(value, propagated, local));
}

template <class C>
auto Balls<C>::one_minus_power(double b, std::int64_t t) const -> Value {
  if (!is_semantic()) {
    auto formula = [&](const Balls& in) { return one_minus_power_in(b, t, in.dtype_); };
    return in_every(precisions_of(precision_, dtype_, true), formula);
  }
  Value base = constant(b), power = constant(1);
  for (std::int64_t n = t; n > 0; n >>= 1) {
    if (n & 1) power = multiply(power, base);
    if (n > 1) base = square(base);
  }
  return subtract(constant(1), power);
}

// a + d * fl(1/n), fused: the quotient d/n is exact, its product with the reciprocal rarely, and a cancellation shows
// it.
template <class C>
bool Balls<C>::contraction_agrees(C difference, std::int64_t n, C moved) const {
  if (is_semantic() || true_division_ || !wide::is_finite(moved)) return true;
  if (std::has_single_bit(static_cast<std::uint64_t>(n)) && n <= 1 << 14) return true;  // 1/n is normal in every dtype
  C excess = wide::abs(difference * round_to(dtype_, C(1) / C(n)) - difference / C(n));
  if (excess == 0) return true;
  if (moved == 0) return false;
  return excess < wide::power_of_two(wide::exponent_of(moved) - facts(dtype_).significand - 1);
}

// What an intermediate result of at most this size loses where it lies below the normal range.
template <class C>
double Balls<C>::partial_loss(double part) const {
  if (is_semantic()) return 0;
  return flushes_ ? 2 * underflow() : part < 4 * facts(dtype_).smallest_normal ? underflow() : 0.0;
}

// acc (1-1/n) + g/n: g-acc rounds once, the quotient once or twice (reciprocal), the sum once; n is cast to the dtype.
template <class C>
auto Balls<C>::mean_step(const Value& acc_given, const Value& g_given, std::int64_t n) const -> Value {
  Value acc = seen(acc_given), g = seen(g_given);
  double given = static_cast<double>(n);
  const bool exact = is_semantic() || n <= 256;  // in every dtype
  Value count = exact ? constant(given) : hyper(given);
  Value composed = add(acc, divide(subtract(g, acc), count));
  if (is_semantic() || !is_bounded(composed) || count.radius != 0) return composed;
  C difference = g.value - acc.value;
  if (composed.radius == 0 && contraction_agrees(difference, n, composed.value)) return composed;
  double part = (upper(difference) + acc.radius + g.radius) / given;
  double share = 1 / given;
  double propagated = (acc.radius * (1 - share) + g.radius * share) * rounded_up;
  double local = (true_division_ ? 2 : 3) * unit() * part + partial_loss(part) +
                 reciprocal_loss({difference, acc.radius + g.radius}, count);
  if (upper(difference) == 0 && propagated == 0) local = 0;
  return rounded(composed.value, propagated, local + unit() * (upper(composed.value) + propagated + local));
}

// The radius of m + c (g-m), products fused with the sum or not.
template <class C>
double Balls<C>::lerp_by_difference(const Value& m, const Value& g, const Decay<Value>& d, C value) const {
  double difference = upper(g.value - m.value) + m.radius + g.radius;
  double c = upper(d.taken.value) + d.taken.radius;
  double propagated = difference * d.taken.radius + m.radius * upper(d.kept.value) + g.radius * c;
  const double of_centre = carrier_unit * (upper(d.kept.value) * upper(m.value) + c * upper(g.value));
  double local = 2 * unit() * c * difference + partial_loss(c * difference) + of_centre;
  return rounded(value, propagated * rounded_up + smallest_radius, local + unit() * (upper(value) + propagated + local))
      .radius;
}

template <class C>
auto Balls<C>::lerp(const Value& m_given, const Value& g_given, const Decay<Value>& d) const -> Value {
  Value m = seen(m_given), g = seen(g_given);
  Value products = add(multiply(d.kept, m), multiply(d.taken, g));
  if (is_semantic()) return products;
  Value moved = add(m, multiply(d.taken, subtract(g, m)));
  bool same = products.value == moved.value || (is_exactly_nan(products) && is_exactly_nan(moved));
  if (products.radius == 0 && moved.radius == 0 && same) return products;
  if (!is_bounded(products) || !is_bounded(moved)) return {products.value, infinite_radius};
  return {products.value, std::max(products.radius, lerp_by_difference(m, g, d, products.value))};
}

template class Balls<Wide>;
template class Balls<double>;

}  // namespace microstep
