// Updates onto params: a tree at once, or block by block behind the link that makes them.
#include <algorithm>

#include "microstep/train/run.hpp"

namespace microstep {
namespace {

// Below it a leaf is in the cache anyhow.
constexpr std::int64_t large = 4096;

template <class A>
void apply_block(const A& arithmetic, Tree<typename A::Value>& params, const Tree<typename A::Value>& updates,
                 std::size_t i, std::size_t first, std::size_t last) {
  const A a = arithmetic.at(promote(params.leaf(i).dtype, updates.leaf(i).dtype));
  const A store = arithmetic.at(params.leaf(i).dtype);
  auto w = params.values(i);
  auto u = updates.values(i);
  for (std::size_t j = first; j < last; ++j) w[j] = stored(store, a, a.add(w[j], u[j]));
}

template <class V>
bool has_dense_leaves_of(const Tree<V>& tree, Dtype dtype) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    if (!tree.is_dense(i) || tree.leaf(i).dtype != dtype) return false;
  return true;
}

template <class V>
bool has_leaves_of(const State<V>& state, Dtype dtype) {
  auto fits = [dtype](const auto& entry) {
    const Tree<V>& tree = entry.second;
    for (std::size_t i = 0; i < tree.leaf_count(); ++i)
      if (tree.presence(i) == Presence::absent || tree.leaf(i).dtype != dtype) return false;
    return true;
  };
  return std::ranges::all_of(state.slots, fits) &&
         std::ranges::all_of(state.of, [dtype](const State<V>& inner) { return has_leaves_of(inner, dtype); });
}

// All dense and of one dtype, so that what blocks are read from is what they are written to.
template <class V>
bool is_even_and_large(const Tree<V>& params, const Tree<V>& updates, const State<V>& state) {
  if (params.layout().size() < large) return false;
  const Dtype dtype = params.leaf(0).dtype;
  return has_dense_leaves_of(params, dtype) && has_dense_leaves_of(updates, dtype) && has_leaves_of(state, dtype);
}

}  // namespace

template <class A>
void apply_updates(const A& arithmetic, Tree<typename A::Value>& params, const Tree<typename A::Value>& updates) {
  for (std::size_t i = 0; i < params.leaf_count(); ++i) {
    if (!updates.is_dense(i) || params.presence(i) == Presence::absent) continue;
    params.dense_values(i, A::constant(0));
    apply_block(arithmetic, params, updates, i, 0, updates.values(i).size());
  }
}

template <class A>
void update_and_apply(const A& arithmetic, const GradientTransformation<A>& transformation,
                      Tree<typename A::Value>& params, Tree<typename A::Value>& updates,
                      State<typename A::Value>& state, const StepInput& input) {
  if (is_even_and_large(params, updates, state) && transformation.moves_in_blocks(state)) {
    const BlockWork apply = [&](std::size_t i, std::size_t first, std::size_t last) {
      apply_block(arithmetic, params, updates, i, first, last);
    };
    return transformation.update(arithmetic, updates, state, params, {input.weight, input.last, nullptr, &apply});
  }
  transformation.update(arithmetic, updates, state, params, input);
  apply_updates(arithmetic, params, updates);
}

#define MICROSTEP_INSTANTIATE_APPLY(A)                                                                    \
  template void apply_updates<A>(const A&, Tree<typename A::Value>&, const Tree<typename A::Value>&);     \
  template void update_and_apply<A>(const A&, const GradientTransformation<A>&, Tree<typename A::Value>&, \
                                    Tree<typename A::Value>&, State<typename A::Value>&, const StepInput&);
MICROSTEP_INSTANTIATE_APPLY(Plain<float>)
MICROSTEP_INSTANTIATE_APPLY(Plain<double>)
MICROSTEP_INSTANTIATE_APPLY(Plain<Wide>)
MICROSTEP_INSTANTIATE_APPLY(Emulated<double>)
MICROSTEP_INSTANTIATE_APPLY(Balls<Wide>)
MICROSTEP_INSTANTIATE_APPLY(Balls<double>)

}  // namespace microstep
