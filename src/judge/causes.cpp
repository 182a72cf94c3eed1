#include "causes.hpp"

#include <algorithm>
#include <cmath>

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

bool is_opposite(const Ball& observed, const Ball& expected) {
  return expected.value != 0 && is_times(observed, expected, -1);
}

bool is_finite(const Ball& ball) { return wide::is_finite(ball.value); }

bool holds_op(const Spec& spec, std::string_view prefix) {
  return spec.op.starts_with(prefix) ||
         std::ranges::any_of(spec.of, [&](const Spec& inner) { return holds_op(inner, prefix); });
}

bool has_schedule(const Spec& spec) {
  if (spec.op == "scale_by_schedule" || (spec.args.contains("lr") && spec.is_list("lr"))) return true;
  return std::ranges::any_of(spec.of, has_schedule);
}

std::string leaf_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// One factor between observed and expected in a whole column.
bool has_one_ratio(const Reading& reading, const Finding& finding) {
  auto mirror = reading.expected_column(finding.where);
  if (!mirror || finding.expected.value == 0 || !is_finite(finding.observed)) return false;
  Wide ratio = finding.observed.value / finding.expected.value;
  std::int64_t size = reading.rows().schema().columns()[finding.where].size;
  for (std::int64_t i = 0; i < size; ++i)
    if (!is_times(number_at(reading.rows(), finding.row, finding.where, i),
                  number_at(*reading.expected(), finding.row, *mirror, i), ratio))
      return false;
  return size > 1;
}

/// What is too much of the update is one multiple of the params before it.
bool misses_decay(const Reading& reading, const Finding& finding) {
  const auto& columns = reading.rows().schema().columns();
  auto params = reading.rows().schema().find_column("params/" + leaf_of(columns[finding.where].path));
  auto mirror = reading.expected_column(finding.where);
  if (!params || !mirror || !columns[finding.where].path.starts_with("updates/")) return false;
  return holds_op(reading.plan().spec, "adamw") || holds_op(reading.plan().spec, "add_decayed_weights");
}

void add(Causes& causes, bool applies, const char* cause) {
  if (applies && std::ranges::find(causes, cause) == causes.end()) causes.emplace_back(cause);
}

std::string path_of(const Reading& reading, const Finding& finding) {
  const Schema& schema = reading.evidence().observed.at(finding.role).schema();
  return finding.is_count ? schema.count_paths()[finding.where] : schema.columns()[finding.where].path;
}

bool is_one_gradient(const Reading& reading, const Finding& finding, std::int64_t row) {
  std::string path = path_of(reading, finding);
  auto column = reading.rows().schema().find_column("gradients/" + leaf_of(path));
  if (!column || finding.is_count || row < 1) return false;
  Ball gradient = number_at(reading.rows(), row, *column, finding.index);
  return gradient.value != 0 &&
         (equal(gradient.value, finding.observed.value) || equal(-gradient.value, finding.observed.value));
}

bool only_one_gradient_counts(const Reading& reading, const Finding& finding) {
  std::int64_t first = reading.first_row_of_window(finding.row);
  if (first == finding.row) return false;
  return is_one_gradient(reading, finding, finding.row) || is_one_gradient(reading, finding, first);
}

}  // namespace

Causes causes_of_nonfinite(const Reading& reading, const Finding& finding) {
  Causes causes;
  bool skips = !reading.evidence().skipped_microsteps.empty();
  add(causes, !is_finite(finding.observed) || skips, "nonfinite-skip");
  add(causes, causes.empty(), "boundary");
  return causes;
}

Causes causes_of_movement(const Reading& reading, const Finding& finding) {
  if (reading.is_skipped(finding.row)) return {"nonfinite-skip", "micro-state"};
  if (!is_finite(finding.observed)) return {"nonfinite-skip"};
  Causes causes;
  std::string path = path_of(reading, finding);
  add(causes, path.starts_with("updates/") && is_one_gradient(reading, finding, finding.row), "boundary");
  add(causes, true, "micro-state");
  add(causes, path.starts_with("params/"), "api-state");
  return causes;
}

