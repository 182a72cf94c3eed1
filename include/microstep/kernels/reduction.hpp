#pragma once
// Sums and dots over strided ranges, in a named order.
// Over balls the order does not matter: the ball holds the result of every order, with and without fused multiply-add.
//   sum of n terms   radius = sum r + (n-1) u sum (|x| + r)
//   dot of n pairs   radius = sum (|x| ry + |y| rx + rx ry) + n u sum (|x| + rx)(|y| + ry)
// Terms that are exactly zero are not counted: adding them never rounds. The first part passes the input radii through
// the exact derivative; the second bounds the roundings without higher-order terms (Jeannerod and Rump, Improved error
// bounds for inner products in floating-point arithmetic, SIAM J. Matrix Anal. Appl. 34, 2013; for a fused step see
// src/kernels/order_free.cpp). A dot adds the smallest subnormal for each product that may be subnormal; with
// flush-to-zero every operation adds the smallest normal. If sum |x| may pass the largest value, some order overflows:
// the radius is infinite. Radius 0 where all radii are 0, all terms are multiples of one power of two q and
// sum |x| < q 2^p (p significand bits): then every partial sum of every order is a value of the dtype.
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

template <class C>
BasicBall<C> order_free_sum(const Balls<C>& arithmetic, const Strided<BasicBall<C>>& terms);
template <class C>
BasicBall<C> order_free_dot(const Balls<C>& arithmetic, const Strided<BasicBall<C>>& x, const Strided<BasicBall<C>>& y);

/// term(first) to term(first + count - 1), count > 0, halved until one is left.
template <class A, class Term>
typename A::Value reduce_pairwise(const A& arithmetic, std::int64_t first, std::int64_t count, const Term& term) {
  if (count == 1) return term(first);
  const std::int64_t half = count / 2;
  return arithmetic.add(reduce_pairwise(arithmetic, first, half, term),
                        reduce_pairwise(arithmetic, first + half, count - half, term));
}

/// term(0) to term(count - 1), added in that order; 0 for no terms.
template <class A, class Term>
typename A::Value reduce(const A& arithmetic, std::int64_t count, Reduction order, const Term& term) {
  if (count == 0) return A::constant(0);
  if (order == Reduction::pairwise) return reduce_pairwise(arithmetic, 0, count, term);
  const std::int64_t step = order == Reduction::reversed ? -1 : 1;
  std::int64_t at = step < 0 ? count - 1 : 0;
  typename A::Value total = term(at);
  for (std::int64_t i = 1; i < count; ++i) total = arithmetic.add(total, term(at += step));
  return total;
}

/// x0 + ... ; 0 for no terms.
template <class A>
typename A::Value sum(const A& arithmetic, const Strided<typename A::Value>& terms,
                      Reduction order = Reduction::sequential) {
  if constexpr (A::is_ball)
    return order_free_sum(arithmetic, terms);
  else
    return reduce(arithmetic, terms.count, order, [&](std::int64_t i) { return terms[i]; });
}

/// x0 y0 + ... ; x.count terms. Each product is rounded before it is added.
template <class A>
typename A::Value dot(const A& arithmetic, const Strided<typename A::Value>& x, const Strided<typename A::Value>& y,
                      Reduction order = Reduction::sequential) {
  if constexpr (A::is_ball)
    return order_free_dot(arithmetic, x, y);
  else
    return reduce(arithmetic, x.count, order, [&](std::int64_t i) { return arithmetic.multiply(x[i], y[i]); });
}

}  // namespace microstep::kernels
