#include "microstep/scalar/ball.hpp"

#include <algorithm>

#include "exactness.hpp"

namespace microstep {
bool overlap(const Ball& a, const Ball& b) {
  if (a.radius == 0 && b.radius == 0) return wide::same(a.value, b.value);
  if (a.radius == infinite_radius || b.radius == infinite_radius) return true;
  if (!wide::is_finite(a.value) || !wide::is_finite(b.value)) return wide::same(a.value, b.value);
  if (wide::same(a.value, b.value)) return true;
  const Wide gap = wide::abs(a.value - b.value);
  const double near = wide::to_double(gap), reach = a.radius + b.radius;
  if (near < reach) return true;
  return gap <= (Wide(a.radius) + Wide(b.radius)) * Wide(exactness::rounded_up);
}

double share_of_radius(const Ball& ball, double x) {
  if (wide::same(ball.value, Wide(x)) || ball.radius == infinite_radius) return 0;
  if (!wide::is_finite(ball.value) || !wide::is_finite(Wide(x)) || ball.radius == 0) return infinite_radius;
  return static_cast<double>(wide::abs(Wide(x) - ball.value) / Wide(ball.radius));
}

bool contains(const Ball& ball, double x) { return share_of_radius(ball, x) <= 1; }

Ball hull(const Ball& a, const Ball& b) {
  if (wide::same(a.value, b.value)) return {a.value, std::max(a.radius, b.radius)};
  if (!exactness::is_bounded(a) || !exactness::is_bounded(b)) return {a.value, infinite_radius};
  Wide low = std::min(a.value - Wide(a.radius), b.value - Wide(b.radius));
  Wide high = std::max(a.value + Wide(a.radius), b.value + Wide(b.radius));
  Wide centre = (low + high) / 2;
  double to_a = exactness::upper(centre - a.value) + a.radius;
  double to_b = exactness::upper(centre - b.value) + b.radius;
  return {centre, std::max(to_a, to_b) * exactness::rounded_up + exactness::smallest_radius};
}

}  // namespace microstep
