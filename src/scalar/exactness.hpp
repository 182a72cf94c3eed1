#pragma once
// Exact tests on Wide results: true only if the operation lost nothing, decided by counting bits, never by comparing
// rounded results alone (1/3*3 == 1 is true and proves nothing). Operands and results are finite.
#include <algorithm>
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

/// Of normal x.
inline bool is_power_of_two(Wide x) {
  const wide::Bits bits = wide::bits_of(x);
  const int exponent = bits.biased_exponent();
  return (bits.high_fraction() | bits.low) == 0 && exponent != 0 && exponent != 0x7fff;
}
bool sum_is_exact(Wide a, Wide b);
bool product_is_exact(Wide a, Wide b);
bool quotient_is_exact(Wide a, Wide b, Wide quotient);
bool root_is_exact(Wide a, Wide root);

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
/// Every value of `a` lies below every value of `b`. For finite centres.
template <class C>
bool surely_below(const BasicBall<C>& a, const BasicBall<C>& b) {
  return b.value - a.value > (wide::from_double(a.radius) + wide::from_double(b.radius)) * C(rounded_up);
}

}  // namespace microstep::exactness
