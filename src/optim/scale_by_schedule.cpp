#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"

namespace microstep {
namespace {

template <class A>
class ScaleBySchedule final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit ScaleBySchedule(Value schedule) : schedule_(std::move(schedule)) {}

  State<V> init(const A&, const Tree<V>&) const override { return {"scale_by_schedule", {{"count", 0}}, {}, {}}; }

  void update(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>&,
              const StepInput& input) const override {
    double factor = schedule_value(schedule_, state.count("count")++);
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) scale_leaf(arithmetic, updates, i, factor, input);
  }

  bool works_in_blocks() const override { return true; }

 private:
  Value schedule_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_scale_by_schedule(const Spec& spec) {
  return std::make_shared<ScaleBySchedule<A>>(spec.args.at("schedule"));
}
MICROSTEP_INSTANTIATE_LINK(make_scale_by_schedule)

}  // namespace microstep
