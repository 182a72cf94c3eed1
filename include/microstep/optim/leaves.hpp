#pragma once
// How the links walk the leaves of a tree: zero slots at the start, dtypes of results, masks.
#include <string>
#include <vector>

#include "microstep/data/spec.hpp"
#include "microstep/data/tree.hpp"

namespace microstep {

/// Zero leaves where params are present, absent ones where not; dtypes of the layout (default: the params').
template <class S>
Tree<S> zero_slot(const Tree<S>& params, LayoutPointer layout = nullptr) {
  Tree<S> slot(layout ? std::move(layout) : params.layout_pointer(), Presence::zero);
  for (std::size_t i = 0; i < params.leaf_count(); ++i)
    if (params.presence(i) == Presence::absent) slot.mark(i, Presence::absent);
  return slot;
}

/// Stores what leaf i of tree is computed in from now on, as its dtype; the layout is only copied where it changes. An
/// absent leaf gets the dtype that it would have, so that a link behind it gives the same dtype in every microstep.
template <class S>
void set_dtype(Tree<S>& tree, std::size_t i, Dtype dtype) {
  if (tree.leaf(i).dtype == dtype) return;
  std::vector<Leaf> leaves = tree.layout().leaves();
  leaves[i].dtype = dtype;
  tree.replace_layout(make_layout(std::move(leaves)));
}

/// Zero leaves wherever the params are present: what a held microstep returns.
template <class S>
void hold(Tree<S>& updates, const Tree<S>& params) {
  for (std::size_t i = 0; i < updates.leaf_count(); ++i)
    updates.mark(i, params.presence(i) == Presence::absent ? Presence::absent : Presence::zero);
}

/// Leaf i times a hyper-parameter, in the leaf's dtype; a zero or absent leaf stays as it is.
template <class A>
void scale_leaf(const A& arithmetic, Tree<typename A::Value>& tree, std::size_t i, double factor) {
  if (!tree.is_dense(i)) return;
  const A a = arithmetic.at(tree.leaf(i).dtype);
  const auto step = a.hyper(factor);
  for (auto& u : tree.values(i)) u = a.multiply(step, u);
}

/// 0 times every number: zeros, and NaN for what is not finite. What libraries do that multiply where they ought to
/// select.
template <class A>
void clear_by_multiplication(const A& arithmetic, Tree<typename A::Value>& tree) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) scale_leaf(arithmetic, tree, i, 0.0);
}

/// Per leaf whether a glob (* and ?) of the list matches its name; all for an empty list.
std::vector<bool> matching_leaves(const Layout& layout, const std::vector<Value>& globs);

}  // namespace microstep
