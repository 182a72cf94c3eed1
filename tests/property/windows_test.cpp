// Laws of windows: what one of them leaves behind for the next, and what it sees of it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "microstep/train/run.hpp"
#include "property/law.hpp"
#include "property/runs.hpp"

namespace microstep::property {
namespace {

// apply_every alone, before, behind or between specs that do not accumulate.
Spec around_apply_every(Dice& dice, SpecLimits limits) {
  limits.accumulators = Accumulators::none;
  limits.depth = 2;
  std::vector<Spec> links;
  const std::int64_t form = dice.below(4);
  if (form & 1) links.push_back(draw_spec(dice, limits));
  links.push_back(checked({"apply_every", {{"k", Value(dice.between(limits.least_k, limits.k))}}, {}}));
  if (form & 2) links.push_back(draw_spec(dice, limits));
  return links.size() == 1 ? links[0] : checked(Spec{"chain", {}, std::move(links)});
}

bool accumulates(const Spec& spec) { return mentions(spec, "apply_every") || mentions(spec, "multi_steps"); }

// Half of the specs have apply_every outermost, the others are as the limits say, and accumulate.
Plan drawn(const Stream& stream, std::uint64_t which_case, const PlanLimits& limits) {
  Dice dice(Stream("accumulators", stream.bits(which_case, 0)), which_case);
  Spec spec = around_apply_every(dice, limits.spec);
  for (bool again = dice.below(2) == 0; again; again = !accumulates(spec)) spec = draw_spec(dice, limits.spec);
  return draw_plan(stream, which_case, limits, spec);
}

void obey_around_accumulators(const std::string& name, const PlanLimits& limits, const Law& law, double least_share) {
  PlanLimits allowed = limits;
  allowed.spec.accumulators = Accumulators::anywhere;
  obey(
      name, [&](const Stream& stream, std::uint64_t which_case) { return drawn(stream, which_case, limits); },
      [&](const Plan& plan) { return is_within(allowed, plan) ? law(plan) : beside("outside of the limits"); },
      least_share);
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
  return full.size() < 2 ? beside("there is no other window") : holds();
}

// A skipped last microbatch closes the window before it one microstep later, so those plans are left to other laws. One
// plan in three has one window only, and some windows are left out.
RC_GTEST_PROP(Window, IsIndependentOfOtherWindows, ()) {
  PlanLimits limits = without_memory();
  limits.spec.choices = {{"skip", {"never", "window_not_finite"}}, {"clear", {"select"}}};
  obey_around_accumulators("windows-are-independent", limits, stands_alone, 0.6);
}

using A = Emulated<double>;

// At a window's end what multi_steps has is as it was at the start, and what apply_every holds is left over: nothing
// may depend on it. True if there was a number to exchange.
bool exchange_accumulators(State<double>& state, const State<double>& fresh) {
  bool exchanged = false;
  for (auto& [name, slot] : state.slots) {
    if (name == "acc_weight") slot = fresh.slot(name);
    if (name != "acc_grads" && name != "grad_acc") continue;
    for (std::size_t i = 0; i < slot.leaf_count(); ++i)
      exchanged |= slot.presence(i) != Presence::absent && slot.leaf(i).size > 0;
    slot = fresh.slot(name);
    for (std::size_t i = 0; name == "grad_acc" && i < slot.leaf_count(); ++i)
      if (slot.presence(i) != Presence::absent) std::ranges::fill(slot.dense_values(i, 0), 3.0);
  }
  for (std::size_t i = 0; i < state.of.size(); ++i) exchanged |= exchange_accumulators(state.of[i], fresh.of[i]);
  return exchanged;
}

// Of all but what is left over: the sum of an apply_every that the next microstep overwrites.
std::optional<std::string> used_difference(const std::string& path, State<double> a, State<double> b) {
  if (a.op == "apply_every" && a.count("count") == 0) a.slots.clear(), b.slots.clear();
  std::vector<State<double>> of, other;
  std::swap(of, a.of);
  std::swap(other, b.of);
  if (auto found = state_difference(path, a, b)) return found;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (auto found = used_difference(path + "/of", of[i], other[i])) return found;
  return std::nullopt;
}

std::optional<std::string> difference(const Training<A>& a, const Training<A>& b) {
  if (auto found = tree_difference("updates", a.updates, b.updates)) return found;
  if (auto found = tree_difference("params", a.params, b.params)) return found;
  return used_difference("state", a.state, b.state);
}

// Without the last window where only the run's skipped end flushes it: it has not ended with its last microbatch.
Windows ended_windows(const Plan& plan) {
  const std::vector<bool> skipped = skipped_microsteps(plan);
  Windows full = windows(plan, skipped);
  if (!skipped.empty() && skipped.back() && !full.empty()) full.pop_back();
  return full;
}

// Two runs side by side; at each window's end one gets other accumulators, and nothing may differ afterwards.
Ruling goes_on_alike(const Plan& plan, const Windows& full) {
  const A arithmetic{Dtype::float64, plan.hyper_precision};
  Training<A> own(arithmetic, plan), other(arithmetic, plan);
  const State<double> fresh = own.state;
  bool exchanged = false, compared = false;
  for (std::int64_t t = 0; !own.done(); ++t) {
    own.step();
    other.step();
    if (auto found = difference(own, other)) return broken(*found);
    compared |= exchanged;
    if (std::ranges::any_of(full, [&](const auto& window) { return window.back() == t; }))
      exchanged |= exchange_accumulators(other.state, fresh);
  }
  return compared ? holds() : beside("no microstep follows a window with numbers");
}

// Where one accumulator of a chain skips and the other counts on, no microstep need be the end of a window, and windows
// are refused.
Ruling leaves_nothing_in_the_accumulator(const Plan& plan) {
  try {
    return goes_on_alike(plan, ended_windows(plan));
  } catch (const Error& error) {
    return error.id() == "plan.no-common-windows" ? undecided(error.what()) : broken(error.what());
  }
}

// One plan in six has one window and no microstep behind it; others have no leaf with numbers, or skip what follows.
RC_GTEST_PROP(Window, LeavesNothingInTheAccumulator, ()) {
  PlanLimits limits = anywhere();
  limits.spec.choices = {{"clear", {"select"}}};
  obey_around_accumulators("windows-leave-nothing", limits, leaves_nothing_in_the_accumulator, 0.7);
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
