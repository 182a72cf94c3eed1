#include "microstep/trial/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "experiment_fields.hpp"
#include "leaf_rounding.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/trial/verify.hpp"

namespace microstep {
namespace {

const Golden* find_golden(const GoldenFolder& folder, const std::string& id) {
  auto found = std::ranges::find(folder.goldens, id, &Golden::id);
  return found == folder.goldens.end() ? nullptr : &*found;
}

// `state/of[0]/mu/w` is the slot mu.
std::string slot_of(const std::string& path) {
  const std::string without_leaf = path.substr(0, path.rfind('/'));
  return without_leaf.substr(without_leaf.rfind('/') + 1);
}

void add_dtype_changes(const Trace& before, const Trace& after, std::set<std::string>& changes) {
  for (const Column& column : before.schema().columns()) {
    auto other = after.schema().find_column(column.path);
    if (!other) {
      changes.insert(fmt::format("{}: gone", slot_of(column.path)));
      continue;
    }
    const Column& now = after.schema().columns()[*other];
    if (now.dtype != column.dtype)
      changes.insert(fmt::format("{}: {} → {}", slot_of(column.path), to_string(column.dtype), to_string(now.dtype)));
    if (now.shape != column.shape)
      changes.insert(
          fmt::format("{}: shape {} → {}", slot_of(column.path), to_string(column.shape), to_string(now.shape)));
  }
  for (const Column& column : after.schema().columns())
    if (!before.schema().find_column(column.path)) changes.insert(fmt::format("{}: new", slot_of(column.path)));
}

void add_verdict_changes(const Golden& before, const Golden& after, std::set<std::string>& changes) {
  for (const auto& [id, outcome] : before.expected.contracts) {
    auto now = after.expected.contracts.find(id);
    if (now != after.expected.contracts.end() && now->second != outcome)
      changes.insert(fmt::format("{}: {} → {}", id, to_string(outcome), to_string(now->second)));
  }
  if (before.expected.plans != after.expected.plans)
    changes.insert(fmt::format("plans: {} → {}", to_string(before.expected.plans), to_string(after.expected.plans)));
}

void add_behaviour_changes(const Golden& before, const Golden& after, std::set<std::string>& changes) {
  const auto &was = before.expected.behaviours, &is = after.expected.behaviours;
  for (const std::string& id : is)
    if (std::ranges::find(was, id) == was.end()) changes.insert("behaviour " + id + ": new");
  for (const std::string& id : was)
    if (std::ranges::find(is, id) == is.end()) changes.insert("behaviour " + id + ": gone");
}

std::set<std::string> changes_between(const Golden& before, const Golden& after) {
  std::set<std::string> changes;
  for (const auto& [role, trace] : before.traces)
    if (auto other = after.traces.find(role); other != after.traces.end())
      add_dtype_changes(trace, other->second, changes);
  add_verdict_changes(before, after, changes);
  add_behaviour_changes(before, after, changes);
  return changes;
}

void note_effect(BehaviourChange& change, const Golden& before, const Golden& after) {
  for (const auto& [role, trace] : before.traces) {
    auto other = after.traces.find(role);
    if (other == after.traces.end()) continue;
    const Trace& now = other->second;
    each_number(trace, now, "updates/", [&](std::int64_t row, std::size_t own, std::size_t beside, std::size_t i) {
      const double a = trace.numbers(row, own)[i], b = now.numbers(row, beside)[i];
      const Column& column = trace.schema().columns()[own];
      double gap = std::fabs(a - b);
      if (!(gap > change.largest)) return;
      change.largest = gap;
      change.relative = a != 0 ? gap / std::fabs(a) : 0;
      change.ulps = ulp_distance(column.dtype, a, b);
      change.dtype = column.dtype;
      change.before = a;
      change.after = b;
    });
  }
}

BehaviourChange& change_named(std::vector<BehaviourChange>& changes, const std::string& what) {
  auto found = std::ranges::find(changes, what, &BehaviourChange::what);
  return found != changes.end() ? *found
                                : changes.emplace_back(BehaviourChange{what, {}, 0, 0, 0, Dtype::float32, 0, 0});
}

// What the two ports say of their arithmetic; numbers that differ follow from it.
std::string other_declarations(const Golden& before, const Golden& after) {
  const auto was = before.plans.find(Role::accumulated), is = after.plans.find(Role::accumulated);
  if (was == before.plans.end() || is == after.plans.end()) return {};
  const Plan &a = was->second, &b = is->second;
  std::string text;
  if (a.hyper_precision != b.hyper_precision)
    text +=
        fmt::format("declared hyper_precision: {} → {}; ", to_string(a.hyper_precision), to_string(b.hyper_precision));
  if (a.flushes_subnormals != b.flushes_subnormals)
    text += fmt::format("declared flushes_subnormals: {} → {}; ", a.flushes_subnormals, b.flushes_subnormals);
  if (a.true_division != b.true_division)
    text += fmt::format("declared true_division: {} → {}; ", a.true_division, b.true_division);
  return text;
}

// New traces under the old expectations: problems are changes.
void compare(const Golden& before, const Golden& after, FolderDiff& result) {
  ++result.compared;
  std::set<std::string> changes = changes_between(before, after);
  const CheckedExperiment checked = verify_golden(before, kept_traces(after));
  if (changes.empty() && !checked.problems.empty())
    changes.insert(other_declarations(before, after) + "numbers: " + checked.problems.front());
  for (const std::string& what : changes) {
    BehaviourChange& change = change_named(result.changes, what);
    change.experiments.push_back(before.id);
    note_effect(change, before, after);
  }
  // What differs beside a change follows from it.
  if (changes.empty()) std::ranges::move(rounded_leaves(before, after), std::back_inserter(result.leaves));
}

}  // namespace

Rounding rounding_in(const FolderDiff& diff) {
  Rounding rounding;
  for (const LeafRounding& leaf : diff.leaves) {
    rounding.verdict = RoundingKind::rounding;
    if (leaf.share > rounding.max_ratio)
      rounding = {RoundingKind::rounding, leaf.share,
                  fmt::format("{}, {}, {}", leaf.experiment, to_string(leaf.role), leaf.place)};
  }
  if (diff.compared == 0) rounding.verdict = RoundingKind::undecidable;
  if (!diff.changes.empty()) rounding.verdict = RoundingKind::semantic;
  return rounding;
}

FolderDiff diff(const std::string& before_path, const std::string& after_path) {
  const GoldenFolder before = load_golden_folder(before_path), after = load_golden_folder(after_path);
  FolderDiff result;
  result.faults = before.faults;
  result.faults.insert(result.faults.end(), after.faults.begin(), after.faults.end());
  for (const Golden& golden : before.goldens) {
    if (const Golden* other = find_golden(after, golden.id)) {
      const std::vector<std::string> fields = differing_fields(golden.plans, other->plans);
      if (fields.empty())
        compare(golden, *other, result);
      else
        result.other_experiments.push_back({golden.id, fields});
    } else
      result.only_before.push_back(golden.id);
  }
  for (const Golden& golden : after.goldens)
    if (!find_golden(before, golden.id)) result.only_after.push_back(golden.id);
  return result;
}

}  // namespace microstep
