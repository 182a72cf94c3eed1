#pragma once
// The sum of squares over all leaves of a tree, in the promotion of their dtypes.
#include "microstep/data/tree.hpp"
#include "microstep/scalar/arithmetic.hpp"

namespace microstep {

template <class S>
Dtype promoted_dtype(const Tree<S>& tree) {
  Dtype dtype = tree.leaf_count() > 0 ? tree.leaf(0).dtype : Dtype::float32;
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) dtype = promote(dtype, tree.leaf(i).dtype);
  return dtype;
}

/// `a` is already at the promoted dtype; `read` is applied to each element (identity, or declared for a branch).
template <class A, class Read>
typename A::Value sum_of_squares(const A& a, const Tree<typename A::Value>& tree, Read read) {
  auto total = A::constant(0);
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    if (!tree.is_dense(i)) continue;
    for (const auto& x : tree.values(i)) total = a.add(total, a.square(read(x)));
  }
  return total;
}

/// The same over balls widened to the declared dtype and rounded in it: only for a branch on the norm.
template <class A>
typename A::Value branch_sum_of_squares(const A& a, const Tree<typename A::Value>& tree) {
  return sum_of_squares(a.branching(), tree, [&](const auto& x) { return a.declared(x); });
}

}  // namespace microstep
