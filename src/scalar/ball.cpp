#include "microstep/scalar/ball.hpp"

#include <algorithm>

#include "exactness.hpp"

namespace microstep {
template <class C>
bool overlap(const BasicBall<C>& a, const BasicBall<C>& b) {
  if (a.radius == 0 && b.radius == 0) return wide::same(a.value, b.value);
  if (a.radius == infinite_radius || b.radius == infinite_radius) return true;
  if (!wide::is_finite(a.value) || !wide::is_finite(b.value)) return wide::same(a.value, b.value);
  if (wide::same(a.value, b.value)) return true;
  const C gap = wide::abs(a.value - b.value);
  if (wide::to_double(gap) < a.radius + b.radius) return true;
  return gap <= exactness::reach(a, b);
}

double share_of_radius(const Ball& ball, double x) {
  if (wide::same(ball.value, Wide(x)) || ball.radius == infinite_radius) return 0;
  if (!wide::is_finite(ball.value) || !wide::is_finite(Wide(x)) || ball.radius == 0) return infinite_radius;
  return static_cast<double>(wide::abs(Wide(x) - ball.value) / Wide(ball.radius));
}

bool contains(const Ball& ball, double x) { return share_of_radius(ball, x) <= 1; }

// In double the ends are rounded, at most at the size of what they reach.
template <class C>
BasicBall<C> hull(const BasicBall<C>& a, const BasicBall<C>& b) {
  using namespace exactness;
  if (wide::same(a.value, b.value)) return {a.value, std::max(a.radius, b.radius)};
  if (!is_bounded(a) || !is_bounded(b)) return {a.value, infinite_radius};
  const C low = std::min(a.value - C(a.radius), b.value - C(b.radius));
  const C high = std::max(a.value + C(a.radius), b.value + C(b.radius));
  const C middle = (low + high) / 2;
  const double to_a = upper(middle - a.value) + a.radius, to_b = upper(middle - b.value) + b.radius;
  return {middle, std::max(to_a, to_b) * rounded_up + smallest_radius};
}

template bool overlap(const BasicBall<Wide>&, const BasicBall<Wide>&);
template bool overlap(const BasicBall<double>&, const BasicBall<double>&);
template BasicBall<Wide> hull(const BasicBall<Wide>&, const BasicBall<Wide>&);
template BasicBall<double> hull(const BasicBall<double>&, const BasicBall<double>&);

}  // namespace microstep
