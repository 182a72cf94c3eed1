#pragma once
// A second opinion on Wide and on balls in semantics mode: Boost.Multiprecision with 240 bits, independent of
// libquadmath.
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "microstep/scalar/ball.hpp"

namespace microstep {

using Real =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<240, boost::multiprecision::digit_base_2>,
                                  boost::multiprecision::et_off>;

/// Exact for finite values in the range of double: 113 bits are at most three doubles.
inline Real real(Wide x) {
  auto high = static_cast<double>(x);
  Wide rest = x - Wide(high);
  auto middle = static_cast<double>(rest);
  return Real(high) + Real(middle) + Real(static_cast<double>(rest - Wide(middle)));
}

inline bool holds(const Ball& ball, const Real& x) {
  if (ball.radius == infinite_radius) return true;
  return abs(x - real(ball.value)) <= Real(ball.radius);
}

}  // namespace microstep
