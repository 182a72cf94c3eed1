#include "finding.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "microstep/judge/faithful.hpp"

namespace microstep {
namespace {

std::string element_text(const Place& place) {
  return place.shape.empty() ? place.path : place.path + index_text(place.shape, place.first + place.index);
}

// The fewest digits that are this value of a dtype of 16 bits.
std::string shortest_16_bit(Dtype dtype, double x) {
  for (int digits = 1;; ++digits) {
    std::string text = fmt::format("{:.{}g}", x, digits);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (round_to(dtype, read) == x || digits == 17) return text;
  }
}

std::string shortest(Dtype dtype, double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x < 0 ? "-Infinity" : "Infinity";
  if (dtype == Dtype::float64) return fmt::format("{}", x);
  return dtype == Dtype::float32 ? fmt::format("{}", static_cast<float>(x)) : shortest_16_bit(dtype, x);
}

std::string sentence(const Place& place, std::string_view what) {
  std::string when = place.window > 0 ? fmt::format("window {}, microstep {}", place.window, place.microstep)
                                      : fmt::format("microstep {}", place.microstep);
  auto [seen, due] = number_texts(place);
  return fmt::format("{}: {} is {} where {} was due ({}).", what, element_text(place), seen, due, when);
}

Verdict broken_at(Place place, std::string_view what, std::vector<std::string> causes) {
  Verdict verdict;
  verdict.outcome = Outcome::broken;
  verdict.evidence = sentence(place, what);
  verdict.place = std::move(place);
  verdict.causes = std::move(causes);
  return verdict;
}

}  // namespace

std::pair<std::string, std::string> number_texts(const Place& place) {
  const Wide seen = place.observed.value, due = place.expected.value;
  for (Dtype dtype : {place.dtype, Dtype::float64}) {
    std::string a = shortest(dtype, static_cast<double>(round_to(dtype, seen)));
    std::string b = shortest(dtype, static_cast<double>(round_to(dtype, due)));
    if (a != b || equal(seen, due)) return {std::move(a), std::move(b)};
  }
  return {wide::to_string(seen), wide::to_string(due)};
}

Ball number_at(const Envelope& rows, std::int64_t row, std::size_t column, std::int64_t index) {
  if (rows.presence(row, column) != Presence::dense) return exactly(0);
  return rows.numbers(row, column)[static_cast<std::size_t>(index)];
}

bool reads_as_zero(const Envelope& rows, std::int64_t row, std::size_t column) {
  return rows.presence(row, column) != Presence::dense;
}

Finding off_count(std::int64_t row, std::size_t count, std::int64_t seen, std::int64_t due) {
  return {
      Role::accumulated, row, count, true, 0, exactly(static_cast<double>(seen)), exactly(static_cast<double>(due))};
}

std::optional<Finding> first_nonzero(const Envelope& rows, std::int64_t row, std::size_t column) {
  if (reads_as_zero(rows, row, column)) return std::nullopt;
  auto numbers = rows.numbers(row, column);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!(numbers[i].value == 0))
      return Finding{Role::accumulated, row, column, false, static_cast<std::int64_t>(i), numbers[i], exactly(0)};
  return std::nullopt;
}

std::optional<Finding> first_change(const Envelope& rows, std::int64_t row, std::size_t column, const Envelope& other,
                                    std::int64_t other_row, std::size_t other_column) {
  if (reads_as_zero(rows, row, column) && reads_as_zero(other, other_row, other_column)) return std::nullopt;
  if (is_missing(rows, row, column) || is_missing(other, other_row, other_column)) return std::nullopt;
  const std::int64_t size = rows.schema().columns()[column].size;
  for (std::int64_t i = 0; i < size; ++i) {
    const Ball a = number_at(rows, row, column, i), b = number_at(other, other_row, other_column, i);
    if (!equal(a.value, b.value)) return Finding{Role::accumulated, row, column, false, i, a, b};
  }
  return std::nullopt;
}

std::optional<Finding> BallCheck::first_outside(std::int64_t row, std::size_t column) {
  auto mirror = reading_.expected_column(column);
  const Envelope& rows = reading_.rows();
  if (!mirror || row >= reading_.expected()->rows() || is_missing(rows, row, column)) return std::nullopt;
  const Envelope& balls = *reading_.expected();
  const bool shows_nothing = reading_.carries() && is_as_wide_as_itself(balls, row, *mirror);
  compared_ = true;
  if (reads_as_zero(rows, row, column) && reads_as_zero(balls, row, *mirror)) return std::nullopt;
  for (std::int64_t i = 0; i < rows.schema().columns()[column].size; ++i) {
    Finding found{
        Role::accumulated, row, column, false, i, number_at(rows, row, column, i), number_at(balls, row, *mirror, i)};
    if (!overlap(found.observed, found.expected)) return found;
    bool wide = found.expected.radius == infinite_radius || found.observed.radius == infinite_radius;
    if ((wide || shows_nothing) && !blind_) blind_ = found;
  }
  return std::nullopt;
}

