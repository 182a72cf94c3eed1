#include "microstep/data/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace microstep {
namespace {

[[noreturn]] void refuse(const char* id, std::string message, std::string place, std::string next) {
  throw Error(id, std::move(message), std::move(place), std::move(next));
}

void check_given(const Plan& plan, std::size_t i) {
  const GivenGradient& given = plan.given[i];
  std::string place = fmt::format("/given/{}", i);
  if (!(given.weight > 0) || !std::isfinite(given.weight))
    refuse("plan.weight", fmt::format("weight {} is not positive and finite", given.weight), place,
           "give the number of examples or tokens of the microbatch");
  const Layout& layout = *plan.gradient_layout;
  if (!given.gradient || given.gradient.layout() != layout)
    refuse("plan.gradient-shape", "the gradient's leaves are not those of the params", place,
           "give each leaf the shape of its param");
  for (std::size_t leaf = 0; leaf < plan.params.leaf_count(); ++leaf)
    if (plan.params.presence(leaf) == Presence::absent && given.gradient.presence(leaf) != Presence::absent)
      refuse("plan.gradient-of-absent",
             fmt::format("there is a gradient of '{}', whose param is absent", layout.leaves()[leaf].name), place,
             "leave it out, or give the param");
}

void check_leaves(const Plan& plan) {
  if (!plan.params) refuse("plan.no-params", "the plan has no params", "/params", "give the initial values");
  if (!plan.gradient_layout || plan.gradient_layout->leaves().size() != plan.params.leaf_count())
    refuse("plan.gradient-shape", "the gradients have other leaves than the params", "/gradients",
           "give one dtype a leaf");
  for (std::size_t i = 0; i < plan.params.leaf_count(); ++i) {
    const Leaf &param = plan.params.leaf(i), &gradient = plan.gradient_layout->leaves()[i];
    if (param.name != gradient.name || param.shape != gradient.shape)
      refuse("plan.gradient-shape",
             fmt::format("gradient leaf '{}' {} does not fit param '{}' {}", gradient.name, to_string(gradient.shape),
                         param.name, to_string(param.shape)),
             "/given", "use the param's name and shape");
  }
}

void check_batches(const Plan& plan) {
  bool replay = plan.problem.op == "replay";
  auto limit = static_cast<std::int64_t>(plan.given.size());
  for (std::size_t i = 0; i < plan.batches.size(); ++i) {
    std::string place = fmt::format("/batches/{}", i);
    if (plan.batches[i].empty())
      refuse("plan.empty-batch", "a batch without examples has no gradient", place, "drop it");
    for (std::int64_t index : plan.batches[i])
      if (index < 0 || (replay && index >= limit))
        refuse("plan.batch-index", fmt::format("index {} is outside 0 to {}", index, limit - 1), place,
               "name a given gradient");
  }
}

}  // namespace

void check(const Plan& plan) {
  check_leaves(plan);
  for (std::size_t i = 0; i < plan.given.size(); ++i) check_given(plan, i);
  check_batches(plan);
  for (std::int64_t microstep : plan.interruptions)
    if (microstep < 1 || microstep > static_cast<std::int64_t>(plan.batches.size()))
      refuse("plan.interruption", fmt::format("there is no microstep {} to interrupt after", microstep),
             "/interruptions", fmt::format("use 1 to {}", plan.batches.size()));
  if (plan.problem.op == "replay" && !plan.switches.empty())
    refuse("plan.switches", fmt::format("'{}' is switched, and replay runs no kernel", plan.switches.begin()->first),
           "/switches", "give a trained problem, or no switches");
}

std::string_view to_string(Role role) {
  constexpr std::string_view names[] = {"accumulated", "reference", "interrupted", "permuted", "single", "clean"};
  return names[static_cast<int>(role)];
}

std::optional<Role> role_from_name(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Role::clean); ++i)
    if (to_string(static_cast<Role>(i)) == name) return static_cast<Role>(i);
  return std::nullopt;
}

}  // namespace microstep