Causes causes_of_count(const Reading& reading, const Finding& finding) {
  std::string path = path_of(reading, finding);
  Causes causes;
  bool micro = finding.row > 0 && finding.observed.value == Wide(static_cast<double>(finding.row));
  bool inner = !path.ends_with("mini_step") && !path.ends_with("gradient_step");
  add(causes, inner && micro && reading.has_accumulator(), "micro-state");
  add(causes, inner && reading.is_skipped(finding.row), "nonfinite-skip");
  add(causes, path.ends_with("schedule_count") || (inner && has_schedule(reading.plan().spec)), "schedule-count");
  add(causes, inner && !path.ends_with("schedule_count"), "time-index");
  add(causes, !inner, reading.is_skipped(finding.row) ? "nonfinite-skip" : "boundary");
  return causes;
}

Causes causes_of_value(const Reading& reading, const Finding& finding) {
  if (finding.is_count) return causes_of_count(reading, finding);
  const Spec& spec = reading.plan().spec;
  Causes causes;
  if (!is_finite(finding.observed)) {
    add(causes, !reading.evidence().skipped_microsteps.empty(), "nonfinite-skip");
    add(causes, true, "time-index");
    return causes;
  }
  std::int64_t length = reading.window_length(finding.row);
  add(causes, only_one_gradient_counts(reading, finding), "boundary");
  add(causes, is_factor_of_length(finding.observed, finding.expected, length), "sum-mean");
  add(causes, is_opposite(finding.observed, finding.expected), "sign");
  if (!causes.empty()) return causes;
  bool is_update = path_of(reading, finding).starts_with("updates/");
  add(causes, path_of(reading, finding).find("/acc_") != std::string::npos && holds_op(spec, "multi_steps"),
      std::ranges::any_of(reading.nodes(),
                          [](const Node& n) { return n.is_multi_steps() && n.spec->text("reduce") == "weighted"; })
          ? "token-weight"
          : "sum-mean");
  add(causes, holds_op(spec, "clip"), "clip-place");
  add(causes, is_update && misses_decay(reading, finding), "decay-form");
  add(causes, has_one_ratio(reading, finding) && has_schedule(spec), "schedule-count");
  bool corrects = is_update && (holds_op(spec, "adam") || holds_op(spec, "scale_by_adam") || holds_op(spec, "ema"));
  add(causes, corrects, "time-index");
  add(causes, corrects, "eps");
  add(causes, true, "formula");
  return causes;
}

Causes causes_of_difference(const Reading& reading, const Semantics& semantics) {
  Causes causes;
  for (const Difference& d : semantics.differences) {
    auto window = static_cast<std::size_t>(std::max<std::int64_t>(d.window, 1) - 1);
    const auto& windows = reading.evidence().windows;
    auto length = window < windows.size() ? static_cast<std::int64_t>(windows[window].size()) : 1;
    add(causes, d.is_count && d.accumulated.value == Wide(static_cast<double>(d.microstep)) && length > 1,
        "micro-state");
    add(causes, d.is_count && d.path.ends_with("schedule_count"), "schedule-count");
    add(causes, d.is_count, "time-index");
    add(causes, !d.is_count && is_factor_of_length(d.accumulated, d.reference, length), "sum-mean");
    add(causes, !d.is_count && is_opposite(d.accumulated, d.reference), "sign");
    add(causes, !is_finite(d.accumulated) && is_finite(d.reference), "nonfinite-skip");
  }
  add(causes, causes.empty() && holds_op(reading.plan().spec, "clip"), "clip-place");
  add(causes, causes.empty() && has_schedule(reading.plan().spec), "schedule-count");
  add(causes, causes.empty(), "formula");
  return causes;
}

}  // namespace microstep
