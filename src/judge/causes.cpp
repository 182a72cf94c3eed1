#include "causes.hpp"

#include <algorithm>
#include <cmath>

#include "clue.hpp"
#include "microstep/judge/contract.hpp"

namespace microstep {
namespace {

bool is_times(const Ball& observed, const Ball& expected, Wide factor) {
  if (expected.value == 0 || !wide::is_finite(observed.value)) return false;
  return overlap(observed, {expected.value * factor, expected.radius * std::fabs(static_cast<double>(factor))});
}

/// A power of the window's length, either way: the mean, its square in a second moment, or both once more.
bool is_factor_of_length(const Ball& observed, const Ball& expected, std::int64_t length) {
  if (length < 2) return false;
  Wide k = static_cast<double>(length);
  return is_times(observed, expected, k) || is_times(observed, expected, k * k) ||
         is_times(observed, expected, 1 / k) || is_times(observed, expected, 1 / (k * k));
}

bool is_finite(const Ball& ball) { return wide::is_finite(ball.value); }

/// The last window is flushed although it is short.
bool ends_short(const Reading& reading, std::int64_t row) {
  const Spec* accumulator = find_op(reading.plan().spec, "multi_steps");
  if (!accumulator || !reading.emits(row) || row != static_cast<std::int64_t>(reading.plan().batches.size()))
    return false;
  double k = schedule_value(accumulator->args.at("k"), std::max<std::int64_t>(reading.window_of(row) - 1, 0));
  return static_cast<double>(reading.window_length(row)) < k;
}

/// By the k of the plan and not by the length of the short last window.
bool is_divided_by_k(const Clue& clue) {
  const Reading& reading = clue.reading;
  if (!ends_short(reading, clue.row)) return false;
  const std::int64_t step = std::max<std::int64_t>(reading.window_of(clue.row) - 1, 0);
  const double k = schedule_value(find_op(reading.plan().spec, "multi_steps")->args.at("k"), step);
  return explains_factor(clue, static_cast<double>(reading.window_length(clue.row)) / k);
}

/// Another reduction of the window reaches every slot of the leaf that is fed by the accumulator, and not the update
/// alone.
bool spares_a_slot(const Clue& clue) {
  const Reading& reading = clue.reading;
  if (clue.is_accumulator() || !reading.emits(clue.row)) return false;
  BallCheck check(reading);
  for (const Node& node : reading.nodes()) {
    if (node.accumulates() ? node.is_multi_steps() || (node.gives_updates && clue.is_update())
                           : !node.governor || !reading.awake(node, clue.row))
      continue;
    for (std::size_t column : node.columns)
      if (reading.rows().schema().columns()[column].path.ends_with("/" + clue.leaf) &&
          first_nonzero(reading.rows(), clue.row, column) && !check.first_outside(clue.row, column))
        return true;
  }
  return false;
}

/// The update of the param's leaf is shown, and is what was due: whatever is wrong with the param comes after it.
bool has_right_update(const Clue& clue) {
  const Reading& reading = clue.reading;
  const auto update = reading.rows().schema().find_column("updates/" + clue.leaf);
  return clue.path().starts_with("params/") && update &&
         reading.rows().presence(clue.row, *update) == Presence::dense &&
         !BallCheck(reading).first_outside(clue.row, *update);
}

/// A right update that is added twice, or not at all.
bool is_added_otherwise(const Reading& reading, const Finding& finding) {
  const auto clue = clue_of(reading, finding);
  if (!clue || !has_right_update(*clue)) return false;
  Numbers twice;
  for (std::size_t i = 0; i < clue->before.size(); ++i) twice.push_back(2 * clue->expected[i] - clue->before[i]);
  return clue->observed == clue->before || explains(*clue, twice);
}

Causes explained(const Reading& reading, const Finding& finding) {
  Causes causes;
  auto clue = clue_of(reading, finding);
  if (!clue) return causes;
  if (clue->path().find("/acc_weight/") != std::string::npos) return {"token-weight"};
  for (auto* explain : {explain_leaf, explain_formula, explain_decay, explain_hyper}) explain(*clue, causes);
  if (!causes.empty() || spares_a_slot(*clue) || has_right_update(*clue)) return causes;
  explain_reduction(*clue, causes);
  if (causes.empty() || causes == Causes{"boundary"}) explain_clip(*clue, causes);
  return causes;
}

void add_from_difference(const Difference& d, std::int64_t length, Causes& causes) {
  bool in_microsteps = d.accumulated.value == Wide(static_cast<double>(d.microstep)) && length > 1;
  add_cause(causes, d.is_count && in_microsteps, "micro-state");
  add_cause(causes, d.is_count && d.path.ends_with("schedule_count"), "schedule-count");
  add_cause(causes, d.is_count, "time-index");
  add_cause(causes, !d.is_count && is_factor_of_length(d.accumulated, d.reference, length), "sum-mean");
  add_cause(causes, !d.is_count && is_times(d.accumulated, d.reference, -1), "sign");
}

}  // namespace

Causes causes_of_nonfinite(const Reading& reading, const Finding& finding) {
  const Envelope& rows = reading.rows();
  const bool may_skip = std::ranges::any_of(reading.nodes(), &Node::may_skip);
  const std::int64_t row = finding.row;
  const bool is_left_out = may_skip && row > 0 && !first_change(rows, row, finding.where, rows, row - 1, finding.where);
  if (is_left_out || is_after_nonfinite(reading, finding.row)) return {"nonfinite-skip"};
  return {is_finite(finding.observed) ? "boundary" : "backend-split"};
}

Causes causes_of_count(const Reading& reading, const Finding& finding) {
  const bool own = std::ranges::any_of(reading.nodes(), [&](const Node& node) {
    return node.accumulates() && std::ranges::find(node.counts, finding.where) != node.counts.end();
  });
  bool skipped = reading.is_skipped(finding.row);
  if (own) return {skipped ? "nonfinite-skip" : ends_short(reading, finding.row) ? "partial-window" : "boundary"};
  Causes causes;
  bool micro = finding.row > 0 && finding.observed.value == Wide(static_cast<double>(finding.row));
  const bool of_schedule = is_of_schedule(reading, finding);
  const bool awake = micro && first_awake(reading) && !moves_counts_alone(reading);
  add_cause(causes, awake, "micro-state");
  add_cause(causes, skipped, "nonfinite-skip");
  add_cause(causes, of_schedule && !awake, "schedule-count");
  add_cause(causes, !of_schedule && !awake, "time-index");
  return causes;
}

// 0 is the one decay that is often written as an integer, and then raised to the count as one.
bool decays_by_zero(const Spec& spec) {
  auto is_zero = [&](const char* name) { return spec.args.contains(name) && spec.number(name) == 0; };
  return is_zero("b1") || is_zero("b2") || std::ranges::any_of(spec.of, decays_by_zero);
}

/// Nothing of an update is a number; of the first that comes out, or of any.
bool is_lost_update(const Reading& reading, const Finding& finding, bool first) {
  if (std::ranges::find(reading.updates(), finding.where) == reading.updates().end()) return false;
  if (std::ranges::any_of(reading.rows().numbers(finding.row, finding.where), is_finite)) return false;
  for (std::int64_t row = 1; row < finding.row && first; ++row)
    if (first_nonzero(reading.rows(), row, finding.where)) return false;
  return true;
}

bool corrects_bias(const Spec& spec) {
  return find_op(spec, "adam") || find_op(spec, "scale_by_adam") || find_op(spec, "ema");
}

/// A correction at time 0 divides by 0. Where no reason is known, no more can be said than what is seen.
Causes causes_of_not_finite(const Reading& reading, const Finding& finding) {
  if (is_after_nonfinite(reading, finding.row)) return {"nonfinite-skip"};
  Causes causes;
  const Spec& spec = reading.plan().spec;
  add_cause(causes, corrects_bias(spec) && is_lost_update(reading, finding, true), "time-index");
  add_cause(causes, true, "backend-split");
  add_cause(causes, decays_by_zero(spec) && is_lost_update(reading, finding, false), "dtype");
  return causes;
}

/// A number that is as it was, or zero, where all that it is of sleeps.
bool is_of_a_sleeper(const Reading& reading, const Finding& finding) {
  if (path_of(reading, finding).starts_with("updates/")) {
    auto mirror = reading.expected_column(finding.where);
    return reading.has_accumulator() && mirror && !first_nonzero(*reading.expected(), finding.row, *mirror) &&
           !reading.emits(finding.row);
  }
  return std::ranges::any_of(reading.nodes(), [&](const Node& node) {
    return node.governor && !reading.awake(node, finding.row) &&
           std::ranges::find(node.columns, finding.where) != node.columns.end();
  });
}

Causes causes_of_value(const Reading& reading, const Finding& finding) {
  if (finding.is_count) return causes_of_count(reading, finding);
  if (!is_finite(finding.observed)) return causes_of_not_finite(reading, finding);
  if (is_of_a_sleeper(reading, finding)) return causes_of_movement(reading, finding);
  if (is_added_otherwise(reading, finding)) return {"api-state"};
  Causes causes;
  add_cause(causes, ends_short(reading, finding.row), "partial-window");
  for (const std::string& cause : explained(reading, finding)) add_cause(causes, true, cause.c_str());
  add_cause(causes, causes.empty(), "formula");
  return causes;
}

std::size_t numbers_that_tell(const Reading& reading, const Finding& finding) {
  std::size_t numbers = 0;
  const auto add = [&](const std::optional<Clue>& clue) {
    for (std::size_t i = 0; clue && i < clue->expected.size(); ++i)
      numbers += clue->outside[i] && clue->expected[i] != 0;
  };
  const auto clue = clue_of(reading, finding);
  add(clue);
  if (clue) add(next_of(*clue));
  return numbers;
}

bool is_by_one_factor(const Reading& reading, const Finding& finding) {
  const auto clue = clue_of(reading, finding);
  return clue && !clue->is_behind_adam() && is_one_factor(*clue);
}

bool is_other_factor(const Reading& reading, const Finding& finding) {
  const auto clue = clue_of(reading, finding);
  return clue && !clue->is_behind_adam() && is_factor_behind(*clue);
}

bool is_other_reduction(const Reading& reading, const Finding& finding) {
  auto clue = clue_of(reading, finding);
  if (!clue || is_other_factor(reading, finding)) return false;
  Causes causes;
  explain_reduction(*clue, causes);
  return !causes.empty() || (!clue->is_behind_adam() && is_divided_by_k(*clue));
}

Causes causes_of_difference(const Reading& reading, const Semantics& semantics) {
  Causes causes;
  if (auto found = first_unfaithful(reading, 0)) causes = causes_of_value(reading, *found);
  if (!causes.empty() && causes != Causes{"formula"}) return causes;
  Causes from_decision;
  const auto& windows = reading.evidence().windows;
  for (const Difference& d : semantics.differences) {
    auto window = static_cast<std::size_t>(std::max<std::int64_t>(d.window, 1) - 1);
    auto length = window < windows.size() ? static_cast<std::int64_t>(windows[window].size()) : 1;
    add_from_difference(d, length, from_decision);
    add_cause(from_decision, !is_finite(d.accumulated) && is_finite(d.reference), "nonfinite-skip");
  }
  bool clips = find_op(reading.plan().spec, "clip") != nullptr;
  add_cause(from_decision, causes.empty() && from_decision.empty() && clips, "clip-place");
  if (causes.empty()) causes = from_decision;
  add_cause(causes, causes.empty(), "formula");
  return causes;
}

}  // namespace microstep
