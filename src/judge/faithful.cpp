#include "microstep/judge/faithful.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace microstep {
namespace {

// counts come first, by their own loop; then these.
int rank_of(const std::string& path) {
  if (path.starts_with("state/")) return 0;
  if (path.starts_with("updates/")) return 1;
  return path.starts_with("params/") ? 2 : 3;
}

struct Match {
  std::size_t observed;
  std::size_t expected;
};

std::vector<Match> matched_columns(const Schema& observed, const Schema& expected) {
  std::vector<Match> matches;
  for (std::size_t i = 0; i < expected.columns().size(); ++i)
    if (rank_of(expected.columns()[i].path) < 3)
      if (auto column = observed.find_column(expected.columns()[i].path)) matches.push_back({*column, i});
  std::ranges::stable_sort(matches, {}, [&](const Match& m) { return rank_of(expected.columns()[m.expected].path); });
  return matches;
}

// Where the largest ratio was met; paths and shapes are those of the schemas.
struct Peak {
  std::int64_t row = 0;
  const std::string* path = nullptr;
  const Shape* shape = nullptr;
  std::int64_t index = 0;
};

class Judging {
 public:
  Judging(const Trace& observed, const Envelope& expected)
      : observed_(observed),
        expected_(expected),
        columns_(matched_columns(observed.schema(), expected.schema())),
        why_carried_(hidden_state(expected, observed.schema())) {
    if (!why_carried_.empty()) why_carried_ = "the trace hides " + why_carried_;
  }

  Faithfulness over(std::int64_t first_row) {
    std::int64_t rows = std::min(observed_.rows(), expected_.rows());
    for (std::int64_t row = first_row; row < rows; ++row) {
      judge_counts(row);
      for (const Match& match : columns_) judge_column(row, match);
    }
    if (!result_.reason.empty()) result_.outcome = Outcome::undecidable;
    if (result_.outside > 0) result_.outcome = Outcome::broken;
    if (peak_.path)
      result_.max_place = fmt::format("microstep {}, {}{}", peak_.row, *peak_.path,
                                      peak_.shape ? index_text(*peak_.shape, peak_.index) : "");
    return result_;
  }

 private:
  void judge_counts(std::int64_t row) {
    const auto& paths = expected_.schema().count_paths();
    for (std::size_t i = 0; i < paths.size(); ++i) {
      auto own = observed_.schema().find_count(paths[i]);
      if (!own) continue;
      if (!observed_.shows_count(row, *own)) {
        note_missing(row, paths[i]);
        continue;
      }
      ++result_.judged;
      ++result_.counts_judged;
      ++result_.exact;
      auto seen = static_cast<double>(observed_.count(row, *own)), due = static_cast<double>(expected_.count(row, i));
      if (seen == due) continue;
      note_ratio(infinite_radius, row, paths[i], nullptr, 0);
      ++result_.counts_outside;
      note({Role::accumulated, 0, row, paths[i], {}, Dtype::float64, 0, exactly(seen), exactly(due)});
    }
  }

  void judge_column(std::int64_t row, const Match& match) {
    const Column& column = observed_.schema().columns()[match.observed];
    if (is_missing(observed_, row, match.observed)) return note_missing(row, column.path);
    if (observed_.presence(row, match.observed) == Presence::absent) return judge_absent(row, match, column);
    bool dense = expected_.presence(row, match.expected) == Presence::dense;
    bool zeros = observed_.presence(row, match.observed) == Presence::zero;
    auto seen = observed_.numbers(row, match.observed);
    auto due = expected_.numbers(row, match.expected);
    if (seen.size() != due.size()) {
      note_ratio(infinite_radius, row, column.path, nullptr, 0);
      return note(
          {Role::accumulated, 0, row, column.path, column.leaf_shape(), column.dtype, 0, {}, {}, column.first()});
    }
    if (!why_carried_.empty() && is_as_wide_as_itself(expected_, row, match.expected))
      return note_wide(row, column.path);
    for (std::size_t j = 0; j < seen.size(); ++j)
      judge_number(row, column, j, zeros ? 0 : seen[j], dense ? due[j] : exactly(0));
  }

