#pragma once
// Sums and dots over strided ranges, in a named order.
// Over balls the order does not matter: the ball holds the result of every order, with and without fused multiply-add.
//   sum of n terms   radius = sum r + (n-1) u sum (|x| + r)
//   dot of n pairs   radius = sum (|x| ry + |y| rx + rx ry) + n u sum (|x| + rx)(|y| + ry)
// Compensated (kahan) sums err by (2u + O(n u^2)) sum |x| (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// ed., sec. 4.3), which 3 terms or more do not keep within the above: there max(n-1, 3) u, for a dot max(n, 4) u.
// Terms that are exactly zero are not counted: adding them never rounds. The first part passes the input radii through
// the exact derivative; the second bounds the roundings without higher-order terms (Jeannerod and Rump, Improved error
// bounds for inner products in floating-point arithmetic, SIAM J. Matrix Anal. Appl. 34, 2013; for a fused step see
// src/kernels/order_free.cpp). A dot adds the smallest subnormal for each product that may be subnormal; with
// flush-to-zero every operation adds the smallest normal. If sum |x| may pass the largest value, some order overflows:
// the radius is infinite. Radius 0 where all radii are 0, all terms are multiples of one power of two q and
// sum |x| < q 2^p (p significand bits): then every partial sum of every order is a value of the dtype.
#include <algorithm>
#include <array>
#include <cstdint>

#include "microstep/kernels/policy.hpp"
#include "microstep/scalar/balls.hpp"

namespace microstep::kernels {

/// Elements data[0], data[stride], ..., data[(count - 1) stride].
template <class Value>
struct Strided {
  const Value* data;
  std::int64_t count;
  std::int64_t stride = 1;

  const Value& operator[](std::int64_t i) const { return data[i * stride]; }
};

/// The ball of every order but kahan, and of kahan where the reduction is that.
template <class C>
BasicBall<C> order_free_sum(const Balls<C>& arithmetic, const Strided<BasicBall<C>>& terms,
                            const Reduction& reduction = Reduction::sequential);
template <class C>
BasicBall<C> order_free_dot(const Balls<C>& arithmetic, const Strided<BasicBall<C>>& x, const Strided<BasicBall<C>>& y,
                            const Reduction& reduction = Reduction::sequential);

template <class A>
struct SumTerms {
  using V = typename A::Value;
  const A& arithmetic;
  const Strided<V>& x;

  std::int64_t count() const { return x.count; }
  V first(std::int64_t i) const { return x[i]; }
  V onto(const V& total, std::int64_t i) const { return arithmetic.add(total, x[i]); }
};

template <class A, bool fused>
struct DotTerms {
  using V = typename A::Value;
  const A& arithmetic;
  const Strided<V>& x;
  const Strided<V>& y;

  std::int64_t count() const { return x.count; }
  V first(std::int64_t i) const { return arithmetic.multiply(x[i], y[i]); }
  V onto(const V& total, std::int64_t i) const {
    if constexpr (fused)
      return arithmetic.multiply_add(x[i], y[i], total);
    else
      return arithmetic.add(total, arithmetic.multiply(x[i], y[i]));
  }
};

/// Adds terms (SumTerms or DotTerms) in a named order; none of them answers 0.
template <class A, class Terms>
class InOrder {
 public:
  using V = typename A::Value;
  InOrder(const A& arithmetic, const Terms& terms) : arithmetic_(arithmetic), terms_(terms) {}

  V total(const Reduction& reduction) const {
    const std::int64_t count = terms_.count();
    if (count == 0) return A::constant(0);
    switch (reduction.order) {
      case Order::sequential:
        return strided(0, count, 1);
      case Order::reversed:
        return strided(count - 1, count, -1);
      case Order::pairwise:
        return pairwise(0, count);
      case Order::blocked:
        return blocked(reduction.size);
      case Order::lanes:
        return lanes(std::min<std::int64_t>(reduction.size, count));
      case Order::split_k:
        return split(std::min<std::int64_t>(reduction.size, count));
      case Order::kahan:
        return kahan();
    }
    return A::constant(0);
  }

 private:
  V strided(std::int64_t at, std::int64_t count, std::int64_t step) const {
    V total = terms_.first(at);
    for (std::int64_t i = 1; i < count; ++i) total = terms_.onto(total, at += step);
    return total;
  }

  V pairwise(std::int64_t first, std::int64_t count) const {
    if (count == 1) return terms_.first(first);
    if (count == 2) return terms_.onto(terms_.first(first), first + 1);
    const std::int64_t half = count / 2;
    return arithmetic_.add(pairwise(first, half), pairwise(first + half, count - half));
  }

  V blocked(std::int64_t size) const {
    V total = strided(0, std::min(size, terms_.count()), 1);
    for (std::int64_t at = size; at < terms_.count(); at += size)
      total = arithmetic_.add(total, strided(at, std::min(size, terms_.count() - at), 1));
    return total;
  }

  V lanes(std::int64_t count) const {
    std::array<V, Reduction::most_lanes> sums;
    for (std::int64_t lane = 0; lane < count; ++lane)
      sums[static_cast<std::size_t>(lane)] = strided(lane, (terms_.count() - lane + count - 1) / count, count);
    const Strided<V> all{sums.data(), count};
    return InOrder<A, SumTerms<A>>(arithmetic_, {arithmetic_, all}).total(Reduction::pairwise);
  }

  V split(std::int64_t parts) const {
    const auto start = [&](std::int64_t part) { return part * terms_.count() / parts; };
    V total = strided(0, start(1), 1);
    for (std::int64_t part = 1; part < parts; ++part)
      total = arithmetic_.add(total, strided(start(part), start(part + 1) - start(part), 1));
    return total;
  }

  V kahan() const {
    V total = terms_.first(0), lost = A::constant(0);
    for (std::int64_t i = 1; i < terms_.count(); ++i) {
      const V term = terms_.onto(A::negate(lost), i);
      const V next = arithmetic_.add(total, term);
      lost = arithmetic_.subtract(arithmetic_.subtract(next, total), term);
      total = next;
    }
    return total;
  }

  const A& arithmetic_;
  const Terms terms_;
};

/// x0 + ... ; 0 for no terms.
template <class A>
typename A::Value sum(const A& arithmetic, const Strided<typename A::Value>& terms,
                      const Reduction& reduction = Reduction::sequential) {
  if constexpr (A::is_ball)
    return order_free_sum(arithmetic, terms, reduction);
  else
    return InOrder<A, SumTerms<A>>(arithmetic, {arithmetic, terms}).total(reduction);
}

/// x0 y0 + ... ; x.count terms. Each product is rounded before it is added, unless the reduction is fused.
template <class A>
typename A::Value dot(const A& arithmetic, const Strided<typename A::Value>& x, const Strided<typename A::Value>& y,
                      const Reduction& reduction = Reduction::sequential) {
  if constexpr (A::is_ball)
    return order_free_dot(arithmetic, x, y, reduction);
  else if (reduction.fused)
    return InOrder<A, DotTerms<A, true>>(arithmetic, {arithmetic, x, y}).total(reduction);
  else
    return InOrder<A, DotTerms<A, false>>(arithmetic, {arithmetic, x, y}).total(reduction);
}

}  // namespace microstep::kernels
