// Is a trace that of another spec? With its state as it stands, or under the paths of the other spec, or without it.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "accumulation.hpp"
#include "hypothesis.hpp"
#include "microstep/bound/transition.hpp"

namespace microstep {
namespace {

/// The path that a column or count has in the part; empty for none.
using Renaming = std::function<std::string(const std::string&)>;

// The first rows of a trace, with what the renaming keeps.
Trace part_of(const Trace& trace, std::int64_t rows, const Renaming& renamed) {
  std::vector<Column> columns;
  std::vector<std::string> counts;
  std::vector<std::size_t> from, counts_from;
  for (std::size_t i = 0; i < trace.schema().columns().size(); ++i) {
    Column column = trace.schema().columns()[i];
    column.path = renamed(column.path);
    if (column.path.empty()) continue;
    columns.push_back(std::move(column));
    from.push_back(i);
  }
  for (std::size_t i = 0; i < trace.schema().count_paths().size(); ++i)
    if (std::string path = renamed(trace.schema().count_paths()[i]); !path.empty()) {
      counts.push_back(std::move(path));
      counts_from.push_back(i);
    }
  Trace part(std::make_shared<const Schema>(std::move(columns), std::move(counts)));
  for (std::int64_t row = 0; row < rows; ++row) {
    part.append_row();
    for (std::size_t i = 0; i < from.size(); ++i) {
      part.presence(row, i) = trace.presence(row, from[i]);
      std::ranges::copy(trace.numbers(row, from[i]), part.numbers(row, i).begin());
    }
    for (std::size_t i = 0; i < counts_from.size(); ++i) {
      part.count(row, i) = trace.count(row, counts_from[i]);
      if (!trace.shows_count(row, counts_from[i])) part.hide_count(row, i);
    }
  }
  return part;
}

bool is_state(const std::string& path) { return path.starts_with("state/"); }
std::string as_it_is(const std::string& path) { return path; }
std::string without_state(const std::string& path) { return is_state(path) ? std::string() : path; }

struct Keeper {
  std::string path, family;
};

// What keeps state beside accumulators, in pre-order; what keeps the same is of one family.
void collect_keepers(const Spec& spec, const std::string& path, std::vector<Keeper>& keepers) {
  if (spec.of.empty() && !op_rule(spec.op).accumulates && has_state(spec))
    keepers.push_back({path + "/", spec.op.find("adam") != std::string::npos ? "moments"
                                   : spec.op == "sgd" || spec.op == "trace"  ? "trace"
                                                                             : spec.op});
  for (std::size_t i = 0; i < spec.of.size(); ++i)
    collect_keepers(spec.of[i], fmt::format("{}/of[{}]", path, i), keepers);
}

// A loop names its state as it was declared, whatever runs: each keeper's is that of the other's next of its family.
// The accumulator's is left out; of a schedule's counter nobody knows what it counts.
Renaming under_paths_of(const Spec& other, const Spec& claimed) {
  std::vector<Keeper> own, theirs;
  collect_keepers(claimed, "state", own);
  collect_keepers(other, "state", theirs);
  std::vector<std::pair<std::string, std::string>> paths;
  for (const Keeper& keeper : own) {
    auto found = std::ranges::find(theirs, keeper.family, &Keeper::family);
    if (found == theirs.end()) continue;
    paths.emplace_back(keeper.path, found->path);
    theirs.erase(found);
  }
  return [paths](const std::string& path) {
    if (!is_state(path)) return path;
    for (const auto& [from, to] : paths)
      if (path.starts_with(from) && path.find("/schedule_count") == std::string::npos)
        return to + path.substr(from.size());
    return std::string();
  };
}

// Of a dtype alone the balls have the same centres: which of the two it is, other numbers tell.
bool is_apart(const Ball& declared, const Ball& other, double seen, bool rounds) {
  return !overlap(exactly(seen), declared) && (rounds || !overlap(declared, other));
}

Ball ball_at(const Envelope& balls, std::int64_t row, std::size_t column, std::size_t i) {
  return balls.presence(row, column) == Presence::dense ? balls.numbers(row, column)[i] : exactly(0);
}

// One number of the column is outside of its declared ball, and no number could be in that and in the other's.
bool tells_apart(const Trace& trace, std::int64_t row, const std::string& path, const Envelope& declared,
                 const Envelope& other, bool rounds) {
  auto seen = trace.schema().find_column(path), own = declared.schema().find_column(path),
       theirs = other.schema().find_column(path);
  if (!seen || !own || !theirs || is_missing(trace, row, *seen)) return false;
  if (trace.presence(row, *seen) == Presence::absent) return false;
  const auto numbers = trace.numbers(row, *seen);
  if (declared.numbers(row, *own).size() != numbers.size()) return false;
  if (other.numbers(row, *theirs).size() != numbers.size()) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double number = trace.presence(row, *seen) == Presence::dense ? numbers[i] : 0;
    if (is_apart(ball_at(declared, row, *own, i), ball_at(other, row, *theirs, i), number, rounds)) return true;
  }
  return false;
}

// Updates, or params where those are not shown, of which another dtype rounds at least one number more, and how many of
// all numbers are outside of their declared balls.
struct RoundedRow {
  bool rounds = false, shows = false;
};

RoundedRow rounded_row(const Trace& trace, std::int64_t row, const Envelope& declared, const Envelope& other) {
  RoundedRow found;
  for (const Column& column : other.schema().columns()) {
    if (!column.path.starts_with("updates/") && !column.path.starts_with("params/")) continue;
    const auto seen = trace.schema().find_column(column.path), own = declared.schema().find_column(column.path),
               theirs = other.schema().find_column(column.path);
    if (!seen || !own || trace.presence(row, *seen) == Presence::absent) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(column.size); ++i) {
      const Ball due = ball_at(declared, row, *own, i);
      found.rounds = found.rounds || ball_at(other, row, *theirs, i).radius > due.radius;
      const double number = trace.presence(row, *seen) == Presence::dense ? trace.numbers(row, *seen)[i] : 0;
      found.shows = found.shows || !contains(due, number);
    }
  }
  return found;
}

