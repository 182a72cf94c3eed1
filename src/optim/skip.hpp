#pragma once
// The rules by which multi_steps leaves a microbatch out. Where one is not certain over balls, both answers are
// roundings of the declared dtype: a trace's is taken, and without one each throws Undecidable.
#include <algorithm>

#include "microstep/data/state.hpp"
#include "microstep/optim/norm.hpp"

namespace microstep {

enum class Skip { never, not_finite, large, window_not_finite };

/// The enumerator whose place among names is that of name.
template <class E>
E named(std::string_view name, std::initializer_list<std::string_view> names) {
  return static_cast<E>(std::find(names.begin(), names.end(), name) - names.begin());
}

inline bool passes(Truth rule, const Passing* shown, const std::string& what) {
  if (rule == Truth::unsure && shown && shown->passes) return *shown->passes;
  return certain(rule, what);
}

template <class A>
bool all_finite(const A& arithmetic, const Tree<typename A::Value>& tree, const Passing* shown) {
  Truth result = Truth::yes;
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    if (!tree.is_dense(i)) continue;
    for (const auto& x : tree.values(i)) result = both(result, arithmetic.is_finite(x));
  }
  return passes(result, shown, "whether a gradient is finite");
}

template <class A>
bool has_norm_below(const A& arithmetic, const Tree<typename A::Value>& tree, double max_norm, const Passing* shown) {
  const A a = arithmetic.at(promoted_dtype(tree));
  const A branch = a.branching();
  const Truth below = branch.less(branch_sum_of_squares(a, tree), branch.square(branch.hyper(max_norm)));
  return passes(below, shown, "whether a microbatch is skipped for its norm");
}

}  // namespace microstep
