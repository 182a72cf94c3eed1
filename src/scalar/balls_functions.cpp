// exp, log and tanh over balls: 8u of the result, and the input's radius by the slope.
#include <algorithm>
#include <cmath>

#include "exactness.hpp"
#include "microstep/scalar/balls.hpp"

namespace microstep {

using namespace exactness;

namespace {

Wide exp_of(Wide x) { return wide::exp(x); }
Wide log_of(Wide x) { return wide::log(x); }
Wide tanh_of(Wide x) { return wide::tanh(x); }
double exp_of(double x) { return std::exp(x); }
double log_of(double x) { return std::log(x); }
double tanh_of(double x) { return std::tanh(x); }

}  // namespace

template <class C>
auto Balls<C>::exp(const Value& a_given) const -> Value {
  Value a = seen(a_given);
  C value = exp_of(a.value);
  if (a.radius == 0 && (!wide::is_finite(value) || !wide::is_finite(a.value))) return {value, 0.0};
  if (!wide::is_finite(value)) return {value, infinite_radius};
  double propagated = a.radius == 0 ? 0.0 : upper(value) * std::expm1(a.radius) * rounded_up + smallest_radius;
  return finish(value, propagated, a.value == 0, 8);
}

template <class C>
auto Balls<C>::log(const Value& a_given) const -> Value {
  Value a = seen(a_given);
  C value = log_of(a.value);
  if (a.radius == 0 && !wide::is_finite(value)) return {value, 0.0};
  double low = lower(a.value) - a.radius;
  if (!wide::is_finite(value) || (a.radius != 0 && !(low > 0))) return {value, infinite_radius};
  double propagated = a.radius == 0 ? 0.0 : a.radius / low * rounded_up + smallest_radius;
  return finish(value, propagated, a.value == 1, 8);
}

// The slope 1 - tanh^2 is taken where the ball comes nearest to 0.
template <class C>
auto Balls<C>::tanh(const Value& a_given) const -> Value {
  Value a = seen(a_given);
  C value = tanh_of(a.value);
  if (a.radius == 0 && !wide::is_finite(a.value)) return {value, 0.0};
  if (wide::is_nan(value)) return {value, infinite_radius};
  double least = std::tanh(std::max(lower(a.value) - a.radius, 0.0)) / rounded_up;
  double slope = (1 - least * least) * rounded_up;
  double propagated = a.radius == 0 ? 0.0 : slope * a.radius * rounded_up + smallest_radius;
  return finish(value, propagated, a.value == 0, 8);
}

template class Balls<Wide>;
template class Balls<double>;

}  // namespace microstep
