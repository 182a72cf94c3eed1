// When updates come out, and what a held microstep must leave alone.
#include <fmt/format.h>

#include <algorithm>

#include "causes.hpp"
#include "contracts.hpp"
#include "finding.hpp"

namespace microstep {
namespace {

constexpr const char* no_held = "every microstep closes a window (k = 1 or no accumulator)";

bool holds_back(const Reading& reading) { return reading.has_accumulator() && !reading.always_one(); }

bool excludes_zero(const Ball& ball) { return !overlap(ball, exactly(0)); }

/// The leaf's accumulators were in their balls since the window began. Of another sum nobody knows what was due of it:
/// it may be 0 with what came last.
bool is_accumulated(const Reading& reading, std::int64_t row, const std::string& leaf) {
  BallCheck check(reading);
  for (const Node& node : reading.nodes())
    for (std::size_t column : node.columns)
      for (std::int64_t at = std::max<std::int64_t>(reading.first_row_of_window(row), 1); at < row; ++at)
        if (node.accumulates() && reading.rows().schema().columns()[column].path.ends_with("/" + leaf) &&
            check.first_outside(at, column))
          return false;
  return true;
}

/// The first number of the due update that cannot be zero; none where the expected update may be zero everywhere. What
/// goes by the accumulator does not speak for it.
std::optional<Finding> due_but_silent(const Reading& reading, std::int64_t row) {
  std::optional<Finding> due;
  for (std::size_t leaf = 0; leaf < reading.updates().size(); ++leaf) {
    std::size_t column = reading.updates()[leaf];
    if (!reading.is_governed(leaf)) continue;
    if (first_nonzero(reading.rows(), row, column)) return std::nullopt;
    auto mirror = reading.expected_column(column);
    if (due || !mirror || row >= reading.expected()->rows()) continue;
    const std::string& path = reading.rows().schema().columns()[column].path;
    if (is_missing(reading.rows(), row, column) || !is_accumulated(reading, row, path.substr(path.find('/') + 1)))
      continue;
    for (std::int64_t i = 0; i < reading.rows().schema().columns()[column].size && !due; ++i) {
      Ball ball = number_at(*reading.expected(), row, *mirror, i);
      if (excludes_zero(ball)) due = Finding{Role::accumulated, row, column, false, i, exactly(0), ball};
    }
  }
  return due;
}

std::optional<Finding> emitted_while_held(const Reading& reading, std::int64_t row) {
  for (std::size_t column : reading.updates())
    if (auto found = first_nonzero(reading.rows(), row, column)) return found;
  return std::nullopt;
}

}  // namespace

Verdict emission_every_k(const Reading& reading) {
  if (!holds_back(reading)) return not_applicable(no_held);
  if (reading.updates().empty()) return not_applicable("the trace does not show the updates");
  for (std::int64_t row = 1; row < reading.rows().rows(); ++row) {
    if (!reading.closes(row)) {
      if (auto found = emitted_while_held(reading, row))
        return broken(reading, *found, "an update came out although the window was not full",
                      causes_of_movement(reading, *found));
    } else if (auto found = due_but_silent(reading, row)) {
      return broken(reading, *found, "no update came out of a full window", {"boundary"});
    }
  }
  return holds("updates came out where the plan's windows end and nowhere else");
}

Verdict emission_silent_zero(const Reading& reading) {
  if (!holds_back(reading)) return not_applicable(no_held);
  if (reading.updates().empty()) return not_applicable("the trace does not show the updates");
  for (std::int64_t row = 1; row < reading.rows().rows(); ++row)
    if (!reading.closes(row))
      if (auto found = emitted_while_held(reading, row))
        return broken(reading, *found, "the update of a held microstep is not zero",
                      causes_of_movement(reading, *found));
  return holds("every update of a held microstep is zero");
}

Verdict emission_silent_params(const Reading& reading) {
  if (!holds_back(reading)) return not_applicable(no_held);
  if (reading.params().empty()) return not_applicable("the trace does not show the params");
  for (std::int64_t row = 1; row < reading.rows().rows(); ++row) {
    if (reading.closes(row)) continue;
    for (std::size_t column : reading.params())
      if (auto found = first_change(reading.rows(), row, column, reading.rows(), row - 1, column))
        return broken(reading, *found, "a held microstep moved a parameter", causes_of_movement(reading, *found));
  }
  return holds("params are bit for bit the same after every held microstep");
}

Verdict emission_counters(const Reading& reading) {
  if (!reading.has_accumulator()) return not_applicable("the spec has no accumulator");
  bool hides = false;
  for (const Node& node : reading.nodes()) {
    if (!node.accumulates()) continue;
    hides = hides || node.counts.empty();
    for (std::int64_t row = 0; row < reading.rows().rows(); ++row)
      for (std::size_t count : node.counts) {
        const Beat& beat = node.beats[static_cast<std::size_t>(row)];
        bool emissions = reading.rows().schema().count_paths()[count].ends_with("/gradient_step");
        std::int64_t due = emissions ? beat.gradient_step : beat.mini_step, found = reading.rows().count(row, count);
        if (found == due || !reading.rows().shows_count(row, count)) continue;
        const Finding off = off_count(row, count, found, due);
        return broken(reading, off, "an accumulator's counter is not the plan's", causes_of_count(reading, off));
      }
  }
  if (hides) return not_applicable("the trace hides counters of an accumulator");
  return holds("every counter of the accumulators is the plan's");
}

}  // namespace microstep
