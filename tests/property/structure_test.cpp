// Laws of form: chains and k = 1.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "property/law.hpp"
#include "property/runs.hpp"

namespace microstep::property {
namespace {

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

}  // namespace
}  // namespace microstep::property
