// Our engine as a producer; an interrupted state goes through bytes into a fresh object.
#include "microstep/json/plan.hpp"
#include "microstep/train/run.hpp"
#include "microstep/trial/evidence.hpp"

namespace microstep {
namespace {

template <class From, class To, class Convert>
Tree<To> converted(const Tree<From>& tree, Convert convert) {
  Tree<To> result(tree.layout_pointer(), Presence::zero);
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    result.mark(i, tree.presence(i));
    if (tree.is_dense(i)) std::ranges::transform(tree.values(i), result.values(i).begin(), convert);
  }
  return result;
}

template <class From, class To, class Convert>
State<To> converted(const State<From>& state, Convert convert) {
  State<To> result{state.op, state.counts, {}, {}};
  for (const auto& [name, slot] : state.slots) result.slots.emplace_back(name, converted<From, To>(slot, convert));
  for (const auto& inner : state.of) result.of.push_back(converted<From, To>(inner, convert));
  return result;
}

template <class A>
Trace run_with_bytes(const A& arithmetic, const Plan& plan) {
  using V = typename A::Value;
  Restore<A> restore = [](const State<V>& state) {
    const std::string bytes = encode_state(converted<V, double>(state, A::number));
    return converted<double, V>(decode_state(bytes), A::load);
  };
  return run_recorded<A>(arithmetic, plan, nullptr, restore);
}

}  // namespace

Answer own_run(const Plan& plan) {
  if (plan.interruptions.empty()) return run(plan);
  if (is_uniform(plan, Dtype::float32)) return run_with_bytes(Plain<float>{plan.hyper_precision}, plan);
  if (is_uniform(plan, Dtype::float64)) return run_with_bytes(Plain<double>{plan.hyper_precision}, plan);
  return run_with_bytes(Emulated<double>{Dtype::float64, plan.hyper_precision}, plan);
}

}  // namespace microstep
