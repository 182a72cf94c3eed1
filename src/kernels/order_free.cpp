// Why n u sum |xy| also bounds a fused step: let s be the computed value of k products, S the sum of their magnitudes,
// |s - exact| <= k u S, and s' = round(s + p). As s is a value of the dtype, |s' - (s + p)| <= min(|p|, u |s + p|).
// If |p| <= u S the first bound gives k u S + u S. Otherwise k u S < k |p|, so u |s + p| <= u (S + |p| + k |p|), and
// the whole is at most (k+1) u (S + |p|).
#include <algorithm>
#include <limits>

#include "microstep/kernels/reduction.hpp"

namespace microstep::kernels {
namespace {

template <class C>
class OrderFree {
 public:
  OrderFree(const Balls<C>& arithmetic, const Reduction& reduction)
      : arithmetic_(arithmetic),
        facts_(facts(arithmetic.dtype())),
        least_roundings_(reduction.order == Order::kahan ? 3 : 0) {}

  void add(const BasicBall<C>& given) {
    const BasicBall<C> x = arithmetic_.seen(given);
    const int lowest = x.radius == 0 && is_plain(x.value) ? wide::lowest_bit(x.value) : 0;
    take(x.value, wide::abs(x.value), x.radius, lowest, x.radius < infinite_radius);
  }

  void add_product(const BasicBall<C>& given_x, const BasicBall<C>& given_y) {
    const BasicBall<C> x = arithmetic_.seen(given_x), y = arithmetic_.seen(given_y);
    if (x.radius == 0 && y.radius == 0) {
      const bool plain = is_plain(x.value) && is_plain(y.value);
      const C product = x.value * y.value;
      take(product, wide::abs(product), 0, plain ? wide::lowest_bit(x.value) + wide::lowest_bit(y.value) : 0, true);
    } else {
      const C a = wide::abs(x.value), b = wide::abs(y.value);
      const C radius = a * C(y.radius) + b * C(x.radius) + C(x.radius) * C(y.radius);
      const auto passed = radius != radius ? infinite_radius : static_cast<double>(radius) * (1 + 0x1p-50) + 0x1p-1074;
      take(x.value * y.value, a * b, passed, 0, false);
    }
    products_ = true;
  }

  BasicBall<C> result() const {
    const double roundings = this->roundings();
    const C reach = size_ * C(1 + roundings * unit());
    const bool overflows = !(reach <= C(facts_.largest));
    if (!wide::is_finite(value_)) return {value_, certain_ && !overflows ? 0.0 : infinite_radius};
    if (overflows || propagated_ == infinite_radius) return {value_, infinite_radius};
    if (on_one_grid()) return {value_, 0.0};
    const double local = roundings * unit() * static_cast<double>(size_) + underflow(roundings);
    return arithmetic_.rounded(value_, propagated_ * growth(), local * growth());
  }

 private:
  double unit() const { return arithmetic_.unit() + wide_unit_roundoff; }

  double roundings() const {
    const std::int64_t additions = std::max<std::int64_t>(terms_ - 1, 0);
    return static_cast<double>((terms_ < 3 ? additions : std::max(additions, least_roundings_)) + (products_ ? 1 : 0));
  }

  static bool is_plain(C x) { return x != 0 && wide::is_finite(x); }

  void take(C value, C size, double radius, int lowest, bool certain) {
    if (value == 0 && radius == 0) return;
    ++terms_;
    value_ += value;
    if (!wide::is_finite(value)) {
      certain_ = certain_ && certain;
      return;
    }
    if (radius == infinite_radius) certain_ = false;
    size_ += size + C(radius);
    propagated_ += radius;
    lowest_ = std::min(lowest_, lowest);
    if (size - C(radius) < C(facts_.smallest_normal)) ++tiny_;
  }

  bool on_one_grid() const {
    if (terms_ == 0) return true;
    if (propagated_ != 0) return false;
    const int significand = arithmetic_.is_semantic() ? wide_significand : facts_.significand;
    return lowest_ >= lowest_grid() && wide::exponent_of(size_) < lowest_ + significand;
  }

  int lowest_grid() const {
    if (arithmetic_.is_semantic()) return std::numeric_limits<int>::min();
    return arithmetic_.flushes() ? facts_.min_exponent : facts_.min_exponent - (facts_.significand - 1);
  }

  // Additions with a subnormal result are exact, products are not; flushing hits both.
  double underflow(double roundings) const {
    if (arithmetic_.is_semantic()) return 0;
    if (arithmetic_.flushes()) return (static_cast<double>(terms_) + roundings) * arithmetic_.underflow();
    return products_ ? static_cast<double>(tiny_) * arithmetic_.underflow() : 0;
  }

  // The sums of radii and sizes are themselves rounded, once a term.
  double growth() const { return 1 + static_cast<double>(terms_) * 0x1p-50; }

  const Balls<C>& arithmetic_;
  const DtypeFacts& facts_;
  std::int64_t least_roundings_;
  C value_ = 0;
  C size_ = 0;
  double propagated_ = 0;
  std::int64_t terms_ = 0;
  std::int64_t tiny_ = 0;
  int lowest_ = std::numeric_limits<int>::max();
  bool certain_ = true;
  bool products_ = false;
};

}  // namespace

template <class C>
BasicBall<C> order_free_sum(const Balls<C>& arithmetic, const Strided<BasicBall<C>>& terms,
                            const Reduction& reduction) {
  OrderFree<C> total(arithmetic, reduction);
  for (std::int64_t i = 0; i < terms.count; ++i) total.add(terms[i]);
  return total.result();
}

template <class C>
BasicBall<C> order_free_dot(const Balls<C>& arithmetic, const Strided<BasicBall<C>>& x, const Strided<BasicBall<C>>& y,
                            const Reduction& reduction) {
  OrderFree<C> total(arithmetic, reduction);
  for (std::int64_t i = 0; i < x.count; ++i) total.add_product(x[i], y[i]);
  return total.result();
}

template BasicBall<Wide> order_free_sum(const Balls<Wide>&, const Strided<BasicBall<Wide>>&, const Reduction&);
template BasicBall<Wide> order_free_dot(const Balls<Wide>&, const Strided<BasicBall<Wide>>&,
                                        const Strided<BasicBall<Wide>>&, const Reduction&);
template BasicBall<double> order_free_sum(const Balls<double>&, const Strided<BasicBall<double>>&, const Reduction&);
template BasicBall<double> order_free_dot(const Balls<double>&, const Strided<BasicBall<double>>&,
                                          const Strided<BasicBall<double>>&, const Reduction&);

}  // namespace microstep::kernels