  // A leaf that is missing where a number other than zero was due.
  void judge_absent(std::int64_t row, const Match& match, const Column& column) {
    if (row == 0 || expected_.presence(row, match.expected) != Presence::dense) return;
    auto due = expected_.numbers(row, match.expected);
    for (std::size_t j = 0; j < due.size(); ++j)
      if (!contains(due[j], 0)) return judge_number(row, column, j, 0, due[j]);
  }

  void judge_number(std::int64_t row, const Column& column, std::size_t j, double seen, const Ball& due) {
    ++result_.judged;
    if (due.radius == 0) ++result_.exact;
    const bool is_lost = !std::isfinite(seen) && !wide::is_finite(due.value);
    if (due.radius == infinite_radius && !is_lost && !wide::same(due.value, Wide(seen)))
      note_infinite(row, column.path);
    double share = share_of_radius(due, seen);
    note_ratio(share <= infinite_radius ? share : infinite_radius, row, column.path, &column.leaf_shape(),
               static_cast<std::size_t>(column.first()) + j);
    if (!(share <= 1))
      return note({Role::accumulated, 0, row, column.path, column.leaf_shape(), column.dtype,
                   static_cast<std::int64_t>(j), exactly(seen), due, column.first()});
    if (share <= result_.largest_share) return;
    result_.largest_share = share;
    result_.largest_path = column.path;
  }

  void note_missing(std::int64_t row, const std::string& path) {
    const std::string words = fmt::format("{} is missing in microstep {}", path, row);
    if (why_carried_.empty()) why_carried_ = words;
    if (result_.missing.empty()) result_.missing = words;
  }

  void note_wide(std::int64_t row, const std::string& path) {
    if (!result_.reason.empty()) return;
    result_.reason =
        fmt::format("{}, so that the ball of {} in microstep {} is as wide as itself", why_carried_, path, row);
  }

  // Whatever stood there would lie in it.
  void note_infinite(std::int64_t row, const std::string& path) {
    ++result_.infinite;
    if (result_.reason.empty())
      result_.reason = fmt::format("the one-step ball of {} after microstep {} is infinitely wide", path, row);
  }

  void note_ratio(double ratio, std::int64_t row, const std::string& path, const Shape* shape, std::size_t index) {
    if (ratio <= result_.max_ratio) return;
    result_.max_ratio = ratio;
    peak_ = {row, &path, shape, static_cast<std::int64_t>(index)};
  }

  void note(Place place) {
    if (result_.outside++ == 0) result_.first = std::move(place);
  }

  const Trace& observed_;
  const Envelope& expected_;
  std::vector<Match> columns_;
  std::string why_carried_;
  Peak peak_;
  Faithfulness result_;
};

}  // namespace

bool is_as_wide_as_itself(const Envelope& balls, std::int64_t row, std::size_t column) {
  if (balls.presence(row, column) != Presence::dense) return false;
  double size = 0, radius = 0;
  for (const Ball& ball : balls.numbers(row, column)) {
    size = std::max(size, std::fabs(static_cast<double>(ball.value)));
    radius = std::max(radius, ball.radius);
  }
  return radius > 0 && (radius >= size || radius == infinite_radius);
}

std::string hidden_state(const Envelope& expected, const Schema& observed) {
  for (std::size_t i = 0; i < expected.schema().columns().size(); ++i) {
    const std::string& path = expected.schema().columns()[i].path;
    if (path.starts_with("state/") && expected.presence(0, i) != Presence::absent && !observed.find_column(path))
      return path;
  }
  for (const std::string& path : expected.schema().count_paths())
    if (!observed.find_count(path)) return path;
  return {};
}

Faithfulness faithfulness(const Trace& observed, const Envelope& expected, bool with_start) {
  return Judging(observed, expected).over(with_start ? 0 : 1);
}

}  // namespace microstep
