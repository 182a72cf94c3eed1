#pragma once
// What becomes of a window that the run ends before it is full.
#include "microstep/data/tree.hpp"

namespace microstep {

enum class Partial { hold, flush, flush_by_k, drop };

/// From the mean of `length` gradients to their sum over k.
template <class A>
void divide_by_k(const A& arithmetic, Tree<typename A::Value>& acc, std::int64_t length, std::int64_t k) {
  for (std::size_t i = 0; i < acc.leaf_count(); ++i) {
    if (!acc.is_dense(i)) continue;
    const A a = arithmetic.at(acc.leaf(i).dtype);
    const auto n = A::constant(static_cast<double>(length)), of = A::constant(static_cast<double>(k));
    for (auto& x : acc.values(i)) x = a.divide(a.multiply(x, n), of);
  }
}

}  // namespace microstep
