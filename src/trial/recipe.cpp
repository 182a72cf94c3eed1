#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microstep/data/error.hpp"
#include "microstep/data/random.hpp"
#include "microstep/train/setup.hpp"
#include "microstep/trial/evidence.hpp"
#include "microstep/trial/record.hpp"

namespace microstep {
namespace {

std::vector<Leaf> leaves_named(const std::string& name, Dtype dtype) {
  if (name == "one") return {{"w", {1}, dtype}};
  if (name == "edge") return {{"w", {3, 2}, dtype}, {"empty", {0, 4}, dtype}, {"s", {}, dtype}};
  return {{"w", {2, 3}, dtype}, {"b", {3}, dtype}, {"s", {}, dtype}};
}

// 53 random bits over four decades of magnitude, signs mixed, rounded to the dtype.
double scaled(const Stream& stream, Dtype dtype, std::uint64_t microstep, std::uint64_t index) {
  double unit = static_cast<double>(stream.bits(microstep, 2 * index) >> 11) * 0x1p-53 + 0.5;
  auto decade = static_cast<int>(stream.below(14, microstep, 2 * index + 1)) - 10;
  bool negative = (stream.bits(microstep, 2 * index + 1) & 1) != 0;
  return round_to(dtype, std::ldexp(negative ? -unit : unit, decade));
}

// One of 1 to sizes; no element has one twice in the microsteps 1 to sizes - 1.
constexpr std::uint64_t sizes = 16;
std::uint64_t own_size(const Stream& stream, std::uint64_t microstep, std::uint64_t index) {
  const std::uint64_t first = microstep - microstep % sizes;
  const auto key = [&](std::uint64_t t) { return std::pair(stream.bits(t, 2 * index), t); };
  std::uint64_t rank = 1;
  for (std::uint64_t t = first; t < first + sizes; ++t) rank += key(t) < key(microstep) ? 1 : 0;
  return rank;
}

// Twelve times 1 to 16 over 64: exact in every dtype, and so are its means over 1 to 4. mixed: signs change from
// microstep to microstep, so that means may be 0; else each element keeps its own.
double dyadic(const Stream& stream, std::uint64_t microstep, std::uint64_t index, bool mixed) {
  double size = static_cast<double>(12 * own_size(stream, microstep, index)) / 64;
  bool negative = (stream.bits(mixed ? microstep : 0, 2 * index + 1) & 1) != 0;
  return negative ? -size : size;
}

double drawn(const Recipe& recipe, const Stream& stream, std::uint64_t microstep, std::uint64_t index) {
  if (recipe.draw == "zero") return 0;
  return recipe.draw == "scaled" ? scaled(stream, recipe.dtype, microstep, index)
                                 : dyadic(stream, microstep, index, recipe.draw == "mixed");
}

double& place_of(const Poison& poison, Tree<double>& gradient) {
  const auto leaf = poison.leaf.empty() ? std::size_t{0} : gradient.layout().find(poison.leaf);
  if (!leaf)
    throw Error("recipe.unknown-name", fmt::format("no leaf is named '{}'", poison.leaf),
                fmt::format("the poison of microstep {}", poison.microstep), "name one of the recipe's leaves");
  const std::span<double> values = gradient.values(*leaf);
  if (poison.element < 0 || poison.element >= std::ssize(values))
    throw Error("recipe.no-element",
                fmt::format("leaf '{}' has {} elements, none at {}", gradient.layout().leaves()[*leaf].name,
                            values.size(), poison.element),
                fmt::format("the poison of microstep {}", poison.microstep), "count from 0");
  return values[static_cast<std::size_t>(poison.element)];
}

void check_poisons(const Recipe& recipe, std::size_t microsteps) {
  for (const Poison& poison : recipe.poisons)
    if (poison.microstep < 1 || poison.microstep > static_cast<std::int64_t>(microsteps))
      throw Error("recipe.outside-the-run",
                  fmt::format("the plan has {} microsteps, none is {}", microsteps, poison.microstep),
                  fmt::format("the poison of microstep {}", poison.microstep),
                  "count from 1 to the last microstep of the windows and the partial one");
}

Tree<double> gradient_of(const Recipe& recipe, const LayoutPointer& layout, std::int64_t microstep) {
  Stream stream(recipe.id, 1);
  Tree<double> gradient(layout);
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < gradient.leaf_count(); ++i)
    for (double& x : gradient.values(i)) x = drawn(recipe, stream, static_cast<std::uint64_t>(microstep), index++);
  for (const Poison& poison : recipe.poisons)
    if (poison.microstep == microstep) place_of(poison, gradient) = poison.value;
  return gradient;
}

Tree<double> params_of(const Recipe& recipe, const LayoutPointer& layout) {
  Stream stream(recipe.id, 2);
  Tree<double> params(layout);
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < params.leaf_count(); ++i)
    for (double& x : params.values(i)) x = dyadic(stream, 0, index++, false);
  return params;
}

}  // namespace

Experiment experiment_of(const Recipe& recipe, const PortFacts& facts) {
  PlanOptions options;
  options.windows = recipe.windows;
  options.partial = recipe.partial;
  options.examples = 1;
  options.dtype = recipe.dtype;
  Plan plan = make_plan(recipe.spec, parse_spec("replay", OpKind::problem), options);
  const LayoutPointer layout = make_layout(leaves_named(recipe.leaves, recipe.dtype));
  plan.params = params_of(recipe, layout);
  plan.gradient_layout = layout;
  plan.given.clear();
  check_poisons(recipe, plan.batches.size());
  for (std::size_t t = 1; t <= plan.batches.size(); ++t)
    plan.given.push_back({gradient_of(recipe, layout, static_cast<std::int64_t>(t)), 1});
  plan.seed = 0;
  plan.hyper_precision = facts.hyper_precision;
  plan.flushes_subnormals = facts.flushes_subnormals;
  plan.true_division = facts.true_division;
  plan.running_mean = facts.running_mean;
  check(plan);
  Experiment experiment = experiment_of(recipe.id, plan);
  std::erase_if(experiment.plans,
                [&](const auto& entry) { return std::ranges::find(recipe.roles, entry.first) == recipe.roles.end(); });
  return experiment;
}

}  // namespace microstep
