#pragma once
// A number known to about 34 digits: a semantic ball, so that hand-derived formulas carry their own error bound.
#include <vector>

#include "microstep/scalar/balls.hpp"

namespace microstep::testing_grad {

inline const Balls<Wide> exact_arithmetic = Balls<Wide>::semantics(Dtype::float64);

struct Exact {
  Ball ball{0, 0.0};

  Exact() = default;
  Exact(double x) : ball{Wide(x), 0.0} {}
  explicit Exact(const Ball& b) : ball(b) {}

  friend Exact operator+(const Exact& a, const Exact& b) { return Exact(exact_arithmetic.add(a.ball, b.ball)); }
  friend Exact operator-(const Exact& a, const Exact& b) { return Exact(exact_arithmetic.subtract(a.ball, b.ball)); }
  friend Exact operator*(const Exact& a, const Exact& b) { return Exact(exact_arithmetic.multiply(a.ball, b.ball)); }
  friend Exact operator/(const Exact& a, const Exact& b) { return Exact(exact_arithmetic.divide(a.ball, b.ball)); }
  Exact operator-() const { return Exact(exact_arithmetic.negate(ball)); }
  Exact& operator+=(const Exact& b) { return *this = *this + b; }
};

inline Exact exponential(const Exact& x) { return Exact(exact_arithmetic.exp(x.ball)); }
inline Exact logarithm(const Exact& x) { return Exact(exact_arithmetic.log(x.ball)); }

using Numbers = std::vector<Exact>;

}  // namespace microstep::testing_grad
