// What a window's gradients become.
#include <fmt/format.h>

#include <algorithm>

#include "causes.hpp"
#include "contracts.hpp"
#include "finding.hpp"

namespace microstep {
namespace {

bool reduces_by(const Node& node, std::string_view reduce) {
  if (node.is_multi_steps()) return node.spec->text("reduce") == reduce;
  return node.accumulates() && reduce == "sum";
}

bool is_inside(const Node& node, const Node& outer) {
  return node.path.size() > outer.path.size() && node.path.starts_with(outer.path);
}

/// The accumulator itself after a microstep that it took part in.
std::optional<Finding> wrong_accumulator(const Node& node, std::int64_t row, BallCheck& check) {
  for (std::size_t column : node.columns)
    if (auto found = check.first_outside(row, column)) return found;
  return std::nullopt;
}

/// What the inner made of the reduced gradient, then the update and the params.
std::optional<Finding> wrong_reaction(const Reading& reading, const Node& node, std::int64_t row, BallCheck& check) {
  for (const Node& inner : reading.nodes())
    if (is_inside(inner, node) || (!node.is_multi_steps() && !inner.accumulates()))
      if (auto found = check.first_outside(row, inner)) return found;
  if (!reading.emits(row)) return std::nullopt;
  for (const auto* columns : {&reading.updates(), &reading.params()})
    for (std::size_t column : *columns)
      if (auto found = check.first_outside(row, column)) return found;
  return std::nullopt;
}

std::optional<Finding> wrong_reduction(const Reading& reading, const Node& node, BallCheck& check) {
  for (std::int64_t row = 1; row < reading.rows().rows(); ++row) {
    if (auto found = wrong_accumulator(node, row, check)) return found;
    if (!node.beats[static_cast<std::size_t>(row)].emits) continue;
    if (auto found = wrong_reaction(reading, node, row, check)) return found;
  }
  return std::nullopt;
}

Verdict judge_reduction(const Reading& reading, std::string_view reduce, std::string_view what) {
  auto declares = [&](const Node& node) { return reduces_by(node, reduce); };
  if (std::ranges::none_of(reading.nodes(), declares))
    return not_applicable(fmt::format("no accumulator of the spec declares the {}", what));
  if (auto why = reading.evidence().undecidable.find(Role::accumulated); why != reading.evidence().undecidable.end())
    return undecidable(why->second);
  if (!reading.expected())
    return not_applicable(reading.hidden() ? "the trace hides " + *reading.hidden()
                                           : "no one-step balls are known of this trace");
  BallCheck check(reading);
  for (const Node& node : reading.nodes())
    if (declares(node))
      if (auto found = wrong_reduction(reading, node, check))
        return broken(reading, *found, fmt::format("a window does not give the {}", what),
                      causes_of_value(reading, *found));
  return verdict_of(check, reading,
                    fmt::format("accumulators and what was made of them lie in the balls of the {}", what));
}

bool is_state(const Difference& difference) { return difference.path.starts_with("state"); }

}  // namespace

Verdict reduction_mean(const Reading& reading) { return judge_reduction(reading, "mean", "mean of its gradients"); }

Verdict reduction_sum(const Reading& reading) { return judge_reduction(reading, "sum", "sum of its gradients"); }

Verdict reduction_weighted(const Reading& reading) {
  return judge_reduction(reading, "weighted", "mean of its gradients weighted by examples or tokens");
}

Verdict reduction_large_batch(const Reading& reading) {
  const auto& semantics = reading.evidence().against_reference;
  if (!semantics) return not_applicable("the run was not decided against the large batch");
  if (reading.evidence().windows.empty()) return not_applicable(no_window);
  auto found = std::ranges::find_if_not(semantics->differences, is_state);
  if (found != semantics->differences.end())
    return broken(reading, *found, "not the update of the large batch", causes_of_difference(reading, *semantics));
  if (semantics->verdict == Sameness::undecidable) return undecidable(semantics->reason);
  return holds("updates and params are those of the large batch in every window decided");
}

Verdict reduction_order_free(const Reading& reading) {
  const auto& semantics = reading.evidence().against_permuted;
  if (!semantics) return not_applicable("the run was not decided against itself in another order");
  if (reading.evidence().windows.empty()) return not_applicable(no_window);
  if (!semantics->differences.empty())
    return broken(reading, semantics->differences.front(),
                  "another order of the same microbatches gives another result",
                  causes_of_difference(reading, *semantics));
  if (semantics->verdict == Sameness::undecidable) return undecidable(semantics->reason);
  return holds("the order of the microbatches inside a window does not matter");
}

}  // namespace microstep
