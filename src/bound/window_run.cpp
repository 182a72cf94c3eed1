#include "window_run.hpp"

#include <algorithm>

namespace microstep {
namespace {

bool is_open(const Spec& spec, const State<Ball>& state) {
  if (spec.op == "multi_steps" && state.count("mini_step") > 0 && spec.text("partial").starts_with("flush"))
    return true;
  for (std::size_t i = 0; i < spec.of.size(); ++i)
    if (is_open(spec.of[i], state.of[i])) return true;
  return false;
}

}  // namespace

WindowRun::WindowRun(const A& arithmetic, const Plan& plan, BallTransformation transformation)
    : training(arithmetic, plan, std::move(transformation)),
      gradient_scale(plan.params.leaf_count(), 0.0),
      params_scale(plan.params.leaf_count(), 0.0),
      arithmetic_(arithmetic),
      plan_(&plan) {}

void WindowRun::run_to(std::int64_t last) {
  bool first = true;
  while (training.microstep() <= last) {
    training.step();
    note(training.gradients, gradient_scale);
    if (training.updates.all_zero()) continue;
    if (!first)
      apply_updates(arithmetic_, updates, training.updates);
    else
      updates = training.updates;
    first = false;
  }
  if (first) updates = training.updates;
}

void WindowRun::flush_open() {
  if (!is_open(plan_->spec, training.state)) return;
  const Tree<Ball> before = std::move(updates);
  run_to(static_cast<std::int64_t>(plan_->batches.size()) - 1);
  if (!before.all_zero()) apply_updates(arithmetic_, updates, before);
}

void WindowRun::note(const Tree<Ball>& tree, std::vector<double>& scale) {
  for (std::size_t i = 0; i < tree.leaf_count() && i < scale.size(); ++i) {
    if (!tree.is_dense(i)) continue;
    for (const Ball& x : tree.values(i))
      if (wide::is_finite(x.value)) scale[i] = std::max(scale[i], wide::to_double(wide::abs(x.value)));
  }
}

}  // namespace microstep