// A dtype that rounds more does so in each microstep that gives anything, and not in one alone.
bool shows_wherever_it_rounds(const Trace& trace, const Envelope& declared, const Envelope& other) {
  for (std::int64_t row = 1; row < trace.rows(); ++row) {
    const RoundedRow found = rounded_row(trace, row, declared, other);
    if (found.rounds && !found.shows) return false;
  }
  return true;
}

bool counts_tell_apart(const Trace& trace, std::int64_t row, const Envelope& declared) {
  const auto& paths = trace.schema().count_paths();
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (auto own = declared.schema().find_count(paths[i]); own && trace.shows_count(row, i))
      if (trace.count(row, i) != declared.count(row, *own)) return true;
  return false;
}

Renaming renaming_of(ShownState state, const Spec& other, const Spec& claimed) {
  if (state == ShownState::kept) return as_it_is;
  return state == ShownState::renamed ? under_paths_of(other, claimed) : Renaming(without_state);
}

}  // namespace

bool are_told_apart(const Trace& trace, const Envelope& declared, const Envelope& other, const Hypothesis& hypothesis,
                    std::int64_t first_row) {
  const bool rounds = hypothesis.causes == std::vector<std::string>{"dtype"};
  if (rounds && !shows_wherever_it_rounds(trace, declared, other)) return false;
  for (std::int64_t row = first_row; row < trace.rows(); ++row) {
    if (hypothesis.same_state && counts_tell_apart(trace, row, declared)) return true;
    for (const Column& column : other.schema().columns())
      if (column.path != "loss" && (hypothesis.same_state || !is_state(column.path)) &&
          tells_apart(trace, row, column.path, declared, other, rounds))
        return true;
  }
  return false;
}

bool is_state_of(const Plan& plan, const Spec& spec, const Trace& trace) {
  Plan other = plan;
  other.spec = spec;
  const SchemaPointer known = declared_columns(other, embedded(trace));
  return std::ranges::all_of(
             trace.schema().columns(),
             [&](const Column& column) { return !is_state(column.path) || known->find_column(column.path); }) &&
         std::ranges::all_of(trace.schema().count_paths(),
                             [&](const std::string& path) { return known->find_count(path).has_value(); });
}

// A wrong one mostly fails where the declared spec does.
bool explains(const Plan& plan, const Hypothesis& hypothesis, const Trace& trace, const Envelope& declared,
              std::int64_t first_wrong, ShownState state) {
  const Renaming renamed = renaming_of(state, hypothesis.spec, plan.spec);
  if (!balls_that_hold(plan, hypothesis.spec, part_of(trace, first_wrong + 1, renamed))) return false;
  if (state == ShownState::kept && !hypothesis.same_state && !is_state_of(plan, hypothesis.spec, trace)) return false;
  const Trace whole = part_of(trace, trace.rows(), renamed);
  const auto balls = balls_that_hold(plan, hypothesis.spec, whole);
  return balls && are_told_apart(whole, declared, *balls, hypothesis, first_wrong);
}

}  // namespace microstep
