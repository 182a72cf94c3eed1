#pragma once
// The rules by which multi_steps leaves a microbatch out; each throws Undecidable where it is not certain over balls.
#include "microstep/optim/norm.hpp"

namespace microstep {

template <class A>
bool all_finite(const A& arithmetic, const Tree<typename A::Value>& tree) {
  Truth result = Truth::yes;
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    if (!tree.is_dense(i)) continue;
    for (const auto& x : tree.values(i)) result = both(result, arithmetic.is_finite(x));
  }
  return certain(result, "whether a gradient is finite");
}

template <class A>
bool has_norm_below(const A& arithmetic, const Tree<typename A::Value>& tree, double max_norm) {
  const A a = arithmetic.at(promoted_dtype(tree));
  const A branch = a.branching();
  const Truth below = branch.less(branch_sum_of_squares(a, tree), branch.square(branch.hyper(max_norm)));
  return certain(below, "whether a microbatch is skipped for its norm");
}

}  // namespace microstep
