#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"

namespace microstep {
namespace {

template <class A>
class Scale final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit Scale(double factor) : factor_(factor) {}

  State<V> init(const A&, const Tree<V>&) const override { return {"scale", {}, {}, {}}; }

  void update(const A& arithmetic, Tree<V>& updates, State<V>&, const Tree<V>&, const StepInput& input) const override {
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) scale_leaf(arithmetic, updates, i, factor_, input);
  }

  bool works_in_blocks() const override { return true; }

 private:
  double factor_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_scale(const Spec& spec) {
  return std::make_shared<Scale<A>>(spec.number("factor"));
}
MICROSTEP_INSTANTIATE_LINK(make_scale)

}  // namespace microstep
