#pragma once
// A ball: all values within radius of a centre. Also the number that contracts read: a plain value is a ball of radius
// 0.
#include <limits>
#include <type_traits>

#include "microstep/scalar/wide.hpp"

namespace microstep {

template <class C>
struct BasicBall {
  C value;
  double radius;
};
using Ball = BasicBall<Wide>;

/// A double as a centre.
template <class C>
C centre(double x) {
  if constexpr (std::is_same_v<C, Wide>)
    return wide::from_double(x);
  else
    return x;
}

inline constexpr double infinite_radius = std::numeric_limits<double>::infinity();

inline Ball exactly(double x) { return {wide::from_double(x), 0.0}; }

/// False only if no value can lie in both. NaN lies in a NaN ball; equal infinities overlap; -0 equals +0.
template <class C = Wide>
bool overlap(const BasicBall<C>& a, const BasicBall<C>& b);
/// |x - centre| / radius: 0 if x is the centre, infinity if it lies off a ball of radius 0; at most 1 inside the ball.
double share_of_radius(const Ball& ball, double x);
bool contains(const Ball& ball, double x);
/// The smallest ball around both.
template <class C = Wide>
BasicBall<C> hull(const BasicBall<C>& a, const BasicBall<C>& b);

}  // namespace microstep
