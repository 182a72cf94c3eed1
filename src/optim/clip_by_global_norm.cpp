#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"
#include "microstep/optim/norm.hpp"

namespace microstep {
namespace {

template <class A>
class ClipByGlobalNorm final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit ClipByGlobalNorm(double max_norm) : max_norm_(max_norm) {}

  State<V> init(const A&, const Tree<V>&) const override { return {"clip_by_global_norm", {}, {}, {}}; }

  void update(const A& arithmetic, Tree<V>& updates, State<V>&, const Tree<V>&, const StepInput&) const override {
    const A a = arithmetic.at(promoted_dtype(updates));
    const V norm = a.square_root(sum_of_squares(a, updates, [](const V& x) { return x; }));
    Truth below = a.less(norm, a.hyper(max_norm_));
    if constexpr (A::is_ball) {
      const A branch = a.branching();
      below = branch.less(branch.square_root(branch_sum_of_squares(a, updates)), branch.hyper(max_norm_));
    }
    if (below == Truth::yes) return;
    for (std::size_t i = 0; i < updates.leaf_count(); ++i)
      if (updates.is_dense(i)) scale(arithmetic.at(updates.leaf(i).dtype), updates.values(i), norm, below);
  }

 private:
  void scale(const A& a, std::span<V> values, const V& norm, Truth below) const {
    const V most = a.hyper(max_norm_), own = a.cast(norm);
    for (V& u : values) u = a.select(below, u, a.multiply(a.divide(u, own), most));
  }

  double max_norm_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_clip_by_global_norm(const Spec& spec) {
  return std::make_shared<ClipByGlobalNorm<A>>(spec.number("max_norm"));
}
MICROSTEP_INSTANTIATE_LINK(make_clip_by_global_norm)

}  // namespace microstep
