// Did a run get the gradients that its plan gives? A port that changes them changes all that follows, faithfully.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microstep/trial/check.hpp"

namespace microstep {
namespace {

// sum(w g), over sum(w) for the mean loss, in any order of additions: n+1 roundings of sum|w g|, and one of the
// quotient.
struct Combined {
  Wide sum = 0;
  double size = 0;
  double weight = 0;
  bool finite = true;
  bool present = false;
};

Combined combined(const Plan& plan, const std::vector<std::int64_t>& batch, std::size_t leaf, std::size_t j) {
  Combined c;
  const bool alone = batch.size() == 1 && plan.loss == Loss::mean;
  for (std::int64_t index : batch) {
    const GivenGradient& given = plan.given[static_cast<std::size_t>(index)];
    const double w = alone ? 1 : given.weight;
    c.weight += w;
    if (given.gradient.presence(leaf) == Presence::absent) continue;
    const double g = given.gradient.is_dense(leaf) ? given.gradient.values(leaf)[j] : 0;
    c.present = true;
    c.finite = c.finite && std::isfinite(g);
    c.sum += Wide(w) * Wide(g);
    c.size += std::fabs(w * g);
  }
  return c;
}

bool is_given(const Plan& plan, const std::vector<std::int64_t>& batch, std::size_t leaf, std::size_t j, double seen) {
  const Combined c = combined(plan, batch, leaf, j);
  if (!c.present) return seen == 0;
  if (!c.finite) return !std::isfinite(seen);
  const double over = plan.loss == Loss::mean ? c.weight : 1;
  const DtypeFacts& f = facts(plan.gradient_layout->leaves()[leaf].dtype);
  const double roundings = batch.size() == 1 && plan.loss == Loss::mean ? 0 : static_cast<double>(batch.size()) + 3;
  const double room = roundings * (f.unit_roundoff * c.size / over + f.smallest_normal);
  return wide::abs(Wide(seen) - c.sum / Wide(over)) <= Wide(room);
}

std::optional<std::string> first_other(const Plan& plan, const Trace& trace, std::int64_t row, std::size_t leaf) {
  const std::string path = "gradients/" + plan.gradient_layout->leaves()[leaf].name;
  auto column = trace.schema().find_column(path);
  const auto& batch = plan.batches[static_cast<std::size_t>(row - 1)];
  if (!column) return fmt::format("{} is not shown", path);
  const bool dense = trace.presence(row, *column) == Presence::dense;
  const auto seen = trace.numbers(row, *column);
  for (std::size_t j = 0; j < seen.size(); ++j)
    if (!is_given(plan, batch, leaf, j, dense ? seen[j] : 0))
      return fmt::format("{}[{}] of microstep {} is not the plan's", path, j, row);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> other_than_given(const Plan& plan, const Trace& trace) {
  const auto due = static_cast<std::int64_t>(plan.batches.size());
  if (trace.microsteps() != due)
    return fmt::format("{} microsteps were run where the plan has {}", trace.microsteps(), due);
  if (plan.problem.op != "replay") return std::nullopt;
  for (std::int64_t row = 1; row <= due; ++row)
    for (std::size_t leaf = 0; leaf < plan.params.leaf_count(); ++leaf)
      if (plan.params.presence(leaf) != Presence::absent)
        if (auto found = first_other(plan, trace, row, leaf)) return found;
  return std::nullopt;
}

}  // namespace microstep
