#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"

namespace microstep {
namespace {

template <class A>
class ApplyEvery final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit ApplyEvery(const Spec& spec) : k_(spec.integer("k")), multiplies_(spec.text("clear") == "multiply") {}

  State<V> init(const A&, const Tree<V>& params) const override {
    return {"apply_every", {{"count", 0}}, {{"grad_acc", zero_slot(params)}}, {}};
  }

  void update(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>& params,
              const StepInput&) const override {
    std::int64_t& count = state.count("count");
    Tree<V>& sum = state.slot("grad_acc");
    if (multiplies_ && count == 0) clear_by_multiplication(arithmetic, sum);
    for (std::size_t i = 0; i < updates.leaf_count(); ++i)
      accumulate(arithmetic, updates, sum, i, count == 0 && !multiplies_);
    bool emits = count == k_ - 1;
    count = (count + 1) % k_;
    if (!emits && !multiplies_) return hold(updates, params);
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) emit(arithmetic.at(updates.leaf(i).dtype), updates, sum, i);
    if (!emits) clear_by_multiplication(arithmetic, updates);
  }

 private:
  static void accumulate(const A& arithmetic, const Tree<V>& updates, Tree<V>& sum, std::size_t i, bool first) {
    if (sum.presence(i) == Presence::absent) return;
    if (first) sum.mark(i, Presence::zero);
    if (!updates.is_dense(i)) return;
    const A a = arithmetic.at(promote(updates.leaf(i).dtype, sum.leaf(i).dtype));
    const A store = arithmetic.at(sum.leaf(i).dtype);
    bool empty = !sum.is_dense(i);
    auto acc = sum.dense_values(i, A::constant(0));
    auto u = updates.values(i);
    for (std::size_t j = 0; j < u.size(); ++j)
      acc[j] = empty ? store.cast(u[j]) : stored(store, a, a.add(acc[j], u[j]));
  }

  // In the dtype that came in, as a held update is.
  static void emit(const A& store, Tree<V>& updates, const Tree<V>& sum, std::size_t i) {
    updates.mark(i, sum.presence(i));
    if (!sum.is_dense(i)) return;
    auto u = updates.values(i);
    auto acc = sum.values(i);
    for (std::size_t j = 0; j < u.size(); ++j) u[j] = store.cast(acc[j]);
  }

  std::int64_t k_;
  bool multiplies_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_apply_every(const Spec& spec) {
  return std::make_shared<ApplyEvery<A>>(spec);
}
MICROSTEP_INSTANTIATE_LINK(make_apply_every)

}  // namespace microstep
