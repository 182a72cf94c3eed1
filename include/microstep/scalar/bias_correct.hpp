#pragma once
// Adam's step from its moments: step (mu/c1) / (sqrt(nu/c2 + eps_root) + eps), c1 = 1-b1^t and c2 = 1-b2^t.
// A named operation: real libraries fold the corrections into the step size or into the root, and each form rounds
// elsewhere. Where the definition's own ball is narrower than their roundings may add up to (at most 9u: a division,
// its correction and its root twice), the ball is the hull of all forms; so it has radius 0 only where all are exact.
//   definition  step ((mu/c1) / (sqrt(nu/c2 + eps_root) + eps))          Optax
//   step size   (step/c1) mu / (sqrt(nu)/sqrt(c2) + eps)                 PyTorch; the product first or last
//   folded      (step sqrt(c2)/c1) mu / (sqrt(nu) + eps sqrt(c2))        Kingma and Ba, section 2, with their eps-hat
// Each operand stands in each form once, so that the hull adds no radius in trajectories.
#include <cmath>

#include "microstep/scalar/balls.hpp"

namespace microstep {

template <class V>
struct BiasCorrection {
  V c1, c2, eps, eps_root;
};

/// The forms of one step; has_step: false for the direction alone, as of a step of 1.
template <class A, bool has_step>
class BiasForms {
 public:
  using V = typename A::Value;
  BiasForms(const A& arithmetic, const BiasCorrection<V>& correction, const V& step)
      : a_(arithmetic), b_(correction), step_(step) {}

  V definition(const V& mu, const V& nu) const {
    return stepped(a_.divide(a_.divide(mu, b_.c1), a_.add(root(nu), b_.eps)));
  }

  /// all: the definition's ball.
  V hull_of_all(V all, const V& mu, const V& nu) const {
    const V size = a_.divide(step_, b_.c1);
    auto add = [&](const V& form) { all = around(all, form); };
    auto add_step_size = [&](const V& denominator) {
      add(a_.multiply(size, a_.divide(mu, denominator)));
      add(a_.divide(a_.multiply(size, mu), denominator));
    };
    add_step_size(a_.add(root(nu), b_.eps));
    if (!wide::is_zero(b_.eps_root.value)) return all;
    const V root_nu = a_.square_root(nu), root_c2 = a_.square_root(b_.c2);
    add_step_size(a_.add(a_.divide(root_nu, root_c2), b_.eps));
    const V folded = a_.divide(stepped(root_c2), b_.c1);
    add(a_.divide(a_.multiply(folded, mu), a_.add(root_nu, a_.multiply(b_.eps, root_c2))));
    return all;
  }

 private:
  // The hull of both about the first one's centre.
  static V around(const V& a, const V& b) {
    const V both = hull(a, b);
    if (wide::same(both.value, a.value) || !(both.radius < infinite_radius)) return both;
    const auto moved = static_cast<double>(wide::abs(both.value - a.value));
    return {a.value, (both.radius + moved) * (1 + 0x1p-50)};
  }

  V stepped(const V& x) const {
    if constexpr (has_step)
      return a_.multiply(step_, x);
    else
      return x;
  }
  V root(const V& nu) const { return a_.square_root(a_.add(a_.divide(nu, b_.c2), b_.eps_root)); }

  const A& a_;
  const BiasCorrection<V>& b_;
  const V& step_;
};

/// False only where each form's roundings fit into the definition's ball: it is no narrower than their sum, and nothing
/// on the way is near the ends of the dtype's range.
template <class C>
bool forms_may_stray(const Balls<C>& a, const BiasCorrection<BasicBall<C>>& correction, const BasicBall<C>& step,
                     const BasicBall<C>& mu, const BasicBall<C>& defined) {
  constexpr double most_roundings = 10;
  auto size = [](const BasicBall<C>& x) { return static_cast<double>(wide::abs(x.value)); };
  const double m = size(mu), u = size(defined), s = size(step), c = size(correction.c1);
  const DtypeFacts& f = facts(a.dtype());
  auto is_middling = [&](double x) { return x >= 4 * f.smallest_normal && x <= f.largest / 4; };
  const bool fits = mu.radius <= m / 2 && is_middling(m) && is_middling(m / c) && is_middling(m * s / c) &&
                    is_middling(u) && is_middling(u / s) && is_middling(u / s * c) &&
                    is_middling(s * std::sqrt(size(correction.c2)) / c);
  const double eps = size(correction.eps);
  return !fits || (eps != 0 && !is_middling(eps * c)) || !(defined.radius >= most_roundings * a.unit() * u);
}

/// (mu/c1) / (sqrt(nu/c2 + eps_root) + eps).
template <class A>
typename A::Value bias_correct(const A& a, const BiasCorrection<typename A::Value>& correction,
                               const typename A::Value& mu, const typename A::Value& nu) {
  const auto one = A::constant(1);
  const BiasForms<A, false> forms(a, correction, one);
  const auto defined = forms.definition(mu, nu);
  if constexpr (A::is_ball)
    if (!a.is_semantic() && forms_may_stray(a, correction, one, mu, defined)) return forms.hull_of_all(defined, mu, nu);
  return defined;
}

/// step times that.
template <class A>
typename A::Value bias_correct_step(const A& a, const BiasCorrection<typename A::Value>& correction,
                                    const typename A::Value& step, const typename A::Value& mu,
                                    const typename A::Value& nu) {
  const BiasForms<A, true> forms(a, correction, step);
  const auto defined = forms.definition(mu, nu);
  if constexpr (A::is_ball)
    if (!a.is_semantic() && forms_may_stray(a, correction, step, mu, defined))
      return forms.hull_of_all(defined, mu, nu);
  return defined;
}

}  // namespace microstep
