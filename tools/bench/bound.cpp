// One-step balls against the run that they judge.
#include "case.hpp"
#include "microstep/bound/transition.hpp"
#include "microstep/train/run.hpp"
#include "microstep/train/setup.hpp"

namespace microstep::bench {
namespace {

constexpr std::int64_t numbers = 20'000;

Plan plan_of(Dtype dtype) {
  PlanOptions options;
  options.windows = 2;
  options.examples = 1;
  options.dtype = dtype;
  Plan plan = make_plan(parse_spec("multi_steps(adam(0.1), k=2)"), parse_spec("replay", OpKind::problem), options);
  const LayoutPointer layout = make_layout({{"w", {numbers}, dtype}});
  auto drawn = [&](double scale) {
    Tree<double> tree(layout);
    for (std::int64_t i = 0; i < numbers; ++i)
      tree.values(0)[static_cast<std::size_t>(i)] = round_to(dtype, scale * static_cast<double>(i % 997 - 498) / 1000);
    return tree;
  };
  plan.params = drawn(1);
  plan.gradient_layout = layout;
  for (std::size_t i = 0; i < plan.given.size(); ++i) plan.given[i].gradient = drawn(1 + static_cast<double>(i) / 7);
  return plan;
}

Case against_plain(Dtype dtype, double limit) {
  const auto plan = std::make_shared<Plan>(plan_of(dtype)), plain = std::make_shared<Plan>(plan_of(Dtype::float64));
  const auto observed = std::make_shared<Envelope>(embedded(run(*plan)));
  const std::string name = "one-step balls of " + std::string(to_string(dtype)) + ", 20 000 numbers";
  return {name,
          Figure::ratio,
          limit,
          {name, {}, [=] { transitions(*plan, *observed); }},
          Work{"the same steps in plain float64", {}, [=] { run(*plain); }}};
}

}  // namespace

std::vector<Case> bound_cases() { return {against_plain(Dtype::float32, 15), against_plain(Dtype::float64, 200)}; }

}  // namespace microstep::bench