std::optional<Finding> BallCheck::first_outside(std::int64_t row, const Node& node) {
  if (!reading_.expected() || row >= reading_.expected()->rows()) return std::nullopt;
  for (std::size_t count : node.counts) {
    auto mirror = reading_.expected_count(count);
    if (!mirror || !reading_.rows().shows_count(row, count)) continue;
    compared_ = true;
    std::int64_t seen = reading_.rows().count(row, count), due = reading_.expected()->count(row, *mirror);
    if (seen != due) return off_count(row, count, seen, due);
  }
  for (std::size_t column : node.columns)
    if (auto found = first_outside(row, column)) return found;
  return std::nullopt;
}

Verdict holds(std::string_view evidence) { return {{}, Outcome::holds, std::string(evidence), {}, {}}; }

Verdict not_applicable(std::string evidence) { return {{}, Outcome::not_applicable, std::move(evidence), {}, {}}; }

Verdict undecidable(std::string evidence) { return {{}, Outcome::undecidable, std::move(evidence), {}, {}}; }

Verdict broken(const Reading& reading, const Finding& finding, std::string_view what, std::vector<std::string> causes) {
  Place place;
  place.role = finding.role;
  place.window = reading.window_of(finding.row);
  place.microstep = finding.row;
  const Schema& schema = reading.evidence().observed.at(finding.role).schema();
  if (finding.is_count) {
    place.path = schema.count_paths()[finding.where];
    place.dtype = Dtype::float64;
  } else {
    const Column& column = schema.columns()[finding.where];
    place.path = column.path;
    place.shape = column.leaf_shape();
    place.dtype = column.dtype;
    place.first = column.first();
  }
  place.index = finding.index;
  place.observed = finding.observed;
  place.expected = finding.expected;
  return broken_at(std::move(place), what, std::move(causes));
}

Verdict decided_of_another(std::string_view does, const Evidence& evidence) {
  return undecidable(
      fmt::format("the spec {} it, but the trace was not found to be the spec's: {}", does, evidence.unfaithful));
}

Verdict broken(const Reading& reading, const Difference& d, std::string_view what, std::vector<std::string> causes) {
  if (!reading.evidence().unfaithful.empty()) return decided_of_another("breaks", reading.evidence());
  return broken_at({Role::accumulated, d.window, d.microstep, d.path, d.shape, d.dtype, d.index, d.accumulated,
                    d.reference, d.first},
                   what, std::move(causes));
}

Verdict verdict_of(const BallCheck& check, const Reading& reading, std::string_view evidence) {
  if (const auto& blind = check.blind()) {
    const Schema& schema = reading.rows().schema();
    const std::string& path = schema.columns()[blind->where].path;
    if (reading.carries())
      return undecidable(fmt::format("the ball of {} after microstep {} is as wide as itself, since {}", path,
                                     blind->row, reading.why_carried()));
    return undecidable(fmt::format("the one-step ball of {} after microstep {} is infinitely wide", path, blind->row));
  }
  return check.compared() ? holds(evidence) : not_applicable("the trace shows nothing that this contract speaks of");
}

bool counts_schedule(const Node& node, std::string_view path) {
  return path.ends_with("/schedule_count") || node.spec->op == "scale_by_schedule" || node.spec->op == "sgd";
}

std::optional<Finding> first_move(const Reading& reading, const Node& node, std::int64_t row, Counts counts) {
  const Envelope& rows = reading.rows();
  for (std::size_t count : node.counts) {
    if (counts == Counts::none) break;
    if (counts == Counts::not_of_schedules && counts_schedule(node, rows.schema().count_paths()[count])) continue;
    if (!rows.shows_count(row, count) || !rows.shows_count(row - 1, count)) continue;
    std::int64_t seen = rows.count(row, count), due = rows.count(row - 1, count);
    if (seen != due) return off_count(row, count, seen, due);
  }
  for (std::size_t column : node.columns)
    if (auto found = first_change(rows, row, column, rows, row - 1, column)) return found;
  return std::nullopt;
}

std::optional<Finding> first_awake(const Reading& reading, Counts counts) {
  for (std::int64_t row = 1; row < reading.rows().rows(); ++row)
    for (const Node& node : reading.nodes()) {
      if (reading.awake(node, row) || (node.accumulates() && !node.governor)) continue;
      if (auto found = first_move(reading, node, row, counts)) return found;
    }
  return std::nullopt;
}

const std::string& path_of(const Reading& reading, const Finding& finding) {
  const Schema& schema = reading.evidence().observed.at(finding.role).schema();
  return finding.is_count ? schema.count_paths()[finding.where] : schema.columns()[finding.where].path;
}

}  // namespace microstep
