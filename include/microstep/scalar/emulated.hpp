#pragma once
// Any dtype in a carrier C: each operation is done in C and rounded to the dtype; exact while C has 2p+2 bits or more.
#include <bit>
#include <cmath>

#include "microstep/scalar/arithmetic.hpp"
#include "microstep/scalar/plain.hpp"

namespace microstep {

template <class C>
struct Emulated {
  using Value = C;
  using Number = double;
  static constexpr bool is_ball = false;
  Dtype dtype = Dtype::float64;
  HyperPrecision hyper_precision = HyperPrecision::float64;

  Emulated at(Dtype d) const { return {d, hyper_precision}; }
  static C load(double x) { return static_cast<C>(x); }
  static double number(C x) { return static_cast<double>(x); }
  static C constant(double x) { return static_cast<C>(x); }
  C rounded(C x) const {
    if constexpr (std::is_same_v<C, Wide>) return round_to(dtype, x);
    return static_cast<C>(round_to(dtype, static_cast<double>(x)));
  }
  C hyper(double x) const { return rounded(static_cast<C>(x)); }
  Decay<C> decay(double b) const {
    if (hyper_precision == HyperPrecision::leaf) return {hyper(b), subtract(1, hyper(b))};
    return {hyper(b), hyper(1.0 - b)};
  }
  C one_minus_power(double b, std::int64_t t) const {
    if (hyper_precision == HyperPrecision::leaf) return subtract(1, power(hyper(b), t));
    return hyper(static_cast<double>(Plain<double>{hyper_precision}.one_minus_power(b, t)));
  }

  C add(C a, C b) const { return rounded(a + b); }
  C subtract(C a, C b) const { return rounded(a - b); }
  C multiply(C a, C b) const { return rounded(a * b); }
  C divide(C a, C b) const { return rounded(a / b); }
  C multiply_add(C a, C b, C c) const { return dtype == Dtype::float64 ? std::fma(a, b, c) : fused(a * b, c); }
  static C negate(C a) { return -a; }
  static C absolute(C a) { return std::fabs(a); }
  C square(C a) const { return rounded(a * a); }
  C square_root(C a) const { return rounded(std::sqrt(a)); }
  C exp(C a) const { return rounded(std::exp(a)); }
  C log(C a) const { return rounded(std::log(a)); }
  C tanh(C a) const { return rounded(std::tanh(a)); }
  static C maximum(C a, C b) { return Plain<C>::maximum(a, b); }
  C cast(C a) const { return rounded(a); }
  C mean_step(C acc, C g, std::int64_t n) const { return add(acc, divide(subtract(g, acc), static_cast<C>(n))); }
  C lerp(C m, C g, const Decay<C>& d) const { return add(multiply(d.kept, m), multiply(d.taken, g)); }
  static Truth less(C a, C b) { return truth(a < b); }
  static Truth is_finite(C a) { return truth(std::isfinite(a)); }
  static C select(Truth which, C a, C b) { return which == Truth::yes ? a : b; }
  static C declared(C a) { return a; }
  Emulated branching() const { return *this; }

 private:
  // product: exact in the carrier. What the sum loses in it turns an even last bit odd, so that no tie of the dtype is
  // made up (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, IEEE Trans. Comput. 57, 2008).
  C fused(C product, C c) const {
    const C sum = product + c;
    const C of_c = sum - product, lost = (product - (sum - of_c)) + (c - of_c);
    if (!std::isfinite(sum) || lost == 0 || (std::bit_cast<std::uint64_t>(sum) & 1) != 0) return rounded(sum);
    return rounded(std::nextafter(sum, lost > 0 ? HUGE_VAL : -HUGE_VAL));
  }

  C power(C base, std::int64_t exponent) const {
    C result = 1;
    for (; exponent > 0; exponent >>= 1, base = multiply(base, base))
      if (exponent & 1) result = multiply(result, base);
    return result;
  }
};

}  // namespace microstep
