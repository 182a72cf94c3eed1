// What the optimizer remembers between and across windows.
#include <fmt/format.h>

#include <algorithm>

#include "causes.hpp"
#include "contracts.hpp"
#include "finding.hpp"
#include "own_fault.hpp"

namespace microstep {
namespace {

bool keeps_state(const Node& node) { return !node.columns.empty() || !node.counts.empty(); }

/// Why contracts on the state of nodes of that kind cannot look; empty where they can.
std::string blindness(const Reading& reading, bool accumulators) {
  if (const std::string* path = reading.hidden()) return fmt::format("the trace hides {}", *path);
  bool any = std::ranges::any_of(
      reading.nodes(), [&](const Node& node) { return node.accumulates() == accumulators && keeps_state(node); });
  if (any) return {};
  return accumulators ? "the trace shows no accumulator" : "the inner optimizer keeps no state, or the trace hides it";
}

std::optional<Finding> first_wrong_count(const Reading& reading, const Node& node) {
  std::int64_t due = 0;
  for (std::int64_t row = 0; row < reading.rows().rows(); ++row) {
    if (row > 0 && reading.awake(node, row)) ++due;
    for (std::size_t count : node.counts)
      if (std::int64_t seen = reading.rows().count(row, count); seen != due && reading.rows().shows_count(row, count))
        return off_count(row, count, seen, due);
  }
  return std::nullopt;
}

/// A sum that is not finite and is multiplied by 0, where it ought to be overwritten, stays.
std::optional<Finding> first_kept_nan(const Reading& reading, const Node& node, std::int64_t row, std::size_t column) {
  if (node.spec->text("clear") != "multiply" || row == 0) return std::nullopt;
  const auto before = reading.rows().numbers(row - 1, column), now = reading.rows().numbers(row, column);
  if (reading.rows().presence(row - 1, column) != Presence::dense) return std::nullopt;
  for (std::size_t j = 0; j < now.size(); ++j)
    if (!wide::is_finite(before[j].value) && wide::is_nan(now[j].value))
      return Finding{Role::accumulated, row, column, false, static_cast<std::int64_t>(j), now[j], exactly(0)};
  return std::nullopt;
}

/// What is left of a closed window, and what a window's first row has beside its ball for another reason.
struct Leftovers {
  std::optional<Finding> left, other;
};

void add_opening(const Reading& reading, const Node& node, std::int64_t row, std::size_t column, BallCheck& check,
                 Leftovers& leftovers) {
  if (reading.expected() && row > 0)
    if (auto found = check.first_outside(row, column)) {
      const Ball before = number_at(reading.rows(), row - 1, column, found->index);
      const bool poisoned = !wide::is_finite(before.value) && !wide::is_finite(found->observed.value);
      (poisoned || keeps_all_before(reading, node, *found) ? leftovers.left : leftovers.other) = found;
    }
  if (!leftovers.left) leftovers.left = first_kept_nan(reading, node, row, column);
}

/// multi_steps is zeros when empty; apply_every keeps its sum until the next window overwrites it.
Leftovers leftovers_of(const Reading& reading, const Node& node, BallCheck& check) {
  Leftovers leftovers;
  for (std::int64_t row = 0; row < reading.rows().rows(); ++row) {
    const Beat& beat = node.beats[static_cast<std::size_t>(row)];
    for (std::size_t column : node.columns) {
      if (node.is_multi_steps() && beat.empty) leftovers.left = first_nonzero(reading.rows(), row, column);
      if (!node.is_multi_steps() && beat.opens) add_opening(reading, node, row, column, check, leftovers);
      if (leftovers.left) return leftovers;
    }
  }
  return leftovers;
}

bool pairs_state(const Reading& reading) {
  return std::ranges::any_of(reading.nodes(),
                             [](const Node& node) { return !node.accumulates() && keeps_state(node); });
}

}  // namespace

Verdict state_inner_asleep(const Reading& reading) {
  if (!reading.has_accumulator() || reading.always_one())
    return not_applicable("every microstep closes a window (k = 1 or no accumulator)");
  if (std::string why = blindness(reading, false); !why.empty()) return not_applicable(std::move(why));
  if (auto found = first_awake(reading))
    return broken(reading, *found, "the inner optimizer moved in a held microstep",
                  causes_of_movement(reading, *found));
  return holds("the inner state is bit for bit the same after every held microstep");
}

Verdict state_accumulator_empty(const Reading& reading) {
  if (!reading.has_accumulator()) return not_applicable("the spec has no accumulator");
  if (std::string why = blindness(reading, true); !why.empty()) return not_applicable(std::move(why));
  BallCheck check(reading);
  bool cleared = false;
  std::optional<Finding> other;
  for (const Node& node : reading.nodes()) {
    if (!node.accumulates()) continue;
    cleared = cleared || node.is_multi_steps();
    const Leftovers leftovers = leftovers_of(reading, node, check);
    if (leftovers.left)
      return broken(reading, *leftovers.left, "something of a closed window is left in the accumulator",
                    causes_of_nonfinite(reading, *leftovers.left));
    if (!other) other = leftovers.other;
  }
  if (other)
    return undecidable(fmt::format("{} leaves its ball in microstep {}, and not by what was there before",
                                   path_of(reading, *other), other->row));
  if (!cleared && !reading.expected()) return not_applicable("no one-step balls are known of this trace");
  return holds("no window finds anything of an earlier one in the accumulator");
}

Verdict state_large_batch(const Reading& reading) {
  const auto& semantics = reading.evidence().against_reference;
  if (!semantics) return not_applicable("the run was not decided against the large batch");
  if (reading.evidence().windows.empty()) return not_applicable(no_window);
  auto found = std::ranges::find_if(semantics->differences,
                                    [](const Difference& difference) { return difference.path.starts_with("state"); });
  if (found != semantics->differences.end())
    return broken(reading, *found, "not the state of the large batch", causes_of_difference(reading, *semantics));
  if (const std::string* path = reading.hidden()) return not_applicable(fmt::format("the trace hides {}", *path));
  if (!pairs_state(reading)) return not_applicable("the inner optimizer keeps no state");
  if (semantics->verdict == Sameness::undecidable) return undecidable(semantics->reason);
  return holds("the inner state is that of the large batch after every window decided");
}

Verdict state_count_once(const Reading& reading) {
  if (const std::string* path = reading.hidden()) return not_applicable(fmt::format("the trace hides {}", *path));
  bool counts = false;
  for (const Node& node : reading.nodes()) {
    if (node.accumulates() || node.counts.empty()) continue;
    counts = true;
    if (auto found = first_wrong_count(reading, node))
      return broken(reading, *found, "an inner counter does not count the emitted updates",
                    causes_of_count(reading, *found));
  }
  if (!counts) return not_applicable("the inner optimizer keeps no counter, or the trace hides it");
  if (reading.evidence().windows.empty()) return not_applicable(no_window);
  return holds("every inner counter is the number of emitted updates");
}

}  // namespace microstep
