#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"

namespace microstep {
namespace {

template <class A>
class AddDecayedWeights final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit AddDecayedWeights(const Spec& spec) : weight_decay_(spec.number("weight_decay")), mask_(spec.list("mask")) {}

  State<V> init(const A&, const Tree<V>&) const override { return {"add_decayed_weights", {}, {}, {}}; }

  void update(const A& arithmetic, Tree<V>& updates, State<V>&, const Tree<V>& params,
              const StepInput& input) const override {
    std::vector<bool> decayed = matching_leaves(params.layout(), mask_);
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) {
      if (!decayed[i]) continue;
      if (params.is_dense(i) && updates.presence(i) != Presence::absent)
        add_decay(arithmetic, updates, params, i, input);
      set_dtype(updates, i, promote(updates.leaf(i).dtype, params.leaf(i).dtype));
    }
  }

  bool works_in_blocks() const override { return mask_.empty(); }

 private:
  void add_decay(const A& arithmetic, Tree<V>& updates, const Tree<V>& params, std::size_t i,
                 const StepInput& input) const {
    const Dtype dtype = promote(updates.leaf(i).dtype, params.leaf(i).dtype);
    const A own = arithmetic.at(params.leaf(i).dtype), a = arithmetic.at(dtype);
    const V decay = own.hyper(weight_decay_);
    auto u = updates.dense_values(i, A::constant(0));
    auto w = params.values(i);
    for_blocks(input, i, u.size(), [&, u, w](std::size_t first, std::size_t last) {
      for (std::size_t j = first; j < last; ++j) u[j] = a.add(u[j], own.multiply(decay, w[j]));
    });
  }

  double weight_decay_;
  std::vector<Value> mask_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_add_decayed_weights(const Spec& spec) {
  return std::make_shared<AddDecayedWeights<A>>(spec);
}
MICROSTEP_INSTANTIATE_LINK(make_add_decayed_weights)

}  // namespace microstep
