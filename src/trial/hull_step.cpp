#include "hull_step.hpp"

#include <algorithm>

#include "microstep/bound/transition.hpp"
#include "microstep/judge/faithful.hpp"

namespace microstep {
namespace {

// Both runs' numbers of one column.
struct Sides {
  const TwoRuns& runs;
  std::size_t own, other;

  static std::optional<Sides> of(const TwoRuns& runs, const std::pair<std::string, std::string>& paths) {
    const auto own = runs.trace.schema().find_column(paths.first);
    const auto other = runs.other.schema().find_column(paths.second);
    if (!own || !other) return std::nullopt;
    if (runs.trace.schema().columns()[*own].shape != runs.other.schema().columns()[*other].shape) return std::nullopt;
    return Sides{runs, *own, *other};
  }
  const Column& column() const { return runs.trace.schema().columns()[own]; }
  static double at(const Trace& trace, std::int64_t row, std::size_t column, std::size_t i) {
    return trace.presence(row, column) == Presence::dense ? trace.numbers(row, column)[i] : 0;
  }
  double accumulated(std::int64_t window, std::size_t i) const { return at(runs.trace, runs.own_row(window), own, i); }
  double large_batch(std::int64_t window, std::size_t i) const { return at(runs.other, window, other, i); }
  bool differ(std::int64_t window, std::size_t i) const {
    return !wide::same(Wide(accumulated(window, i)), Wide(large_batch(window, i)));
  }
  Difference difference(std::int64_t window, std::size_t i) const {
    return {window,
            runs.own_row(window),
            column().path,
            column().shape,
            column().dtype,
            static_cast<std::int64_t>(i),
            false,
            exactly(accumulated(window, i)),
            exactly(large_batch(window, i))};
  }
};

Column with_path(const Column& column, std::string path) { return {std::move(path), column.shape, column.dtype}; }

// Facts of which either run may be the wider.
Plan merged(const TwoRuns& runs) {
  Plan plan = runs.other_plan;
  if (plan.hyper_precision != runs.plan.hyper_precision) plan.hyper_precision = HyperPrecision::undeclared;
  plan.flushes_subnormals = plan.flushes_subnormals || runs.plan.flushes_subnormals;
  plan.true_division = plan.true_division && runs.plan.true_division;
  return plan;
}

struct GradientColumn {
  std::size_t leaf, other;
};

// Rows of the large batch's run that hold both.
class Hulls {
 public:
  Hulls(const TwoRuns& runs, const WindowGradients& gradients) : runs_(runs) {
    std::vector<Column> columns;
    for (const auto& paths : runs.paths.columns)
      if (const auto sides = Sides::of(runs, paths)) {
        columns.push_back(with_path(sides->column(), paths.second));
        sides_.push_back(*sides);
      }
    for (std::size_t leaf = 0; leaf < runs.plan.params.leaf_count(); ++leaf) {
      const std::string path = "gradients/" + runs.plan.params.leaf(leaf).name;
      const auto other = runs.other.schema().find_column(path);
      if (!other) continue;
      columns.push_back(with_path(runs.other.schema().columns()[*other], path));
      gradients_.push_back({leaf, *other});
    }
    std::vector<std::string> counts;
    for (const auto& [own, other] : runs.paths.counts)
      if (runs.other.schema().find_count(other)) counts.push_back(other);
    rows_ = Envelope(std::make_shared<const Schema>(std::move(columns), std::move(counts)));
    for (std::int64_t window = 0; window <= std::ssize(runs.windows); ++window) add_row(window, gradients);
  }
  const Envelope& rows() const { return rows_; }
  const std::vector<Sides>& sides() const { return sides_; }

