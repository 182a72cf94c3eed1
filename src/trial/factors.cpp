#include "factors.hpp"

#include <algorithm>
#include <optional>

#include "accumulation.hpp"

namespace microstep {
namespace {

bool is_linear(const Spec& link) { return link.op == "scale" || (link.op == "sgd" && !has_state(link)); }

// The factor that makes the due reduction of the other one.
std::optional<double> due_factor(const Spec& link, bool sum_is_due) {
  if (!op_rule(link.op).accumulates || reduction_of(link) != (sum_is_due ? "mean" : "sum")) return std::nullopt;
  const double* k = std::get_if<double>(&link.args.at("k").data);
  if (!k || *k == 1) return std::nullopt;
  return sum_is_due ? *k : 1 / *k;
}

// Whatever is not linear parts a factor from the accumulator.
bool take_out(std::vector<Spec>& links, std::ptrdiff_t from, std::ptrdiff_t step, double factor) {
  for (auto at = from; at >= 0 && at < std::ssize(links) && is_linear(links[static_cast<std::size_t>(at)]);
       at += step) {
    const Spec& link = links[static_cast<std::size_t>(at)];
    if (link.op != "scale" || link.number("factor") != factor) continue;
    links.erase(links.begin() + at);
    return true;
  }
  return false;
}

bool take_out_inside(Spec& accumulator, double factor) {
  if (accumulator.of.empty()) return false;
  std::vector<Spec> inner = links_of(accumulator.of[0]);
  if (!take_out(inner, 0, 1, factor)) return false;
  accumulator.of[0] = chained(std::move(inner));
  return true;
}

Spec reduced_as_due(Spec accumulator, bool sum_is_due) {
  if (accumulator.op == "apply_every") accumulator = {"multi_steps", {{"k", accumulator.args.at("k")}}, {chained({})}};
  accumulator.args["reduce"] = Value(sum_is_due ? "sum" : "mean");
  return checked(accumulator);
}

bool take_in_one(std::vector<Spec>& links, bool sum_is_due) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto factor = due_factor(links[i], sum_is_due);
    if (!factor) continue;
    const Spec reduced = reduced_as_due(links[i], sum_is_due);
    const auto at = static_cast<std::ptrdiff_t>(i);
    if (take_out(links, at - 1, -1, *factor)) {
      links[i - 1] = reduced;
    } else if (take_out(links, at + 1, 1, *factor)) {
      links[i] = reduced;
    } else {
      if (!take_out_inside(links[i], *factor)) continue;
      links[i] = reduced_as_due(links[i], sum_is_due);
    }
    return true;
  }
  return false;
}

}  // namespace

Spec with_factors_in_reductions(const Spec& spec, bool sum_is_due) {
  if (!holds_accumulator(spec)) return spec;
  std::vector<Spec> links = links_of(spec);
  for (Spec& link : links)
    for (Spec& inner : link.of) inner = with_factors_in_reductions(inner, sum_is_due);
  while (take_in_one(links, sum_is_due)) {
  }
  return chained(std::move(links));
}

}  // namespace microstep
