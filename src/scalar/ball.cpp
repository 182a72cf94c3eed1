#include "microstep/scalar/ball.hpp"

#include <algorithm>

namespace microstep {
namespace {

bool same_value(Wide a, Wide b) { return a == b || (wide::is_nan(a) && wide::is_nan(b)); }

constexpr double rounded_up = 1 + 0x1p-50;

}  // namespace

bool overlap(const Ball& a, const Ball& b) {
  if (a.radius == infinite_radius || b.radius == infinite_radius) return true;
  if (!wide::is_finite(a.value) || !wide::is_finite(b.value)) return same_value(a.value, b.value);
  return wide::abs(a.value - b.value) <= Wide(a.radius) + Wide(b.radius);
}

double share_of_radius(const Ball& ball, double x) {
  if (same_value(ball.value, Wide(x)) || ball.radius == infinite_radius) return 0;
  if (!wide::is_finite(ball.value) || !wide::is_finite(Wide(x)) || ball.radius == 0) return infinite_radius;
  return static_cast<double>(wide::abs(Wide(x) - ball.value) / Wide(ball.radius));
}

bool contains(const Ball& ball, double x) { return share_of_radius(ball, x) <= 1; }

Ball hull(const Ball& a, const Ball& b) {
  if (same_value(a.value, b.value)) return {a.value, std::max(a.radius, b.radius)};
  if (!wide::is_finite(a.value) || !wide::is_finite(b.value)) return {a.value, infinite_radius};
  Wide low = std::min(a.value - Wide(a.radius), b.value - Wide(b.radius));
  Wide high = std::max(a.value + Wide(a.radius), b.value + Wide(b.radius));
  return {(low + high) / 2, static_cast<double>((high - low) / 2) * rounded_up + 0x1p-1074};
}

}  // namespace microstep