 private:
  void add_row(std::int64_t window, const WindowGradients& gradients) {
    rows_.append_row();
    for (std::size_t c = 0; c < sides_.size(); ++c) {
      rows_.presence(window, c) = runs_.other.presence(window, sides_[c].other);
      if (rows_.presence(window, c) == Presence::zero) rows_.presence(window, c) = Presence::dense;
      auto numbers = rows_.numbers(window, c);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = hull(exactly(sides_[c].accumulated(window, i)), exactly(sides_[c].large_batch(window, i)));
    }
    for (std::size_t i = 0; i < rows_.schema().count_paths().size(); ++i)
      rows_.count(window, i) =
          runs_.other.count(window, runs_.other.schema().find_count(rows_.schema().count_paths()[i]).value());
    for (std::size_t g = 0; window > 0 && g < gradients_.size(); ++g) add_gradient(window, g, gradients);
  }

  void add_gradient(std::int64_t window, std::size_t g, const WindowGradients& gradients) {
    const auto& [leaf, other] = gradients_[g];
    const std::size_t column = sides_.size() + g;
    rows_.presence(window, column) = runs_.other.presence(window, other);
    if (rows_.presence(window, column) == Presence::absent) return;
    rows_.presence(window, column) = Presence::dense;
    auto numbers = rows_.numbers(window, column);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = hull(gradients.reduced(static_cast<std::size_t>(window) - 1, leaf, i),
                        exactly(Sides::at(runs_.other, window, other, i)));
  }

  const TwoRuns& runs_;
  std::vector<Sides> sides_;
  std::vector<GradientColumn> gradients_;
  Envelope rows_;
};

// Of numbers that are equal in both runs nothing is to be explained.
void look_at(const Sides& sides, const Envelope& steps, std::int64_t window, std::size_t column, HullSteps& found) {
  const bool dense = steps.presence(window, column) == Presence::dense;
  const auto balls = steps.numbers(window, column);
  const bool is_wide = found.wide_path.empty() && is_as_wide_as_itself(steps, window, column);
  for (std::size_t i = 0; i < balls.size(); ++i) {
    if (!sides.differ(window, i)) continue;
    const Ball due = dense ? balls[i] : exactly(0);
    if (is_wide && found.wide_path.empty()) {
      found.wide_window = window;
      found.wide_path = sides.column().path;
    }
    if (contains(due, sides.accumulated(window, i)) && contains(due, sides.large_batch(window, i))) continue;
    if (!found.outside) found.outside = sides.difference(window, i);
  }
}

}  // namespace

std::optional<Difference> first_difference(const TwoRuns& runs, std::int64_t window, bool params) {
  for (const auto& [own, other] : runs.paths.counts) {
    const auto mine = runs.trace.schema().find_count(own), theirs = runs.other.schema().find_count(other);
    if (params || !mine || !theirs) continue;
    const std::int64_t a = runs.trace.count(runs.own_row(window), *mine), b = runs.other.count(window, *theirs);
    if (a != b)
      return Difference{window,
                        runs.own_row(window),
                        own,
                        {},
                        Dtype::float64,
                        0,
                        true,
                        exactly(static_cast<double>(a)),
                        exactly(static_cast<double>(b))};
  }
  for (const auto& paths : runs.paths.columns) {
    if (params && !paths.first.starts_with("params/")) continue;
    const auto sides = Sides::of(runs, paths);
    for (std::size_t i = 0; sides && i < static_cast<std::size_t>(sides->column().size); ++i)
      if (sides->differ(window, i)) return sides->difference(window, i);
  }
  return std::nullopt;
}

HullSteps hull_steps(const TwoRuns& runs, const WindowGradients& gradients) {
  const Plan plan = merged(runs);
  const Hulls hulls(runs, gradients);
  const Envelope steps = transitions(plan, hulls.rows(), rounding_of(plan));
  HullSteps found;
  for (std::int64_t window = 1; window <= std::ssize(runs.windows); ++window)
    for (const Sides& sides : hulls.sides()) {
      const auto column = steps.schema().find_column(runs.other.schema().columns()[sides.other].path);
      if (column && steps.numbers(window, *column).size() == static_cast<std::size_t>(sides.column().size))
        look_at(sides, steps, window, *column, found);
    }
  return found;
}

}  // namespace microstep
