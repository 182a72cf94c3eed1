#pragma once
// What hardware does in a dtype, as doubles: float and double natively, 16-bit types by rounding an exact or binary128
// result. Flushing machines read subnormal operands as 0 and write subnormal results as 0.
#include <cmath>

#include "microstep/scalar/dtype.hpp"

namespace microstep {

struct Machine {
  Dtype dtype = Dtype::float32;
  bool flushes = false;

  double flushed(double x) const {
    return flushes && std::fabs(x) < facts(dtype).smallest_normal ? std::copysign(0.0, x) : x;
  }
  double add(double a, double b) const {
    return apply([](auto x, auto y) { return x + y; }, a, b);
  }
  double subtract(double a, double b) const {
    return apply([](auto x, auto y) { return x - y; }, a, b);
  }
  double multiply(double a, double b) const {
    return apply([](auto x, auto y) { return x * y; }, a, b);
  }
  double divide(double a, double b) const {
    return apply([](auto x, auto y) { return x / y; }, a, b);
  }
  double square_root(double a) const {
    return apply([](auto x) { return std::sqrt(x); }, a);
  }
  double exp(double a) const {
    return apply([](auto x) { return std::exp(x); }, a);
  }
  double log(double a) const {
    return apply([](auto x) { return std::log(x); }, a);
  }
  double tanh(double a) const {
    return apply([](auto x) { return std::tanh(x); }, a);
  }
  double power(double a, double b) const {
    return apply([](auto x, auto y) { return std::pow(x, y); }, a, b);
  }
  double reciprocal(double a) const { return divide(1, a); }
  double cast(double x) const { return flushed(round_to(dtype, flushed(x))); }

  /// a b + c with one rounding.
  double fma(double a, double b, double c) const {
    if (dtype == Dtype::float64 || dtype == Dtype::float32)
      return apply([](auto x, auto y, auto z) { return std::fma(x, y, z); }, a, b, c);
    Wide exact = Wide(flushed(a)) * flushed(b) + flushed(c);
    return flushed(static_cast<double>(round_to(dtype, exact)));
  }

 private:
  template <class Operation, class... Operands>
  double apply(Operation operation, Operands... x) const {
    if (dtype == Dtype::float64) return flushed(operation(flushed(x)...));
    if (dtype == Dtype::float32) return flushed(operation(static_cast<float>(flushed(x))...));
    return flushed(round_to(dtype, operation(flushed(x)...)));
  }
};

}  // namespace microstep
