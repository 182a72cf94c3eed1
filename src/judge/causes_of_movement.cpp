// Why something moved in a microstep that holds back.
#include <algorithm>

#include "causes.hpp"
#include "clue.hpp"

namespace microstep {
namespace {

std::optional<std::size_t> column_of_leaf(const Reading& reading, std::string_view section, const Finding& finding) {
  const std::string path = path_of(reading, finding);
  return reading.rows().schema().find_column(std::string(section) + path.substr(path.find('/')));
}

/// The update, or minus it, is the gradient that came in.
bool is_own_gradient(const Reading& reading, const Finding& finding) {
  auto column = column_of_leaf(reading, "gradients", finding);
  if (!column) return false;
  Wide gradient = number_at(reading.rows(), finding.row, *column, finding.index).value;
  return gradient != 0 && (gradient == finding.observed.value || -gradient == finding.observed.value);
}

bool is_of_inner(std::string_view path) {
  if (!path.starts_with("state/")) return false;
  for (const char* own : {"/acc_grads/", "/acc_weight/", "/grad_acc/", "/mini_step", "/gradient_step"})
    if (path.find(own) != std::string_view::npos) return false;
  return true;
}

bool hides_inner(const Reading& reading) {
  if (!reading.hidden()) return false;
  const Schema &declared = *reading.declared(), &seen = reading.rows().schema();
  return std::ranges::any_of(
             declared.columns(),
             [&](const Column& column) { return is_of_inner(column.path) && !seen.find_column(column.path); }) ||
         std::ranges::any_of(declared.count_paths(),
                             [&](const std::string& path) { return is_of_inner(path) && !seen.find_count(path); });
}

/// The inner has moved where it sleeps, or may have, out of sight.
bool may_be_awake(const Reading& reading) {
  return first_awake(reading, Counts::not_of_schedules) || hides_inner(reading);
}

bool declares_decay(const Spec& spec) { return find_op(spec, "add_decayed_weights") || find_op(spec, "adamw"); }

Causes causes_of_update(const Reading& reading, const Finding& finding) {
  Causes causes;
  add_cause(causes, is_own_gradient(reading, finding), "boundary");
  auto clue = clue_of(reading, finding);
  const bool decays = clue && is_multiple_of_params(*clue);
  add_cause(causes, decays, "decay-form");
  add_cause(causes, decays ? declares_decay(reading.plan().spec) : may_be_awake(reading), "micro-state");
  add_cause(causes, causes.empty(), "boundary");
  return causes;
}

}  // namespace

bool moves_counts_alone(const Reading& reading) {
  return first_awake(reading) && !first_awake(reading, Counts::none) && !hides_inner(reading);
}

bool is_after_nonfinite(const Reading& reading, std::int64_t row) {
  const auto is_infinite = [](const Ball& ball) { return !wide::is_finite(ball.value); };
  auto has_infinite = [&](std::int64_t at, std::size_t column) {
    return reading.rows().presence(at, column) == Presence::dense &&
           std::ranges::any_of(reading.rows().numbers(at, column), is_infinite);
  };
  for (std::int64_t at = 0; at <= row; ++at) {
    if (reading.is_skipped(at)) return true;
    for (std::size_t column : reading.gradients())
      if (has_infinite(at, column)) return true;
    for (const Node& node : reading.nodes())
      for (std::size_t column : node.columns)
        if (at < row && node.accumulates() && has_infinite(at, column)) return true;
  }
  return false;
}

bool is_of_schedule(const Reading& reading, const Finding& finding) {
  return finding.is_count && std::ranges::any_of(reading.nodes(), [&](const Node& node) {
           return std::ranges::find(node.counts, finding.where) != node.counts.end() &&
                  counts_schedule(node, path_of(reading, finding));
         });
}

Causes causes_of_movement(const Reading& reading, const Finding& finding) {
  Causes causes;
  const bool skipped = reading.is_skipped(finding.row), finite = wide::is_finite(finding.observed.value);
  if (!skipped && !finite) return {is_after_nonfinite(reading, finding.row) ? "nonfinite-skip" : "backend-split"};
  add_cause(causes, skipped, "nonfinite-skip");
  if (!skipped && finding.is_count && moves_counts_alone(reading))
    return {is_of_schedule(reading, finding) ? "schedule-count" : "time-index"};
  const std::string path = path_of(reading, finding);
  if (!skipped && path.starts_with("updates/")) return causes_of_update(reading, finding);
  if (!skipped && path.starts_with("params/"))
    if (auto column = column_of_leaf(reading, "updates", finding))
      if (auto update = first_nonzero(reading.rows(), finding.row, *column)) return causes_of_update(reading, *update);
  const bool by_itself = path.starts_with("params/") && !reading.updates().empty();
  add_cause(causes, !by_itself && may_be_awake(reading), "micro-state");
  add_cause(causes, !skipped && path.starts_with("params/"), "api-state");
  return causes;
}

}  // namespace microstep
