#include <algorithm>
#include <cmath>

#include "microstep/draw/plans.hpp"

namespace microstep {
namespace {

bool has_only(const std::map<std::string, std::vector<std::string>>& choices, const Spec& spec) {
  for (const auto& [name, allowed] : choices) {
    const auto found = spec.args.find(name);
    if (found != spec.args.end() && std::ranges::find(allowed, spec.text(name)) == allowed.end()) return false;
  }
  return std::ranges::all_of(spec.of, [&](const Spec& inner) { return has_only(choices, inner); });
}

int accumulators(const Spec& spec) {
  int count = op_rule(spec.op).accumulates ? 1 : 0;
  for (const Spec& inner : spec.of) count += accumulators(inner);
  return count;
}

bool fits(Accumulators allowed, const Spec& spec) {
  if (allowed == Accumulators::none) return accumulators(spec) == 0;
  return allowed == Accumulators::anywhere || (spec.op == "multi_steps" && accumulators(spec) == 1);
}

double least_number(const Value& value) {
  if (const double* number = std::get_if<double>(&value.data)) return *number;
  double least = INFINITY;
  for (const Value& entry : std::get<std::vector<Value>>(value.data))
    least = std::min(least, std::get<double>(std::get<std::vector<Value>>(entry.data).at(1).data));
  return least;
}

bool is_at_least(std::int64_t least_k, const Spec& spec) {
  const auto k = spec.args.find("k");
  if (k != spec.args.end() && least_number(k->second) < static_cast<double>(least_k)) return false;
  return std::ranges::all_of(spec.of, [&](const Spec& inner) { return is_at_least(least_k, inner); });
}

bool is_even(const Plan& plan) {
  return std::ranges::all_of(plan.batches, [&](const auto& b) { return b.size() == plan.batches[0].size(); }) &&
         std::ranges::all_of(plan.given, [&](const auto& g) { return g.weight == plan.given[0].weight; });
}

bool is_finite(const Tree<double>& tree) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    if (tree.is_dense(i) && !std::ranges::all_of(tree.values(i), [](double x) { return std::isfinite(x); }))
      return false;
  return true;
}

}  // namespace

bool is_within(const PlanLimits& limits, const Plan& plan) {
  const bool any_number = limits.special.infinite > 0 || limits.special.nan > 0;
  return plan.loss == limits.loss && has_only(limits.spec.choices, plan.spec) &&
         fits(limits.spec.accumulators, plan.spec) && is_at_least(limits.spec.least_k, plan.spec) &&
         (limits.ragged || is_even(plan)) &&
         (any_number || std::ranges::all_of(plan.given, [](const auto& g) { return is_finite(g.gradient); }));
}

}  // namespace microstep
