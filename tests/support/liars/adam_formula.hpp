#pragma once
// Steps that Adam would take from its moments under other formulas than its own.
#include <cstdint>

namespace microstep::liars {

/// What a formula of Adam sees of one element.
template <class A>
struct Moment {
  using V = typename A::Value;
  const A& a;
  V mu, nu;
  double b1, b2, eps;
  /// Emitted steps, microsteps so far.
  std::int64_t t, micro;

  V corrected(const V& x, double b, std::int64_t time) const { return a.divide(x, a.one_minus_power(b, time)); }
  V over_root(const V& first, const V& second) const {
    return a.divide(first, a.add(a.square_root(second), a.hyper(eps)));
  }
};

template <class A>
struct Uncorrected {
  static auto step(const Moment<A>& m) { return m.over_root(m.mu, m.nu); }
};
template <class A>
struct FirstUncorrected {
  static auto step(const Moment<A>& m) { return m.over_root(m.mu, m.corrected(m.nu, m.b2, m.t)); }
};
template <class A>
struct InMicroTime {
  static auto step(const Moment<A>& m) {
    return m.over_root(m.corrected(m.mu, m.b1, m.micro), m.corrected(m.nu, m.b2, m.micro));
  }
};
template <class A>
struct FrozenTime {
  static auto step(const Moment<A>& m) { return m.over_root(m.corrected(m.mu, m.b1, 1), m.corrected(m.nu, m.b2, 1)); }
};
template <class A>
struct FromZero {
  static auto step(const Moment<A>& m) {
    return m.over_root(m.corrected(m.mu, m.b1, m.t - 1), m.corrected(m.nu, m.b2, m.t - 1));
  }
};
template <class A>
struct ComplementTwice {
  static auto step(const Moment<A>& m) {
    const auto power = m.a.subtract(A::constant(1), m.a.one_minus_power(m.b1, m.t));
    return m.over_root(m.a.divide(m.mu, power), m.corrected(m.nu, m.b2, m.t));
  }
};
template <class A>
struct EpsScaled {
  static auto step(const Moment<A>& m) {
    const auto root = m.a.square_root(m.a.one_minus_power(m.b2, m.t));
    const auto eps = m.a.divide(m.a.hyper(m.eps), root);
    return m.a.divide(m.corrected(m.mu, m.b1, m.t), m.a.add(m.a.square_root(m.corrected(m.nu, m.b2, m.t)), eps));
  }
};
template <class A>
struct EpsInside {
  static auto step(const Moment<A>& m) {
    return m.a.divide(m.corrected(m.mu, m.b1, m.t),
                      m.a.square_root(m.a.add(m.corrected(m.nu, m.b2, m.t), m.a.hyper(m.eps))));
  }
};
template <class A>
struct NoRoot {
  static auto step(const Moment<A>& m) {
    return m.a.divide(m.corrected(m.mu, m.b1, m.t), m.a.add(m.corrected(m.nu, m.b2, m.t), m.a.hyper(m.eps)));
  }
};
/// Adam's own, until an integer power of 0 goes wrong.
template <class A>
struct UpToCount63 {
  static auto step(const Moment<A>& m) {
    if (m.t > 63) return m.a.divide(m.a.subtract(m.mu, m.mu), A::constant(0));
    return m.over_root(m.corrected(m.mu, m.b1, m.t), m.corrected(m.nu, m.b2, m.t));
  }
};
template <class A>
struct NotANumber {
  static auto step(const Moment<A>& m) { return m.a.divide(m.a.subtract(m.mu, m.mu), A::constant(0)); }
};

}  // namespace microstep::liars
