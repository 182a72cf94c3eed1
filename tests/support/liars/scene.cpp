#include "support/liars/scene.hpp"

#include <stdexcept>

#include "microstep/bound/transition.hpp"
#include "microstep/trial/evidence.hpp"

namespace microstep::liars {
namespace {

double odd_eighth(std::int64_t microstep, std::size_t leaf, std::size_t index) {
  const auto mixed = static_cast<std::size_t>(microstep) * 5 + leaf * 3 + index * 7;
  return (2.0 * static_cast<double>(mixed % 13) - 13.0) / 8.0;
}

Tree<double> gradient_of(const LayoutPointer& layout, std::int64_t microstep) {
  Tree<double> tree(layout);
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    for (std::size_t j = 0; j < tree.values(i).size(); ++j) tree.values(i)[j] = odd_eighth(microstep, i, j);
  return tree;
}

bool mentions(const Spec& spec, std::string_view op, std::string_view reduce) {
  if (spec.op == op && (reduce.empty() || spec.text("reduce") == reduce)) return true;
  for (const Spec& inner : spec.of)
    if (mentions(inner, op, reduce)) return true;
  return false;
}

Plan empty_plan(const Spec& spec, std::vector<Leaf> leaves) {
  Plan plan;
  plan.spec = spec;
  plan.problem = parse_spec("replay", OpKind::problem);
  plan.gradient_layout = make_layout(std::move(leaves));
  plan.params = Tree<double>(plan.gradient_layout);
  return plan;
}

void add_microstep(Plan& plan, Tree<double> gradient, double weight) {
  plan.given.push_back({std::move(gradient), weight});
  plan.batches.push_back({static_cast<std::int64_t>(plan.given.size()) - 1});
}

template <class A>
TransformationPointer<A> made(const Liar& liar, const Spec& spec) {
  if constexpr (std::is_same_v<A, Plain<float>>)
    return liar.makers.in_float32(spec, liar.detail);
  else if constexpr (std::is_same_v<A, Plain<double>>)
    return liar.makers.in_float64(spec, liar.detail);
  else
    return liar.makers.over_balls(spec, liar.detail);
}

template <class A>
Restore<A> restore_of(const Liar* liar) {
  Restore<A> honest = [](const State<typename A::Value>& state) { return state; };
  if (!liar) return honest;
  Restore<A> found;
  if constexpr (std::is_same_v<A, Plain<float>>)
    found = liar->restores.in_float32;
  else if constexpr (std::is_same_v<A, Plain<double>>)
    found = liar->restores.in_float64;
  else
    found = liar->restores.over_balls;
  return found ? found : honest;
}

template <class A>
Envelope run_as(const A& arithmetic, const Plan& plan, const Liar* liar) {
  const bool lies = liar && liar->makers.over_balls && plan.spec == parse_spec(liar->spec);
  auto rows = run_recorded<A>(arithmetic, plan, lies ? made<A>(*liar, plan.spec) : nullptr, restore_of<A>(liar));
  if constexpr (A::is_ball)
    return rows;
  else
    return embedded(rows);
}

void add_role(Evidence& evidence, Role role, const Plan& plan, Carrier carrier, const Liar* liar) {
  try {
    Envelope& rows = evidence.observed[role] = observed(plan, carrier, liar);
    if (liar && liar->retouch && role == Role::accumulated) liar->retouch(rows);
    evidence.expected[role] =
        transitions(plan, rows, carrier == Carrier::balls ? semantics_of(plan) : rounding_of(plan));
  } catch (const Undecidable& reason) {
    evidence.undecidable[role] = reason.what();
  } catch (const Error& error) {
    if (!error.id().starts_with("trace.")) throw;
  } catch (const std::runtime_error& error) {
    evidence.observed.erase(role);
    evidence.errored[role] = error.what();
  }
}

SchemaPointer schema_of_claim(const Plan& plan, Carrier carrier) {
  return observed(plan, carrier, nullptr).schema_pointer();
}

}  // namespace

Plan usual_plan(const Spec& spec, Dtype dtype) {
  Plan plan = empty_plan(spec, {{"w", {2, 3}, dtype}, {"v", {3, 2}, dtype}, {"b", {}, dtype}, {"e", {0}, dtype}});
  for (std::size_t i = 0; i < plan.params.leaf_count(); ++i)
    for (std::size_t j = 0; j < plan.params.values(i).size(); ++j)
      plan.params.values(i)[j] = static_cast<double>(1 + i + 2 * j) / 4;
  const bool weighted = mentions(spec, "multi_steps", "weighted");
  for (std::int64_t t = 0; t < 12; ++t)
    add_microstep(plan, gradient_of(plan.gradient_layout, t), weighted ? static_cast<double>(3 - 2 * (t % 2)) : 1.0);
  return plan;
}

Plan plan_with(const Spec& spec, const std::vector<std::pair<std::string, LeafValues>>& start,
               const std::vector<std::vector<std::optional<LeafValues>>>& gradients,
               const std::vector<double>& weights) {
  std::vector<Leaf> leaves;
  for (const auto& [name, values] : start)
    leaves.push_back({name, {static_cast<std::int64_t>(values.size())}, Dtype::float64});
  Plan plan = empty_plan(spec, std::move(leaves));
  for (std::size_t i = 0; i < start.size(); ++i) std::ranges::copy(start[i].second, plan.params.values(i).begin());
  for (std::size_t t = 0; t < gradients.size(); ++t) {
    Tree<double> tree(plan.gradient_layout);
    for (std::size_t i = 0; i < start.size(); ++i) {
      tree.mark(i, gradients[t][i] ? Presence::dense : Presence::absent);
      if (gradients[t][i]) std::ranges::copy(*gradients[t][i], tree.values(i).begin());
    }
    add_microstep(plan, std::move(tree), t < weights.size() ? weights[t] : 1.0);
  }
  return plan;
}

Plan scalar_plan(const Spec& spec, double start, const std::vector<double>& gradients) {
  std::vector<std::vector<std::optional<LeafValues>>> all;
  for (double g : gradients) all.push_back({LeafValues{g}});
  return plan_with(spec, {{"w", {start}}}, all);
}

Plan plan_of(const Liar& liar, Dtype dtype) {
  Plan plan = usual_plan(parse_spec(liar.spec), dtype);
  if (liar.arrange) liar.arrange(plan);
  return plan;
}

Envelope observed(const Plan& plan, Carrier carrier, const Liar* liar) {
  if (carrier == Carrier::float32) return run_as(Plain<float>{plan.hyper_precision}, plan, liar);
  if (carrier == Carrier::float64) return run_as(Plain<double>{plan.hyper_precision}, plan, liar);
  return run_as(semantics_of(plan), plan, liar);
}

std::vector<Verdict> verdicts_on(const Liar& liar, Carrier carrier, bool honest) {
  const Plan plan = plan_of(liar, carrier == Carrier::float32 ? Dtype::float32 : Dtype::float64);
  Experiment experiment = experiment_of(std::string(liar.id), plan);
  if (mentions(plan.spec, "apply_every", "") || mentions(plan.spec, "multi_steps", "sum"))
    experiment.plans[Role::reference].loss = experiment.plans[Role::single].loss = Loss::sum;
  Gathering gathering;
  gathering.expected = false;
  if (!honest && liar.makers.over_balls) gathering.transformation = liar.makers.over_balls(plan.spec, liar.detail);
  Evidence evidence = gather(
      experiment, [](const Plan&) -> Answer { return Skipped{"run by the scene"}; }, gathering);
  evidence.skipped.clear();
  for (Role role : {Role::accumulated, Role::reference, Role::interrupted, Role::single}) {
    const bool lies = !honest && role != Role::reference;
    add_role(evidence, role, experiment.plans.at(role), carrier, lies ? &liar : nullptr);
    evidence.declared[role] = schema_of_claim(experiment.plans.at(role), carrier);
  }
  return judge_all(evidence);
}

}  // namespace microstep::liars
