// Three leaves, twelve numbers, Adam behind multi_steps, k = 4, two windows, float32. The plan is made once; what a
// property test does for each experiment is inside.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>

#include "case.hpp"
#include "microstep/data/random.hpp"
#include "microstep/judge/contract.hpp"
#include "microstep/trial/evidence.hpp"

namespace microstep::bench {
namespace {

constexpr std::int64_t microsteps = 8;

Tree<double> drawn(const LayoutPointer& layout, const Stream& stream, std::uint64_t which) {
  Tree<double> tree(layout);
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    for (double& x : tree.values(i)) x = stream.dyadic(64, which, index++);
  return tree;
}

Plan plan_of_twelve_numbers() {
  Plan plan;
  plan.spec = parse_spec("multi_steps(adam(0.1), k=4)");
  plan.problem = parse_spec("replay", OpKind::problem);
  plan.gradient_layout =
      make_layout({{"w", {2, 3}, Dtype::float32}, {"b", {5}, Dtype::float32}, {"s", {}, Dtype::float32}});
  plan.params = drawn(plan.gradient_layout, Stream("init", 1), 0);
  for (std::int64_t t = 0; t < microsteps; ++t) {
    plan.given.push_back({drawn(plan.gradient_layout, Stream("gradient", 1), static_cast<std::uint64_t>(t)), 1});
    plan.batches.push_back({t});
  }
  check(plan);
  return plan;
}

void require(const std::vector<Verdict>& verdicts) {
  for (const Verdict& verdict : verdicts)
    if (verdict.outcome == Outcome::broken) std::abort();
  benchmark::DoNotOptimize(verdicts.data());
}

// Both runs, then what two float traces alone can show.
void judge_two_runs(const Experiment& experiment, std::span<const std::string_view> contracts) {
  require(judge_all(gather(experiment, own_run, {false, false}), contracts));
}

void judge_accumulated_over_balls(const Experiment& experiment) {
  require(judge_all(gather(experiment, own_run, {true, false})));
}

void judge_everything(const Plan& plan) {
  const Experiment experiment = experiment_of("bench", plan);
  require(judge_all(gather(experiment, own_run)));
}

void decide_once(const Experiment& experiment, const Windows& windows) {
  const Semantics semantics =
      decide({experiment.plans.at(Role::accumulated), experiment.plans.at(Role::reference), windows});
  if (semantics.verdict != Sameness::same) std::abort();
}

// Contracts that give an answer on the traces of the two runs.
std::vector<std::string_view> answered(const Experiment& experiment) {
  std::vector<std::string_view> ids;
  for (const Verdict& verdict : judge_all(gather(experiment, own_run, {false, false})))
    if (verdict.outcome == Outcome::holds) ids.push_back(contract(verdict.contract).id);
  return ids;
}

}  // namespace

std::vector<Case> experiment_cases() {
  auto plan = std::make_shared<const Plan>(plan_of_twelve_numbers());
  auto pair = std::make_shared<const Experiment>(
      Experiment{"bench", {{Role::accumulated, *plan}, {Role::reference, large_batch_of(*plan)}}});
  const std::vector<std::string_view> ids = answered(*pair);
  const std::string few = fmt::format("experiment, {} contracts that need no further run", ids.size());
  return {
      {few, Figure::rate, 20000, {few, {}, [=] { judge_two_runs(*pair, ids); }}, {}, 200},
      {"experiment, with the one-step balls of the accumulated run",
       Figure::rate,
       {},
       {"experiment, with the one-step balls of the accumulated run", {}, [=] { judge_accumulated_over_balls(*pair); }},
       {},
       50},
      {"experiment, all contracts",
       Figure::rate,
       5000,
       {"experiment, all contracts", {}, [=] { judge_everything(*plan); }},
       {},
       20},
      {"decide", Figure::rate, 5000, {"decide", {}, [=] { decide_once(*pair, windows(*plan)); }}, {}, 50},
  };
}

}  // namespace microstep::bench
