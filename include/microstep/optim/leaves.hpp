#pragma once
// How the links walk the leaves of a tree: zero slots at the start, dtypes of results, masks.
#include <string>
#include <vector>

#include "microstep/data/spec.hpp"
#include "microstep/data/tree.hpp"
#include "microstep/optim/transform.hpp"

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

template <class S>
bool is_all_dense(const Tree<S>& tree) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    if (!tree.is_dense(i)) return false;
  return true;
}

/// Zero leaves wherever the params are present: what a held microstep returns.
template <class S>
void hold(Tree<S>& updates, const Tree<S>& params) {
  for (std::size_t i = 0; i < updates.leaf_count(); ++i)
    updates.mark(i, params.presence(i) == Presence::absent ? Presence::absent : Presence::zero);
}

/// Elements of a block: the HW prefetcher goes on from one to the next, and all that is done to one stays in the
/// first-level cache.
inline constexpr std::size_t block_size = 256;

/// loop(first, last) over a leaf with the input's work around each block; over all at once where there is no such work.
template <class Loop>
void for_blocks(const StepInput& input, std::size_t leaf, std::size_t size, const Loop& loop) {
  if (!input.before && !input.after) return loop(std::size_t{0}, size);
  for (std::size_t first = 0; first < size; first += block_size) {
    const std::size_t last = std::min(first + block_size, size);
    if (input.before) (*input.before)(leaf, first, last);
    loop(first, last);
    if (input.after) (*input.after)(leaf, first, last);
  }
}

/// loop(first, last) over blocks of two buffers, each block asked for while the one before it is worked on: what the
/// hardware fetches by itself was seen to depend on where the linker puts the loop, up to twice its time.
template <class S, class Loop>
void for_fetched_blocks(std::span<S> to, std::span<const S> from, const Loop& loop) {
  constexpr std::size_t line = sizeof(S) < 64 ? 64 / sizeof(S) : 1;
  for (std::size_t first = 0; first < to.size(); first += block_size) {
    const std::size_t last = std::min(first + block_size, to.size());
    for (std::size_t j = last; j < std::min(last + block_size, to.size()); j += line) {
      __builtin_prefetch(&to[j], 1);
      __builtin_prefetch(&from[j]);
    }
    loop(first, last);
  }
}

/// Leaf i times a hyper-parameter, in the leaf's dtype; a zero or absent leaf stays as it is.
template <class A>
void scale_leaf(const A& arithmetic, Tree<typename A::Value>& tree, std::size_t i, double factor,
                const StepInput& input = {}) {
  if (!tree.is_dense(i)) return;
  const A a = arithmetic.at(tree.leaf(i).dtype);
  const auto step = a.hyper(factor);
  const auto values = tree.values(i);
  for_blocks(input, i, values.size(), [&, values](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) values[j] = a.multiply(step, values[j]);
  });
}

/// Leaf i in that dtype from now on, its numbers rounded to it.
template <class A>
void cast_leaf(const A& arithmetic, Tree<typename A::Value>& tree, std::size_t i, Dtype dtype) {
  if (tree.leaf(i).dtype == dtype) return;
  const A store = arithmetic.at(dtype);
  if (tree.is_dense(i))
    for (auto& x : tree.values(i)) x = store.cast(x);
  set_dtype(tree, i, dtype);
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
