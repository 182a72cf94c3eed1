#include "microstep/train/problem.hpp"

#include <fmt/format.h>

#include "microstep/train/problems.hpp"

namespace microstep {
namespace {

template <class A>
struct Maker {
  std::string_view problem;
  std::unique_ptr<Problem<A>> (*make)(const A&, const Plan&);
};

template <class A>
constexpr Maker<A> makers[] = {
    {"replay", make_replay<A>},  {"linear_regression", make_supervised<A>}, {"logistic_regression", make_supervised<A>},
    {"mlp", make_supervised<A>}, {"tiny_conv_net", make_supervised<A>},
};

// Judged only where the gradients are given.
template <>
constexpr Maker<Balls<double>> makers<Balls<double>>[] = {{"replay", make_replay<Balls<double>>}};

}  // namespace

template <class A>
std::unique_ptr<Problem<A>> make_problem(const A& arithmetic, const Plan& plan) {
  for (const Maker<A>& maker : makers<A>)
    if (maker.problem == plan.problem.op) return maker.make(arithmetic, plan);
  throw Error("spec.unknown-op", fmt::format("there is no problem '{}'", plan.problem.op), to_string(plan.problem),
              "docs/language.md lists them");
}
MICROSTEP_INSTANTIATE_PROBLEM(make_problem)
template std::unique_ptr<Problem<Balls<double>>> make_problem(const Balls<double>&, const Plan&);

double batch_weight(const Plan& plan, const std::vector<std::int64_t>& batch) {
  if (plan.problem.op != "replay") return static_cast<double>(batch.size());
  double weight = 0;
  for (std::int64_t index : batch) weight += plan.given[static_cast<std::size_t>(index)].weight;
  return weight;
}

}  // namespace microstep
