#include "microstep/train/run.hpp"

#include <algorithm>
#include <stdexcept>

#include "microstep/train/recorder.hpp"

namespace microstep {
namespace {

template <class A>
Tree<typename A::Value> loaded(const Tree<double>& tree) {
  Tree<typename A::Value> result(tree.layout_pointer(), Presence::zero);
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    result.mark(i, tree.presence(i));
    if (tree.is_dense(i)) std::ranges::transform(tree.values(i), result.values(i).begin(), A::load);
  }
  return result;
}

Dtype loss_dtype(const Plan& plan) { return plan.params.leaf_count() > 0 ? plan.params.leaf(0).dtype : Dtype::float32; }

// The weights of a window are summed in float64.
bool declares_other_accumulator(const Spec& spec, Dtype dtype) {
  auto reduce = spec.args.find("reduce");
  if (reduce != spec.args.end() && reduce->second == Value("weighted") && dtype != Dtype::float64) return true;
  auto declared = spec.args.find("acc_dtype");
  if (declared != spec.args.end()) {
    const std::string& name = std::get<std::string>(declared->second.data);
    if (name != "same" && name != to_string(dtype)) return true;
  }
  return std::ranges::any_of(spec.of, [&](const Spec& inner) { return declares_other_accumulator(inner, dtype); });
}

bool all_of_dtype(const Layout& layout, Dtype dtype) {
  return std::ranges::all_of(layout.leaves(), [&](const Leaf& leaf) { return leaf.dtype == dtype; });
}

}  // namespace

template <class A>
Training<A>::Training(const A& arithmetic, const Plan& plan, TransformationPointer<A> transformation)
    : params(loaded<A>(plan.params)),
      gradients(plan.gradient_layout, Presence::zero),
      loss(A::constant(0)),
      arithmetic_(arithmetic),
      plan_(&plan),
      transformation_(transformation ? std::move(transformation) : build<A>(plan.spec)),
      problem_(make_problem<A>(arithmetic, plan)) {
  state = transformation_->init(arithmetic_, params);
}

template <class A>
void Training<A>::step() {
  const auto& batch = plan_->batches.at(static_cast<std::size_t>(microstep_));
  loss = problem_->loss_and_gradient(arithmetic_, params, batch, gradients);
  updates = gradients;
  const auto row = static_cast<std::size_t>(microstep_++);
  const Passing* shown = row < plan_->shown.size() ? &plan_->shown[row] : nullptr;
  update_and_apply(arithmetic_, *transformation_, params, updates, state,
                   {batch_weight(*plan_, batch), done(), nullptr, nullptr, shown});
}

template <class A>
Rows<typename A::Number> run_recorded(const A& arithmetic, const Plan& plan, TransformationPointer<A> transformation,
                                      Restore<A> restore) {
  Training<A> training(arithmetic, plan, std::move(transformation));
  Recorder<A> recorder(training.params, training.gradients, training.state, loss_dtype(plan),
                       static_cast<std::int64_t>(plan.batches.size()));
  recorder.record(training.params, nullptr, nullptr, training.state, nullptr);
  while (!training.done()) {
    training.step();
    if (restore && std::ranges::find(plan.interruptions, training.microstep()) != plan.interruptions.end())
      training.state = restore(training.state);
    recorder.record(training.params, &training.gradients, &training.updates, training.state, &training.loss);
  }
  Rows<typename A::Number> rows = recorder.take();
  rows.kernels = training.kernels();
  return rows;
}

bool is_uniform(const Plan& plan, Dtype dtype) {
  return all_of_dtype(plan.params.layout(), dtype) && all_of_dtype(*plan.gradient_layout, dtype) &&
         !declares_other_accumulator(plan.spec, dtype);
}

Trace run(const Plan& plan) {
  if (is_uniform(plan, Dtype::float32)) return run_recorded(Plain<float>{plan.hyper_precision}, plan);
  if (is_uniform(plan, Dtype::float64)) return run_recorded(Plain<double>{plan.hyper_precision}, plan);
  return run_recorded(Emulated<double>{Dtype::float64, plan.hyper_precision}, plan);
}

#define MICROSTEP_INSTANTIATE_RUN(A) \
  template class Training<A>;        \
  template Rows<typename A::Number> run_recorded<A>(const A&, const Plan&, TransformationPointer<A>, Restore<A>);
MICROSTEP_INSTANTIATE_RUN(Plain<float>)
MICROSTEP_INSTANTIATE_RUN(Plain<double>)
MICROSTEP_INSTANTIATE_RUN(Plain<Wide>)
MICROSTEP_INSTANTIATE_RUN(Emulated<double>)
MICROSTEP_INSTANTIATE_RUN(Balls<Wide>)
MICROSTEP_INSTANTIATE_RUN(Balls<double>)

}  // namespace microstep
