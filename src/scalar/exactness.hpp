#pragma once
// Exact tests on Wide results: true only if the operation lost nothing, decided by counting bits, never by comparing
// rounded results alone (1/3*3 == 1 is true and proves nothing). Operands and results are finite.
#include <algorithm>
#include <cmath>
#include <limits>

#include "microstep/scalar/ball.hpp"

namespace microstep::exactness {

/// Covers the few roundings of an expression in double, and 2^-113 of the carrier beside any u >= 2^-53.
inline constexpr double rounded_up = 1 + 0x1p-49;
/// Its counterpart from below.
inline constexpr double rounded_down = 1 - 0x1p-49;
/// Covers underflows of such an expression: 16 smallest subnormals.
inline constexpr double smallest_radius = 0x1p-1070;

/// Bounds of |x| in double, from above and from below.
inline double upper(Wide x) { return wide::is_zero(x) ? 0.0 : wide::to_double(wide::abs(x)) * rounded_up + 0x1p-1074; }
/// Below |x| where it multiplies upper(x).
inline constexpr double lower_of_upper = 1 - 0x1p-47;
inline double lower(Wide x) {
  const double size = wide::to_double(wide::abs(x)) * rounded_down - 0x1p-1074;
  return std::clamp(size, 0.0, std::numeric_limits<double>::max());
}
/// |x| <= bound.
inline bool is_at_most(Wide x, double bound) {
  const double near = wide::to_double(wide::abs(x));
  return near == bound ? wide::abs(x) <= Wide(bound) : near < bound;
}

inline double upper(double x) { return x == 0 ? 0.0 : wide::abs(x) * rounded_up + 0x1p-1074; }
inline double lower(double x) {
  const double size = wide::abs(x) * rounded_down - 0x1p-1074;
  return std::clamp(size, 0.0, std::numeric_limits<double>::max());
}
inline bool is_at_most(double x, double bound) { return wide::abs(x) <= bound; }

/// Of normal x.
inline bool is_power_of_two(Wide x) {
  const wide::Bits bits = wide::bits_of(x);
  const int exponent = bits.biased_exponent();
  return (bits.high_fraction() | bits.low) == 0 && exponent != 0 && exponent != 0x7fff;
}
inline bool is_power_of_two(double x) { return is_power_of_two(wide::from_double(x)); }
bool sum_is_exact(Wide a, Wide b);
bool product_is_exact(Wide a, Wide b);
bool quotient_is_exact(Wide a, Wide b, Wide quotient);
bool root_is_exact(Wide a, Wide root);

// In double what an operation lost is itself a double, found without an error (Knuth's two-sum; a fused product), but
// where a product may be subnormal: there nothing is called exact.
inline bool sum_is_exact(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b) == 0;
}
inline bool is_far_from_subnormal(double product) { return wide::abs(product) >= 0x1p-960; }
inline bool product_is_exact(double a, double b) {
  const double product = a * b;
  return a == 0 || b == 0 || (is_far_from_subnormal(product) && std::fma(a, b, -product) == 0);
}
inline bool quotient_is_exact(double a, double b, double quotient) {
  return a == 0 || (is_far_from_subnormal(a) && std::fma(quotient, b, -a) == 0);
}
inline bool root_is_exact(double a, double root) {
  return a == 0 || (is_far_from_subnormal(a) && std::fma(root, root, -a) == 0);
}

template <class C>
bool is_exactly_nan(const BasicBall<C>& x) {
  return x.radius == 0 && wide::is_nan(x.value);
}
template <class C>
bool is_exactly_infinite(const BasicBall<C>& x) {
  return x.radius == 0 && !wide::is_finite(x.value) && !wide::is_nan(x.value);
}
/// Every value of the ball is finite: IEEE operations on them give NaN or infinity only where the result does.
template <class C>
bool is_bounded(const BasicBall<C>& x) {
  return wide::is_finite(x.value) && x.radius < infinite_radius;
}
template <class C>
bool is_exactly_zero(const BasicBall<C>& x) {
  return x.radius == 0 && wide::is_zero(x.value);
}
/// No value of the ball is 0.
template <class C>
bool excludes_zero(const BasicBall<C>& x) {
  if (x.radius == 0) return !wide::is_zero(x.value);
  return wide::is_finite(x.value) && lower(x.value) > x.radius;
}
/// The sum of the radii, no less.
template <class C>
C reach(const BasicBall<C>& a, const BasicBall<C>& b) {
  return (centre<C>(a.radius) + centre<C>(b.radius)) * C(rounded_up);
}
/// Every value of `a` lies below every value of `b`. For finite centres.
template <class C>
bool surely_below(const BasicBall<C>& a, const BasicBall<C>& b) {
  return b.value - a.value > reach(a, b);
}

}  // namespace microstep::exactness
