// Two runs of which every number must be the same: an interrupted one, and one with k = 1.
#include <fmt/format.h>

#include <algorithm>

#include "causes.hpp"
#include "contracts.hpp"
#include "finding.hpp"

namespace microstep {
namespace {

/// Columns and counts of a run, each with the one of the other run that means the same.
struct Pairs {
  std::vector<std::pair<std::size_t, std::size_t>> columns, counts;
};

std::optional<Finding> first_difference(Role role, const Envelope& run, const Envelope& other, const Pairs& pairs) {
  for (std::int64_t row = 0; row < run.rows(); ++row) {
    for (auto [own, theirs] : pairs.counts) {
      if (!run.shows_count(row, own) || !other.shows_count(row, theirs)) continue;
      if (run.count(row, own) == other.count(row, theirs)) continue;
      Finding found = off_count(row, own, run.count(row, own), other.count(row, theirs));
      found.role = role;
      return found;
    }
    for (auto [own, theirs] : pairs.columns)
      if (auto found = first_change(run, row, own, other, row, theirs)) {
        found->role = role;
        return found;
      }
  }
  return std::nullopt;
}

/// The nodes that are compared, as paths: wrappers are replaced by what is in them, apply_every has no counterpart.
void collect_kept(const Spec& spec, const std::string& path, std::vector<std::string>& paths) {
  if (spec.op == "apply_every") return;
  if (spec.of.empty()) return paths.push_back(path);
  for (std::size_t i = 0; i < spec.of.size(); ++i) collect_kept(spec.of[i], fmt::format("{}/of[{}]", path, i), paths);
}

/// The path of the other run for one of this run's, empty where it has none.
std::string counterpart(const std::string& path, const std::vector<std::string>& own,
                        const std::vector<std::string>& theirs) {
  if (!path.starts_with("state")) return path == "loss" ? std::string() : path;
  for (std::size_t i = 0; i < own.size() && i < theirs.size(); ++i)
    if (path.starts_with(own[i] + "/")) return theirs[i] + path.substr(own[i].size());
  return {};
}

Pairs paired(const Spec& spec, const Schema& schema, const Spec& other_spec, const Schema& other) {
  std::vector<std::string> own, theirs;
  collect_kept(spec, "state", own);
  collect_kept(other_spec, "state", theirs);
  Pairs pairs;
  for (std::size_t i = 0; i < schema.columns().size(); ++i) {
    auto found = other.find_column(counterpart(schema.columns()[i].path, own, theirs));
    if (found && other.columns()[*found].size == schema.columns()[i].size) pairs.columns.emplace_back(i, *found);
  }
  for (std::size_t i = 0; i < schema.count_paths().size(); ++i)
    if (auto found = other.find_count(counterpart(schema.count_paths()[i], own, theirs)))
      pairs.counts.emplace_back(i, *found);
  return pairs;
}

/// All but the loss; the same places where the schemas are equal.
Pairs of_same_path(const Schema& schema, const Schema& other) {
  Pairs pairs;
  const bool equal_schemas = schema == other;
  for (std::size_t i = 0; i < schema.columns().size(); ++i) {
    const Column& column = schema.columns()[i];
    auto found = equal_schemas ? std::optional(i) : other.find_column(column.path);
    if (found && column.path != "loss" && other.columns()[*found].size == column.size)
      pairs.columns.emplace_back(i, *found);
  }
  for (std::size_t i = 0; i < schema.count_paths().size(); ++i)
    if (auto found = equal_schemas ? std::optional(i) : other.find_count(schema.count_paths()[i]))
      pairs.counts.emplace_back(i, *found);
  return pairs;
}

std::optional<Finding> first_outside(Role role, const Envelope& run, const Envelope& balls) {
  for (std::int64_t row = 0; row < std::min(run.rows(), balls.rows()); ++row)
    for (std::size_t column = 0; column < run.schema().columns().size(); ++column) {
      const Column& seen = run.schema().columns()[column];
      auto mirror = balls.schema().find_column(seen.path);
      if (!mirror || seen.path == "loss" || is_missing(run, row, column) ||
          balls.schema().columns()[*mirror].size != seen.size)
        continue;
      for (std::int64_t i = 0; i < seen.size; ++i) {
        Ball a = number_at(run, row, column, i), b = number_at(balls, row, *mirror, i);
        if (!overlap(a, b)) return Finding{role, row, column, false, i, a, b};
      }
    }
  return std::nullopt;
}

Verdict judge_up_to_rounding(const Reading& reading, Role role) {
  auto balls = reading.evidence().expected.find(role);
  if (balls == reading.evidence().expected.end())
    return not_applicable("no one-step balls are known of the run with k = 1");
  if (auto found = first_outside(role, reading.evidence().observed.at(role), balls->second))
    return broken(reading, *found, "with k = 1 a step is not the inner optimizer's", {"boundary", "formula"});
  return holds("with k = 1 every step lies in the ball of the inner optimizer's");
}

/// An accumulator that rounds gradients, or what the inner optimizer makes of them, to another dtype cannot give the
/// inner optimizer's bits.
bool rounds_to_other_dtypes(const Schema& schema, const Schema& inner) {
  return std::ranges::any_of(schema.columns(), [&](const Column& column) {
    if (column.path.starts_with("updates/")) {
      auto update = inner.find_column(column.path);
      return update && inner.columns()[*update].dtype != column.dtype;
    }
    const std::size_t at = column.path.find("/acc_grads/");
    if (at == std::string::npos) return false;
    auto gradient = schema.find_column("gradients" + column.path.substr(column.path.find('/', at + 1)));
    return gradient && schema.columns()[*gradient].dtype != column.dtype;
  });
}

}  // namespace

Verdict state_resume(const Reading& reading) {
  const Evidence& evidence = reading.evidence();
  auto run = evidence.observed.find(Role::interrupted);
  if (run == evidence.observed.end()) {
    auto why = evidence.errored.find(Role::interrupted);
    if (why == evidence.errored.end()) return not_applicable("no interrupted run was made");
    return {{}, Outcome::broken, fmt::format("the restored run failed: {}", why->second), {}, {"persist"}};
  }
  if (run->second.rows() != reading.rows().rows())
    return {{},
            Outcome::broken,
            fmt::format("the restored run shows {} microsteps where {} were due", run->second.microsteps(),
                        reading.rows().microsteps()),
            {},
            {"persist"}};
  const Pairs pairs = of_same_path(run->second.schema(), reading.rows().schema());
  if (auto found = first_difference(Role::interrupted, run->second, reading.rows(), pairs))
    return broken(reading, *found, "the restored run goes on otherwise", {"persist"});
  return holds("the run that went through bytes goes on bit for bit as the one that did not");
}

Verdict identity_k1(const Reading& reading) {
  const Evidence& evidence = reading.evidence();
  if (!reading.has_accumulator()) return not_applicable("the spec has no accumulator");
  Role role = reading.always_one() ? Role::accumulated : Role::single;
  auto run = evidence.observed.find(role), other = evidence.observed.find(Role::reference);
  if (run == evidence.observed.end()) return not_applicable("no run with k = 1 was made");
  const auto& plans = evidence.experiment->plans;
  if (!evidence.bitwise) return judge_up_to_rounding(reading, role);
  if (other != evidence.observed.end() &&
      without_accumulators(plans.at(role).spec) != without_accumulators(plans.at(Role::reference).spec))
    return not_applicable("the reference runs another rule than the accumulator's inner");
  if (other == evidence.observed.end() || run->second.rows() != other->second.rows())
    return not_applicable("no run of the inner optimizer on the same batches was made");
  if (rounds_to_other_dtypes(run->second.schema(), other->second.schema()))
    return not_applicable("the accumulator rounds gradients or updates to another dtype");
  Pairs pairs =
      paired(plans.at(role).spec, run->second.schema(), plans.at(Role::reference).spec, other->second.schema());
  if (auto found = first_difference(role, run->second, other->second, pairs))
    return broken(reading, *found, "with k = 1 the run is not the inner optimizer's", {"boundary", "formula"});
  return holds("with k = 1 the run is the inner optimizer's, bit for bit");
}

}  // namespace microstep
