#pragma once
// Feeds gradients to a transformation and applies the updates, in any arithmetic, in the same buffers at every step.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "microstep/optim/transform.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"
#include "microstep/scalar/plain.hpp"

namespace microstep::testing_optim {

using Numbers = std::vector<double>;
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline double center(const Ball& x) { return static_cast<double>(x.value); }
inline double center(double x) { return x; }

/// The elements of all leaves in a row; zeros of a zero leaf, nothing of an absent one.
template <class A>
Numbers numbers_of(const Tree<typename A::Value>& tree) {
  Numbers all;
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    if (tree.presence(i) == Presence::zero) all.resize(all.size() + static_cast<std::size_t>(tree.leaf(i).size), 0.0);
    if (!tree.is_dense(i)) continue;
    for (const auto& x : tree.values(i)) all.push_back(center(A::number(x)));
  }
  return all;
}

/// One leaf w of that many elements.
inline LayoutPointer vector_of(std::int64_t size, Dtype dtype = Dtype::float64) {
  return make_layout({{"w", {size}, dtype}});
}

template <class A>
class Loop {
 public:
  using V = typename A::Value;
  Loop(std::string_view spec, const LayoutPointer& layout, const Numbers& start, const A& arithmetic = A{})
      : Loop(build<A>(parse_spec(spec)), filled_with(layout, start), arithmetic) {}
  Loop(TransformationPointer<A> given, Tree<V> start, const A& arithmetic)
      : params(std::move(start)),
        updates(params.layout_pointer()),
        in_(arithmetic),
        transformation_(std::move(given)),
        state(transformation_->init(in_, params)) {}

  static Tree<V> filled_with(const LayoutPointer& layout, const Numbers& values) {
    Tree<V> tree(layout);
    fill(tree, values);
    return tree;
  }

  /// Gradients of all leaves in a row; answers the updates.
  Numbers step(const Numbers& gradients, StepInput input = {}) {
    updates.replace_layout(gradient_layout ? gradient_layout : params.layout_pointer());
    updates.mark_all(Presence::dense);
    fill(updates, gradients);
    return step_given(input);
  }
  /// With the gradients that stand in updates.
  Numbers step_given(StepInput input = {}) {
    transformation_->update(in_, updates, state, params, input);
    for (std::size_t i = 0; i < params.leaf_count(); ++i)
      for (std::size_t j = 0; updates.is_dense(i) && params.is_dense(i) && j < params.values(i).size(); ++j)
        params.values(i)[j] = in_.at(params.leaf(i).dtype).add(params.values(i)[j], updates.values(i)[j]);
    return numbers_of<A>(updates);
  }

  Tree<V> params, updates;
  /// Where the gradients have other dtypes than the params.
  LayoutPointer gradient_layout;

 private:
  static void fill(Tree<V>& tree, const Numbers& values) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < tree.leaf_count(); ++i)
      for (V& x : tree.values(i)) x = A::load(values.at(next++));
  }

  A in_;
  TransformationPointer<A> transformation_;

 public:
  State<V> state;
};

using Exact = Plain<Wide>;
/// One leaf w in Wide: dyadic numbers stay exact, others are correct when they are rounded to double.
inline Loop<Exact> exact_loop(std::string_view spec, const Numbers& start) {
  return Loop<Exact>(spec, vector_of(static_cast<std::int64_t>(start.size())), start);
}

/// The update of each step for a scalar gradient a step, from w = 0.
inline Numbers updates_of(std::string_view spec, const Numbers& gradients, double start = 0) {
  Loop<Exact> loop = exact_loop(spec, {start});
  Numbers updates;
  for (double g : gradients) updates.push_back(loop.step({g})[0]);
  return updates;
}

template <class A>
Numbers slot(const State<typename A::Value>& state, std::string_view name) {
  return numbers_of<A>(state.slot(name));
}
inline Numbers slot(const State<Wide>& state, std::string_view name) { return slot<Exact>(state, name); }

}  // namespace microstep::testing_optim
