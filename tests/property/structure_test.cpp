// Laws of form: chains, k = 1, and what a window leaves behind.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "microstep/train/run.hpp"
#include "property/law.hpp"
#include "property/runs.hpp"

namespace microstep::property {
namespace {

PlanLimits anywhere() {
  PlanLimits limits;
  limits.spec.accumulators = Accumulators::anywhere;
  limits.mixed_dtypes = true;
  limits.ragged = true;
  limits.absent = 0.15;
  limits.frozen = 0.05;
  limits.special = {0.02, 0.02, 0.02, 0.01, 0.005, 0.005};
  return limits;
}

Spec chained(std::vector<Spec> links) { return checked(Spec{"chain", {}, std::move(links)}); }

Plan plan_of_a_chain(const Stream& stream, std::uint64_t which_case) {
  PlanLimits limits = anywhere();
  limits.spec.depth = 2;
  const Stream links("links", stream.bits(which_case, 0));
  std::vector<Spec> drawn;
  for (std::uint64_t i = 0; i < 3; ++i) drawn.push_back(draw_spec(links, i, limits.spec));
  return draw_plan(stream, which_case, limits, chained(std::move(drawn)));
}

std::optional<std::string> number_difference(const Trace& a, const Trace& b) {
  for (std::int64_t row = 0; row < a.rows(); ++row)
    for (const char* part : {"params/", "gradients/", "updates/"})
      if (auto found = row_difference({a, part}, row, {b, part}, row)) return found;
  return std::nullopt;
}

Ruling same_numbers(const Plan& a, const Plan& b) {
  const auto found = number_difference(float_run(a), float_run(b));
  return found ? broken("in floats, " + *found) : holds();
}

Ruling same_each_microstep(const Plan& a, const Plan& b) {
  return same(decide({a, b, each_microstep(a), each_microstep(b)}));
}

Ruling is_associative(const Plan& plan) {
  const std::vector<Spec>& links = plan.spec.of;
  if (plan.spec.op != "chain" || links.size() < 3) return beside("no chain of three");
  const std::vector<Spec> tail(links.begin() + 1, links.end()), head(links.begin(), links.end() - 1);
  const Plan right = with_spec(plan, chained({links[0], chained(tail)}));
  const Plan left = with_spec(plan, chained({chained(head), links.back()}));
  return all_of({[&] { return same_numbers(plan, left); }, [&] { return same_numbers(plan, right); },
                 [&] { return same_each_microstep(left, right); }});
}

RC_GTEST_PROP(Chain, IsAssociative, ()) { obey("chain-is-associative", plan_of_a_chain, is_associative); }

Ruling has_an_empty_chain_for_unit(const Plan& plan) {
  const Plan before = with_spec(plan, chained({chained({}), plan.spec}));
  const Plan behind = with_spec(plan, chained({plan.spec, chained({})}));
  return all_of({[&] { return same_numbers(plan, before); }, [&] { return same_numbers(plan, behind); }});
}

RC_GTEST_PROP(Chain, HasAnEmptyChainForUnit, ()) { obey("chain-has-a-unit", anywhere(), has_an_empty_chain_for_unit); }

bool has_other_gradient_dtypes(const Plan& plan) { return *plan.gradient_layout != plan.params.layout(); }

// Bit for bit where the accumulator has the gradients' dtype; a held or absent leaf gives zeros where the inner gives
// none, so params and state are compared.
Ruling one_is_the_identity(const Plan& plan) {
  const Plan wrapped = with_spec(plan, accumulated(plan.spec, 1));
  if (Ruling ruling = same_each_microstep(wrapped, plan); ruling.kind == Ruling::Kind::broken) return ruling;
  if (has_other_gradient_dtypes(plan)) return holds();
  const Trace own = float_run(wrapped), inner = float_run(plan);
  for (std::int64_t row = 0; row < own.rows(); ++row) {
    if (auto found = row_difference({own, "params/"}, row, {inner, "params/"}, row)) return broken(*found);
    if (auto found = row_difference({own, "state/of[0]"}, row, {inner, "state"}, row)) return broken(*found);
  }
  return holds();
}

RC_GTEST_PROP(OneMicrostep, IsTheInnerOptimizer, ()) {
  PlanLimits limits = anywhere();
  limits.spec.accumulators = Accumulators::none;
  obey("one-is-the-identity", limits, one_is_the_identity);
}

// apply_every(1) turns an absent gradient into zeros, so it is the identity where none is absent.
Ruling every_one_is_the_identity(const Plan& plan) {
  const Spec every = checked({"apply_every", {{"k", Value(1)}}, {}});
  const Plan before = with_spec(plan, chained({every, plan.spec}));
  const Plan behind = with_spec(plan, chained({plan.spec, every}));
  return all_of({[&] { return same_each_microstep(before, plan); }, [&] { return same_each_microstep(behind, plan); }});
}

RC_GTEST_PROP(OneMicrostep, IsTheIdentityForApplyEvery, ()) {
  PlanLimits limits = anywhere();
  limits.spec.accumulators = Accumulators::none;
  limits.absent = 0;
  limits.special = {0.02, 0.02, 0.02, 0, 0, 0};
  obey("apply-every-of-one-is-the-identity", limits, every_one_is_the_identity);
}

PlanLimits without_memory() {
  PlanLimits limits = anywhere();
  limits.spec.accumulators = Accumulators::outermost;
  limits.spec.ops = {"scale", "clip", "clip_by_global_norm", "chain", "masked"};
  limits.spec.schedules = false;
  return limits;
}

// Nothing of these specs looks at params or remembers: a window alone gives the updates that it gives among others.
Ruling stands_alone(const Plan& plan) {
  const auto full = windows(plan, skipped_microsteps(plan));
  const Trace whole = float_run(plan);
  for (const auto& window : full) {
    const Trace alone = float_run(with_microsteps(plan, window));
    if (auto found = row_difference({whole, "updates/"}, window.back() + 1, {alone, "updates/"}, alone.microsteps()))
      return broken(*found);
  }
  return holds();
}

// A skipped last microbatch closes the window before it one microstep later, so those plans are left to other laws.
RC_GTEST_PROP(Window, IsIndependentOfOtherWindows, ()) {
  PlanLimits limits = without_memory();
  limits.spec.choices = {{"skip", {"never", "window_not_finite"}}, {"clear", {"select"}}};
  obey("windows-are-independent", limits, stands_alone);
}

using A = Emulated<double>;

void replace_accumulators(State<double>& state, const State<double>& fresh) {
  for (auto& [name, slot] : state.slots)
    if (name == "acc_grads" || name == "acc_weight" || name == "grad_acc") slot = fresh.slot(name);
  for (std::size_t i = 0; i < state.of.size(); ++i) replace_accumulators(state.of[i], fresh.of[i]);
}

// Two runs side by side; at each window's end one gets fresh accumulators, and nothing may differ afterwards. A window
// that only the run's skipped end flushes has not ended with its last microbatch; where one accumulator of a chain
// skips and the other counts on, no microstep need be the end of a window, and windows are refused.
Ruling leaves_nothing_in_the_accumulator(const Plan& plan) {
  std::vector<bool> skipped;
  try {
    skipped = skipped_microsteps(plan);
  } catch (const Error& error) {
    return error.id() == "plan.no-common-windows" ? undecided(error.what()) : broken(error.what());
  }
  auto full = windows(plan, skipped);
  if (!skipped.empty() && skipped.back() && !full.empty()) full.pop_back();
  const A arithmetic{Dtype::float64, plan.hyper_precision};
  Training<A> own(arithmetic, plan), renewed(arithmetic, plan);
  const State<double> fresh = own.state;
  for (std::int64_t t = 0; !own.done(); ++t) {
    own.step();
    renewed.step();
    if (auto found = tree_difference("updates", own.updates, renewed.updates)) return broken(*found);
    if (auto found = tree_difference("params", own.params, renewed.params)) return broken(*found);
    if (auto found = state_difference("state", own.state, renewed.state)) return broken(*found);
    const bool ends = std::ranges::any_of(full, [&](const auto& window) { return window.back() == t; });
    if (ends) replace_accumulators(renewed.state, fresh);
    if (ends && mentions(plan.spec, "apply_every")) replace_accumulators(own.state, renewed.state);
  }
  return holds();
}

RC_GTEST_PROP(Window, LeavesNothingInTheAccumulator, ()) {
  PlanLimits limits = anywhere();
  limits.spec.choices = {{"clear", {"select"}}};
  obey("windows-leave-nothing", limits, leaves_nothing_in_the_accumulator);
}

// What has not happened yet changes nothing.
Ruling does_not_see_the_future(const Plan& plan) {
  const std::int64_t half = std::ssize(plan.batches) / 2;
  Plan other = plan;
  for (std::int64_t t = half; t < std::ssize(plan.batches); ++t)
    for (std::int64_t& example : other.batches[static_cast<std::size_t>(t)]) example = 0;
  const Trace a = float_run(plan), b = float_run(other);
  for (std::int64_t row = 0; row <= half && row < std::ssize(plan.batches); ++row)
    if (auto found = row_difference({a, "params/"}, row, {b, "params/"}, row)) return broken(*found);
  return holds();
}

RC_GTEST_PROP(Window, DoesNotSeeTheFuture, ()) { obey("no-future", anywhere(), does_not_see_the_future); }

}  // namespace
}  // namespace microstep::property
