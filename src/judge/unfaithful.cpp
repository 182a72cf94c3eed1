// Why a trace that no other spec explains is not what was declared: what its first wrong number tells.
#include <algorithm>

#include "clue.hpp"
#include "microstep/judge/contract.hpp"

namespace microstep {
namespace {

const Node* owner_of(const Reading& reading, const Finding& finding) {
  for (const Node& node : reading.nodes()) {
    const auto& places = finding.is_count ? node.counts : node.columns;
    if (std::ranges::find(places, finding.where) != places.end()) return &node;
  }
  return nullptr;
}

/// All that is shown of the node's state is, bit for bit, as it was.
bool is_as_before(const Reading& reading, const Node& node, std::int64_t row) {
  const Envelope& rows = reading.rows();
  return std::ranges::all_of(node.counts,
                             [&](std::size_t count) { return rows.count(row, count) == rows.count(row - 1, count); }) &&
         std::ranges::none_of(node.columns, [&](std::size_t column) {
           return first_change(rows, row, column, rows, row - 1, column).has_value();
         });
}

/// How many numbers and counts of the node are not what they ought to be.
std::size_t numbers_outside(const Reading& reading, const Node& node, std::int64_t row) {
  std::size_t numbers = 0;
  for (std::size_t count : node.counts)
    if (auto mirror = reading.expected_count(count); mirror && row < reading.expected()->rows())
      numbers += reading.rows().count(row, count) != reading.expected()->count(row, *mirror);
  for (std::size_t column : node.columns)
    if (auto found = BallCheck(reading).first_outside(row, column))
      if (auto clue = clue_of(reading, *found))
        numbers += static_cast<std::size_t>(std::ranges::count(clue->outside, true));
  return numbers;
}

bool moved_before(const Reading& reading, const Node& node, std::int64_t end) {
  for (std::int64_t row = 1; row < end; ++row)
    if (!is_as_before(reading, node, row)) return true;
  return false;
}

/// The step of an inner optimizer is computed and what it gives is not kept. One number may stay by chance, and again
/// where it has moved before.
bool is_not_handed_on(const Reading& reading, const Finding& finding) {
  const Node* node = owner_of(reading, finding);
  if (!node || node->accumulates()) return false;
  const std::int64_t end = moved_before(reading, *node, finding.row) ? finding.row + 1 : reading.rows().rows();
  std::size_t numbers = 0;
  for (std::int64_t row = finding.row; row < end; ++row) {
    if (!reading.awake(*node, row)) continue;
    if (!is_as_before(reading, *node, row)) break;
    numbers += numbers_outside(reading, *node, row);
  }
  return numbers > 1;
}

bool stays(const Reading& reading, const Finding& finding) {
  if (finding.is_count || !path_of(reading, finding).starts_with("state/")) return false;
  const Envelope& rows = reading.rows();
  return !first_change(rows, finding.row, finding.where, rows, finding.row - 1, finding.where);
}

void leave_out(Causes& causes, const std::vector<std::string>& ids) {
  std::erase_if(causes, [&](const std::string& cause) { return std::ranges::find(ids, cause) != ids.end(); });
}

}  // namespace

std::optional<Finding> first_unfaithful(const Reading& reading, std::int64_t first_row) {
  if (!reading.expected()) return std::nullopt;
  BallCheck check(reading);
  for (std::int64_t row = first_row; row < reading.rows().rows(); ++row) {
    for (const Node& node : reading.nodes())
      if (auto found = check.first_outside(row, node)) return found;
    for (const auto* columns : {&reading.updates(), &reading.params()})
      for (std::size_t column : *columns)
        if (auto found = check.first_outside(row, column)) return found;
  }
  return std::nullopt;
}

// The start is the run's own. A clip at another place is another spec: where none explains the trace, it is none.
std::vector<std::string> causes_of_unfaithful(const Evidence& evidence) {
  if (!evidence.observed.contains(Role::accumulated)) return {};
  const Reading reading(evidence);
  auto found = first_unfaithful(reading, 1);
  if (!found) return {};
  if (is_not_handed_on(reading, *found)) return {"api-state"};
  Causes causes = causes_of_value(reading, *found);
  leave_out(causes, {"clip-place"});
  if (is_other_factor(reading, *found)) leave_out(causes, {"sum-mean", "boundary"});
  if (stays(reading, *found)) leave_out(causes, {"api-state", "backend-split"});
  add_cause(causes, causes.empty(), "formula");
  return causes;
}

}  // namespace microstep
