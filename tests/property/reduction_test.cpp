// What a window hands to the inner optimizer: laws of the mean, the sum and the weighted mean against the large batch.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "property/law.hpp"
#include "property/runs.hpp"

namespace microstep::property {
namespace {

using Choices = std::map<std::string, std::vector<std::string>>;

// Policies under which a window is the large batch of its microsteps.
PlanLimits limits_of(const std::string& reduce) {
  PlanLimits limits;
  limits.spec.accumulators = Accumulators::outermost;
  limits.spec.choices = {
      {"reduce", {reduce}}, {"skip", {"never"}}, {"partial", {"hold", "flush", "drop"}}, {"clear", {"select"}}};
  limits.mixed_dtypes = true;
  limits.absent = 0.15;
  limits.frozen = 0.05;
  limits.special.zero = limits.special.negative_zero = limits.special.tiny = 0.02;
  limits.ragged = reduce != "mean";
  limits.loss = reduce == "sum" ? Loss::sum : Loss::mean;
  return limits;
}

Ruling is_the_large_batch(const Plan& plan) {
  const std::vector<bool> skipped = skipped_microsteps(plan);
  const Plan reference = large_batch_of(plan, skipped);
  return same(decide({plan, reference, windows(plan, skipped)}));
}

RC_GTEST_PROP(Mean, IsTheLargeBatch, ()) { obey("mean-is-the-large-batch", limits_of("mean"), is_the_large_batch); }

RC_GTEST_PROP(Sum, IsTheLargeBatchOfASumLoss, ()) {
  obey("sum-is-the-large-batch-of-a-sum-loss", limits_of("sum"), is_the_large_batch);
}

RC_GTEST_PROP(WeightedMean, IsTheLargeBatchOfRaggedMicrobatches, ()) {
  obey("weighted-is-the-large-batch", limits_of("weighted"), is_the_large_batch);
}

// Every op of the table, so that none hides behind the others.
TEST(Mean, IsTheLargeBatchForEveryInnerOp) {
  for (const OpRule& rule : op_table()) {
    if (rule.kind != OpKind::transformation || rule.accumulates) continue;
    PlanLimits limits = limits_of("mean");
    limits.spec.ops = {std::string(rule.name), "sgd", "ema"};
    int decided = 0;
    for (std::uint64_t i = 0; decided < 10 && i < 200; ++i) {
      const Plan plan = draw_plan(Stream("every-op", 1), i, limits);
      if (!mentions(plan.spec, rule.name)) continue;
      const Ruling ruling = is_the_large_batch(plan);
      decided += ruling.kind == Ruling::Kind::undecided ? 0 : 1;
      ASSERT_NE(ruling.kind, Ruling::Kind::broken)
          << failure_report("mean-is-the-large-batch", plan, [&](const Plan& p) {
               return is_within(limits, p) ? is_the_large_batch(p) : beside("outside");
             });
    }
    EXPECT_EQ(decided, 10) << rule.name;
  }
}

RC_GTEST_PROP(Skip, LeavesTheLargeBatchOfTheOtherMicrobatches, ()) {
  PlanLimits limits = limits_of("mean");
  limits.spec.choices["skip"] = {"not_finite", "large", "window_not_finite"};
  limits.special.infinite = limits.special.nan = 0.01;
  obey("skip-leaves-the-large-batch", limits, is_the_large_batch);
}

// Held gradients that were absent all along are zeros of the mean, and change nothing else.
Plan padded(const Plan& plan) {
  Plan full = with_spec(plan, plan.spec);
  full.spec.args["partial"] = Value("hold");
  const std::size_t before = windows(full).size();
  if (before == windows(plan).size()) return full;
  full.given.push_back({Tree<double>(plan.gradient_layout, Presence::absent), plan.given[0].weight});
  const std::vector<std::int64_t> nothing(plan.batches[0].size(), std::ssize(full.given) - 1);
  while (windows(full).size() == before) full.batches.push_back(nothing);
  return full;
}

Ruling divides_by_k(const Plan& plan) {
  if (plan.spec.op != "multi_steps" || plan.spec.text("partial") != "flush_by_k") return beside("no flush_by_k");
  const Plan full = padded(plan);
  if (full.batches.size() == plan.batches.size()) return beside("the last window is full");
  return same(decide({plan, full, windows(plan), windows(full)}));
}

// Half: a plan ends with the first microstep of a window, since a flushed window counts, and in half of the plans 1 to
// 3 microsteps behind it. That is short for 0 of k = 1, 2/3 of k = 2, 5/6 of k = 3 and of k = 4: 7/12 of all.
RC_GTEST_PROP(FlushByK, IsAWindowFilledUpWithNothing, ()) {
  PlanLimits limits = limits_of("mean");
  limits.spec.choices["partial"] = {"flush_by_k"};
  obey("flush-by-k-is-filled-up-with-nothing", limits, divides_by_k, 0.5);
}

Plan turned(Plan plan, const Windows& windows, std::size_t by) {
  const auto batches = plan.batches;
  for (const auto& window : windows)
    for (std::size_t i = 0; i < window.size(); ++i)
      plan.batches[static_cast<std::size_t>(window[i])] =
          batches[static_cast<std::size_t>(window[(i + by) % window.size()])];
  return plan;
}

Plan reversed(Plan plan, const Windows& windows) {
  const auto batches = plan.batches;
  for (const auto& window : windows)
    for (std::size_t i = 0; i < window.size(); ++i)
      plan.batches[static_cast<std::size_t>(window[i])] =
          batches[static_cast<std::size_t>(window[window.size() - 1 - i])];
  return plan;
}

Ruling forgets_the_order(const Plan& plan) {
  const Windows full = windows(plan, skipped_microsteps(plan));
  const Plan rotated = turned(plan, full, 1), backwards = reversed(plan, full);
  return all_of({[&] {
                   return same(decide({plan, rotated, full, full}));
                 },
                 [&] {
                   return same(decide({plan, backwards, full, full}));
                 }});
}

RC_GTEST_PROP(Window, ForgetsTheOrderOfItsMicrobatches, ()) {
  PlanLimits limits = limits_of("mean");
  limits.spec.choices = {{"skip", {"never", "not_finite", "window_not_finite"}}, {"clear", {"select"}}};
  limits.special.nan = 0.005;
  limits.ragged = true;
  obey("order-inside-a-window", limits, forgets_the_order);
}

Plan sgd_behind_apply_every(const Stream& stream, std::uint64_t which_case) {
  Dice dice(Stream("apply_every", stream.bits(which_case, 0)), which_case);
  const Spec sgd = checked({"sgd", {{"lr", Value(static_cast<double>(dice.between(1, 15)) / 16)}}, {}});
  const Spec every = checked({"apply_every", {{"k", Value(dice.between(2, 4))}}, {}});
  PlanLimits limits = limits_of("sum");
  limits.loss = Loss::mean;
  limits.ragged = false;
  const Spec spec = dice.below(2) == 0 ? Spec{"chain", {}, {every, sgd}} : Spec{"chain", {}, {sgd, every}};
  return draw_plan(stream, which_case, limits, checked(spec));
}

const Spec* find(const Spec& spec, std::string_view op) {
  if (spec.op == op) return &spec;
  for (const Spec& inner : spec.of)
    if (const Spec* found = find(inner, op)) return found;
  return nullptr;
}

// lr k is exact: lr is n/16 and k at most 4.
Ruling is_k_times_the_mean(const Plan& plan) {
  const Spec* every = find(plan.spec, "apply_every");
  Plan reference = large_batch_of(plan);
  if (!every || reference.spec.op != "sgd") return beside("no sgd behind apply_every");
  reference.spec.args["lr"] = Value(reference.spec.number("lr") * every->number("k"));
  return same(decide({plan, reference, windows(plan)}));
}

RC_GTEST_PROP(ApplyEvery, IsKTimesTheMeanForPlainSgd, ()) {
  obey("apply-every-is-k-times-the-mean", sgd_behind_apply_every, is_k_times_the_mean);
}

Plan adam_behind_apply_every(const Stream& stream, std::uint64_t which_case) {
  Plan plan = sgd_behind_apply_every(stream, which_case);
  for (Spec& link : plan.spec.of)
    if (link.op == "sgd") link = checked({"adam", {{"lr", link.args.at("lr")}}, {}});
  return plan;
}

bool has_gradients(const Plan& plan) {
  for (std::size_t i = 0; i < plan.params.leaf_count(); ++i)
    for (std::int64_t example : plan.batches[0]) {
      const Tree<double>& g = plan.given[static_cast<std::size_t>(example)].gradient;
      if (g.is_dense(i) && std::ranges::any_of(g.values(i), [](double x) { return x != 0; })) return true;
    }
  return false;
}

// nu sums k squares, each weighted with at least 0.999^3: more than the square of the mean, whatever the gradients.
Ruling differs_for_adam(const Plan& plan) {
  if (!find(plan.spec, "apply_every") || !find(plan.spec, "adam")) return beside("no Adam");
  if (find(plan.spec, "apply_every")->integer("k") < 2 || windows(plan).empty()) return beside("no window");
  const Plan reference = large_batch_of(plan);
  const Semantics semantics = decide({plan, reference, windows(plan)});
  if (semantics.verdict != Sameness::different) return broken("the same as the large batch");
  if (!semantics.differences[0].is_count) return broken("the count of Adam is not the first difference");
  const bool adam_first = plan.spec.op == "chain" && plan.spec.of[0].op == "adam";
  if (adam_first && has_gradients(plan) && semantics.differences.size() < 2) return broken("only counts differ");
  return holds();
}

RC_GTEST_PROP(ApplyEvery, DiffersFromTheMeanForAdam, ()) {
  obey("apply-every-differs-for-adam", adam_behind_apply_every, differs_for_adam);
}

}  // namespace
}  // namespace microstep::property
