#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"

namespace microstep {
namespace {

template <class A>
class Ema final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit Ema(const Spec& spec) : decay_(spec.number("decay")), debias_(spec.flag("debias")) {}

  State<V> init(const A&, const Tree<V>& params) const override {
    return {"ema", {{"count", 0}}, {{"ema", zero_slot(params)}}, {}};
  }

  void update(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>&,
              const StepInput& input) const override {
    std::int64_t t = ++state.count("count");
    for (std::size_t i = 0; i < updates.leaf_count(); ++i)
      if (updates.presence(i) != Presence::absent)
        move_leaf(arithmetic, updates, state.slot("ema"), i, t, input);
      else
        set_dtype(updates, i, state.slot("ema").leaf(i).dtype);
  }

  bool works_in_blocks() const override { return true; }

 private:
  void move_leaf(const A& arithmetic, Tree<V>& updates, Tree<V>& slot, std::size_t i, std::int64_t t,
                 const StepInput& input) const {
    const A a = arithmetic.at(promote(updates.leaf(i).dtype, slot.leaf(i).dtype));
    const A store = arithmetic.at(slot.leaf(i).dtype);
    const auto decay = a.decay(decay_);
    const V correction = store.one_minus_power(decay_, t);
    auto u = updates.dense_values(i, A::constant(0));
    auto average = slot.dense_values(i, A::constant(0));
    for_blocks(input, i, u.size(), [&, u, average, debias = debias_](std::size_t first, std::size_t last) {
      for (std::size_t j = first; j < last; ++j) {
        const V moved = stored(store, a, a.lerp(average[j], u[j], decay));
        average[j] = moved;
        u[j] = debias ? store.divide(moved, correction) : moved;
      }
    });
    set_dtype(updates, i, slot.leaf(i).dtype);
  }

  double decay_;
  bool debias_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_ema(const Spec& spec) {
  return std::make_shared<Ema<A>>(spec);
}
MICROSTEP_INSTANTIATE_LINK(make_ema)

}  // namespace microstep
