// What a window's gradients become.
#include <fmt/format.h>

#include <algorithm>

#include "causes.hpp"
#include "contracts.hpp"
#include "finding.hpp"
#include "microstep/judge/faithful.hpp"
#include "own_fault.hpp"

namespace microstep {
namespace {

bool reduces_by(const Node& node, std::string_view reduce) {
  if (node.is_multi_steps()) return node.spec->text("reduce") == reduce;
  return node.accumulates() && reduce == "sum";
}

bool is_inside(const Node& node, const Node& outer) {
  return node.path.size() > outer.path.size() && node.path.starts_with(outer.path);
}

const std::vector<std::size_t>& shown(const Reading& reading) {
  return reading.updates().empty() ? reading.params() : reading.updates();
}

/// Per column the leaf with the longest name that its path ends with; their number for none.
std::vector<std::size_t> leaves_of_columns(const Reading& reading) {
  const auto& columns = reading.rows().schema().columns();
  std::vector<std::size_t> leaves;
  for (const Column& column : columns) {
    std::size_t best = shown(reading).size(), longest = 0;
    for (std::size_t leaf = 0; leaf < shown(reading).size(); ++leaf) {
      const std::string_view path = columns[shown(reading)[leaf]].path, name = path.substr(path.find('/'));
      if (name.size() <= longest || !column.path.ends_with(name)) continue;
      best = leaf;
      longest = name.size();
    }
    leaves.push_back(best);
  }
  return leaves;
}

/// A number in that ball was made of the gradient that was due.
bool tells(const Reading& reading, std::int64_t row, std::size_t column) {
  auto mirror = reading.expected_column(column);
  if (!mirror || row >= reading.expected()->rows()) return false;
  if (reading.rows().presence(row, column) != Presence::dense || reading.rows().numbers(row, column).empty())
    return false;
  return reading.expected()->presence(row, *mirror) == Presence::dense &&
         !is_as_wide_as_itself(*reading.expected(), row, *mirror);
}

/// A number of the leaf that would be another by the reduced gradient. None where a slot of the inner shows that the
/// right one came in: what is wrong behind that slot is not the reduction.
std::optional<Finding> wrong_reaction(const Reading& reading, const Node& node, std::int64_t row, std::size_t leaf,
                                      const std::vector<std::size_t>& leaves, BallCheck& check) {
  std::optional<Finding> first;
  bool received = false;
  for (const Node& inner : reading.nodes()) {
    if (!is_inside(inner, node) || (inner.accumulates() && inner.beats[static_cast<std::size_t>(row)].empty)) continue;
    for (std::size_t column : inner.columns) {
      if (leaves[column] != leaf) continue;
      auto found = check.first_outside(row, column);
      received = received || (!found && tells(reading, row, column));
      if (!first) first = found;
    }
  }
  auto out = reading.emits(row) ? check.first_outside(row, shown(reading)[leaf]) : std::nullopt;
  if (received) return std::nullopt;
  return first ? first : out;
}

/// What contradicts a reduction, and what contradicts something else than it.
struct Blame {
  std::optional<Finding> reduction, behind, before, one_number;
};

void look_behind(const Reading& reading, const Node& node, std::int64_t row, const std::vector<std::size_t>& leaves,
                 BallCheck& check, Blame& blame) {
  std::optional<Finding> first;
  bool other = true;
  std::size_t numbers = 0;
  for (std::size_t leaf = 0; leaf < shown(reading).size(); ++leaf)
    if (auto found = wrong_reaction(reading, node, row, leaf, leaves, check)) {
      if (!first) first = found;
      other = other && is_other_reduction(reading, *found);
      numbers += numbers_that_tell(reading, *found);
    }
  if (!first) return;
  if (other && numbers > 1) blame.reduction = first;
  if (other && !blame.one_number) blame.one_number = first;
  if (!blame.behind) blame.behind = first;
}

/// The accumulator itself after a microstep that it took part in. What comes out of a link before it is not shown: it
/// answers only for what the right input does not explain. What is left where it ought to be empty says nothing: if the
/// next window takes it in, its first row tells.
void look_into(const Reading& reading, const Node& node, std::int64_t row, BallCheck& check, Blame& blame) {
  const bool empty = node.is_multi_steps() && node.beats[static_cast<std::size_t>(row)].empty;
  for (std::size_t column : node.columns) {
    auto found = check.first_outside(row, column);
    if (!found || empty || replaces_what_was_left(reading, node, *found)) continue;
    auto& blamed = node.is_fed_by_gradients || is_own_fault(reading, node, *found) ? blame.reduction : blame.before;
    if (!blamed) blamed = found;
  }
}

/// The sum of apply_every is there to be seen; that of multi_steps is gone when its last gradient has come in.
bool shows_result(const Node& node) { return !node.is_multi_steps() && !node.columns.empty(); }

/// The sum was right, and comes out as another number: where nothing stands behind the accumulator, it gave that.
void look_at_emission(const Reading& reading, const Node& node, std::int64_t row, BallCheck& check, Blame& blame) {
  if (!node.gives_updates || !reading.emits(row) || blame.before) return;
  for (std::size_t leaf = 0; leaf < reading.updates().size() && !blame.reduction; ++leaf)
    if (reading.is_governed(leaf)) blame.reduction = check.first_outside(row, reading.updates()[leaf]);
}

void blame_reduction(const Reading& reading, const Node& node, BallCheck& check, Blame& blame) {
  const std::vector<std::size_t> leaves = leaves_of_columns(reading);
  for (std::int64_t row = 1; row < reading.rows().rows() && !blame.reduction; ++row) {
    look_into(reading, node, row, check, blame);
    if (blame.reduction || !node.beats[static_cast<std::size_t>(row)].emits) continue;
    if (shows_result(node))
      look_at_emission(reading, node, row, check, blame);
    else
      look_behind(reading, node, row, leaves, check, blame);
  }
}

Verdict not_told(const Reading& reading, const Finding& finding, std::string_view why) {
  return undecidable(fmt::format("{} leaves its ball in microstep {} {}",
                                 reading.rows().schema().columns()[finding.where].path, finding.row, why));
}

Verdict not_its_fault(const Reading& reading, const Finding& finding, std::string_view side) {
  return undecidable(
      fmt::format("{} leaves its ball in microstep {} and no other reduction that is tried makes that number of it: it "
                  "seems that the fault lies {} the reduction",
                  reading.rows().schema().columns()[finding.where].path, finding.row, side));
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
  Blame blame;
  for (const Node& node : reading.nodes())
    if (declares(node) && !blame.reduction) blame_reduction(reading, node, check, blame);
  if (blame.reduction)
    return broken(reading, *blame.reduction, fmt::format("a window does not give the {}", what),
                  causes_of_value(reading, *blame.reduction));
  if (blame.before) return not_its_fault(reading, *blame.before, "before");
  if (blame.one_number)
    return not_told(reading, *blame.one_number, "as by another reduction; one number does not tell that from others");
  if (blame.behind && is_by_one_factor(reading, *blame.behind))
    return not_told(reading, *blame.behind, "by one factor: as by another learning rate, or by another reduction");
  if (blame.behind) return not_its_fault(reading, *blame.behind, "behind");
  return verdict_of(
      check, reading,
      fmt::format("accumulators and what shows what the inner received lie in the balls of the {}", what));
}

/// The param is not the one before with the update added, whatever the update is.
std::optional<Finding> update_not_added(const Reading& reading) {
  if (!reading.expected() || reading.updates().empty()) return std::nullopt;
  BallCheck check(reading);
  for (std::int64_t row = 1; row < reading.rows().rows(); ++row)
    for (std::size_t leaf = 0; leaf < reading.params().size() && reading.emits(row); ++leaf)
      if (leaf < reading.updates().size() && !check.first_outside(row, reading.updates()[leaf]))
        if (auto found = check.first_outside(row, reading.params()[leaf])) return found;
  return std::nullopt;
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
  if (auto found = update_not_added(reading))
    return broken(reading, *found, "the update is not what a parameter moved by", causes_of_value(reading, *found));
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
