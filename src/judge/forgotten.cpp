// A microbatch that was left out must leave no trace.
#include <algorithm>

#include "causes.hpp"
#include "contracts.hpp"
#include "finding.hpp"

namespace microstep {
namespace {

std::optional<Finding> first_nonfinite(const Reading& reading, std::int64_t row, std::size_t column) {
  if (reads_as_zero(reading.rows(), row, column)) return std::nullopt;
  auto numbers = reading.rows().numbers(row, column);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!wide::is_finite(numbers[i].value))
      return Finding{Role::accumulated, row, column, false, static_cast<std::int64_t>(i), numbers[i], exactly(0)};
  return std::nullopt;
}

bool is_finite_row(const Reading& reading, std::int64_t row) {
  return std::ranges::none_of(reading.gradients(),
                              [&](std::size_t column) { return first_nonfinite(reading, row, column).has_value(); });
}

/// The step makes it from what it was given, as 0/0 where a decay rounds to 1: nothing is remembered.
bool is_due(const Reading& reading, const Finding& finding) {
  if (!reading.expected()) return false;
  auto column = reading.expected_column(finding.where);
  if (!column || reading.expected()->presence(finding.row, *column) != Presence::dense) return false;
  const Ball due = reading.expected()->numbers(finding.row, *column)[static_cast<std::size_t>(finding.index)];
  return !wide::is_finite(due.value) || due.radius == infinite_radius;
}

/// Where the window itself is judged, its accumulator may hold the microbatch until the window is dropped.
std::optional<Finding> first_lasting(const Reading& reading, std::int64_t row) {
  for (std::size_t column : reading.params())
    if (auto found = first_nonfinite(reading, row, column); found && !is_due(reading, *found)) return found;
  for (const Node& node : reading.nodes()) {
    if (node.accumulates() && !node.beats[static_cast<std::size_t>(row)].empty) continue;
    for (std::size_t column : node.columns)
      if (auto found = first_nonfinite(reading, row, column); found && !is_due(reading, *found)) return found;
  }
  return std::nullopt;
}

/// The other one lies in it: it sees microbatches that the other leaves out.
bool is_around(const Node& node, const Node& other) { return other.path.starts_with(node.path + "/"); }

/// A skipped microbatch never happened: neither the params move nor the accumulator that skips nor anything in it.
std::optional<Finding> first_move_within(const Reading& reading, const Node& skipping, std::int64_t row) {
  const Envelope& rows = reading.rows();
  for (std::size_t column : reading.params())
    if (auto found = first_change(rows, row, column, rows, row - 1, column)) return found;
  for (const Node& node : reading.nodes())
    if (!is_around(node, skipping))
      if (auto found = first_move(reading, node, row)) return found;
  return std::nullopt;
}

/// The run ends with a skipped microbatch, and the window before it is flushed or dropped.
bool closes(const Node& node, std::int64_t row) {
  const auto &before = node.beats[static_cast<std::size_t>(row - 1)],
             &after = node.beats[static_cast<std::size_t>(row)];
  return after.emits || (after.empty && !before.empty);
}

std::optional<Finding> first_remembered(const Reading& reading) {
  bool kept_are_finite = true;
  for (std::int64_t row = 1; row < reading.rows().rows(); ++row) {
    bool skipped = reading.is_skipped(row);
    kept_are_finite = kept_are_finite && (skipped || is_finite_row(reading, row));
    const Node* node = reading.skipper(row);
    if (skipped && node && node->spec->text("skip") != "window_not_finite" && !closes(*node, row))
      if (auto found = first_move_within(reading, *node, row)) return found;
    if (kept_are_finite)
      if (auto found = first_lasting(reading, row)) return found;
  }
  return std::nullopt;
}

}  // namespace

Verdict state_nonfinite_forgotten(const Reading& reading) {
  if (std::ranges::none_of(reading.nodes(), &Node::may_skip))
    return not_applicable("the spec declares no rule that leaves microbatches out");
  if (std::ranges::none_of(reading.evidence().skipped_microsteps, [](bool skipped) { return skipped; }))
    return not_applicable("no microbatch of this run is left out");
  if (const std::string* path = reading.hidden()) return not_applicable("the trace hides " + *path);
  if (auto found = first_remembered(reading))
    return broken(reading, *found, "a microbatch that was left out is remembered",
                  causes_of_nonfinite(reading, *found));
  const auto& semantics = reading.evidence().against_clean;
  if (semantics && !semantics->differences.empty())
    return broken(reading, semantics->differences.front(),
                  "not what the same run gives without the microbatches left out", {"nonfinite-skip"});
  if (semantics && semantics->verdict == Sameness::undecidable) return undecidable(semantics->reason);
  return holds("the run is as if the microbatches left out had never been");
}

}  // namespace microstep
