#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"

namespace microstep {
namespace {

template <class A>
class Clip final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit Clip(double max_delta) : max_delta_(max_delta) {}

  State<V> init(const A&, const Tree<V>&) const override { return {"clip", {}, {}, {}}; }

  void update(const A& arithmetic, Tree<V>& updates, State<V>&, const Tree<V>&, const StepInput& input) const override {
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) {
      if (!updates.is_dense(i)) continue;
      const A a = arithmetic.at(updates.leaf(i).dtype);
      const V most = a.hyper(max_delta_);
      const std::span<V> u = updates.values(i);
      for_blocks(input, i, u.size(), [&, u](std::size_t first, std::size_t last) {
        for (std::size_t j = first; j < last; ++j) u[j] = clipped(a, u[j], most);
      });
    }
  }

  bool works_in_blocks() const override { return true; }

 private:
  // NaN is not beyond either end and stays.
  static V clipped(const A& a, const V& u, const V& most) {
    const auto branch = a.branching();
    const V seen = a.declared(u);
    const V capped = a.select(branch.less(most, seen), most, u);
    return a.select(branch.less(seen, a.negate(most)), a.negate(most), capped);
  }

  double max_delta_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_clip(const Spec& spec) {
  return std::make_shared<Clip<A>>(spec.number("max_delta"));
}
MICROSTEP_INSTANTIATE_LINK(make_clip)

}  // namespace microstep
