#pragma once
// The hardware's own arithmetic, or Wide's: every operation is one IEEE operation.
#include <cmath>
#include <type_traits>

#include "microstep/scalar/arithmetic.hpp"
#include "microstep/scalar/ball.hpp"

namespace microstep {

template <class T>
struct Plain {
  using Value = T;
  using Number = std::conditional_t<std::is_same_v<T, Wide>, Ball, double>;
  static constexpr bool is_ball = false;
  HyperPrecision hyper_precision = HyperPrecision::float64;

  Plain at(Dtype) const { return *this; }
  static T load(double x) { return static_cast<T>(x); }
  static Number number(T x) {
    if constexpr (std::is_same_v<T, Wide>)
      return {x, 0.0};
    else
      return static_cast<double>(x);
  }
  static T constant(double x) { return static_cast<T>(x); }
  static T hyper(double x) { return static_cast<T>(x); }
  Decay<T> decay(double b) const {
    if (hyper_precision == HyperPrecision::leaf) return {hyper(b), T(1) - hyper(b)};
    if constexpr (std::is_same_v<T, Wide>) return {hyper(b), T(1) - T(b)};
    return {hyper(b), static_cast<T>(1.0 - b)};
  }
  T one_minus_power(double b, std::int64_t t) const {
    if constexpr (std::is_same_v<T, Wide>) return T(1) - power(T(b), t);
    if (hyper_precision == HyperPrecision::leaf) return T(1) - static_cast<T>(power(hyper(b), t));
    if (hyper_precision == HyperPrecision::float32) return static_cast<T>(1.0F - power(static_cast<float>(b), t));
    return static_cast<T>(1.0 - power(b, t));
  }

  static T add(T a, T b) { return a + b; }
  static T subtract(T a, T b) { return a - b; }
  static T multiply(T a, T b) { return a * b; }
  static T divide(T a, T b) { return a / b; }
  static T multiply_add(T a, T b, T c) {
    if constexpr (std::is_same_v<T, Wide>)
      return a * b + c;
    else
      return std::fma(a, b, c);
  }
  static T negate(T a) { return -a; }
  static T absolute(T a) { return a < 0 ? -a : a; }
  static T square(T a) { return a * a; }
  static T square_root(T a) {
    if constexpr (std::is_same_v<T, Wide>)
      return wide::sqrt(a);
    else
      return std::sqrt(a);
  }
  static T exp(T a) {
    if constexpr (std::is_same_v<T, Wide>)
      return wide::exp(a);
    else
      return std::exp(a);
  }
  static T log(T a) {
    if constexpr (std::is_same_v<T, Wide>)
      return wide::log(a);
    else
      return std::log(a);
  }
  static T tanh(T a) {
    if constexpr (std::is_same_v<T, Wide>)
      return wide::tanh(a);
    else
      return std::tanh(a);
  }
  static T maximum(T a, T b) { return a < b || b != b ? b : a; }
  static T cast(T a) { return a; }
  static T mean_step(T acc, T g, std::int64_t n) { return acc + (g - acc) / static_cast<T>(n); }
  static T lerp(T m, T g, const Decay<T>& d) { return d.kept * m + d.taken * g; }
  static Truth less(T a, T b) { return truth(a < b); }
  static Truth is_finite(T a) { return truth(a - a == 0); }
  static T select(Truth which, T a, T b) { return which == Truth::yes ? a : b; }
  static T declared(T a) { return a; }
  Plain branching() const { return *this; }

 private:
  template <class P>
  static P power(P base, std::int64_t exponent) {
    P result = 1;
    for (; exponent > 0; exponent >>= 1, base *= base)
      if (exponent & 1) result *= base;
    return result;
  }
};

}  // namespace microstep
