// Keys, shapes and dtypes never change, in any run of the experiment.
#include <fmt/format.h>

#include <algorithm>

#include "contracts.hpp"
#include "finding.hpp"

namespace microstep {
namespace {

Verdict malformed(const Reading& reading, Role role, std::int64_t row, const std::string& path,
                  const std::string& message, std::string cause) {
  Verdict verdict;
  verdict.outcome = Outcome::broken;
  verdict.evidence = fmt::format("{} (run {}, microstep {}): {}.", path, to_string(role), row, message);
  Place place;
  place.role = role;
  place.microstep = row;
  place.window = reading.window_of(row);
  place.path = path;
  if (auto column = reading.evidence().observed.at(role).schema().find_column(path)) {
    place.shape = reading.evidence().observed.at(role).schema().columns()[*column].shape;
    place.dtype = reading.evidence().observed.at(role).schema().columns()[*column].dtype;
  }
  verdict.place = std::move(place);
  verdict.causes = {std::move(cause)};
  return verdict;
}

const Deviation* deviation_of(const Envelope& rows, Deviation::Kind kind) {
  for (const Deviation& deviation : rows.deviations)
    if (deviation.kind == kind) return &deviation;
  return nullptr;
}

struct Mismatch {
  const Column* declared;
  const Column* seen;
};

/// The first path that both have and in which they disagree.
std::optional<Mismatch> first_mismatch(const Schema* declared, const Schema& seen,
                                       bool (*agree)(const Column&, const Column&)) {
  if (!declared || *declared == seen) return std::nullopt;
  for (const Column& column : declared->columns()) {
    auto found = seen.find_column(column.path);
    if (!found || column.path == "loss" || agree(column, seen.columns()[*found])) continue;
    return Mismatch{&column, &seen.columns()[*found]};
  }
  return std::nullopt;
}

/// It is there, in another shape.
bool is_misshapen(const Envelope& rows, std::int64_t row, const std::string& path) {
  return std::ranges::any_of(rows.deviations, [&](const Deviation& deviation) {
    return deviation.kind == Deviation::Kind::shape && deviation.microstep == row && deviation.path == path;
  });
}

/// The first leaf that is absent where it was present at the start, or the other way round.
struct Vanished {
  std::int64_t row;
  std::size_t column;
};
std::optional<Vanished> first_vanished(const Envelope& rows) {
  const auto& columns = rows.schema().columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].path.starts_with("params/") && !columns[i].path.starts_with("state/")) continue;
    bool absent = rows.rows() > 0 && rows.presence(0, i) == Presence::absent;
    for (std::int64_t row = 1; row < rows.rows(); ++row)
      if ((rows.presence(row, i) == Presence::absent) != absent && !is_misshapen(rows, row, columns[i].path))
        return Vanished{row, i};
  }
  return std::nullopt;
}

/// The first leaf or count of a section that is missing as a whole, the path itself otherwise.
std::string first_under(const Schema& schema, const std::string& path) {
  for (const Column& column : schema.columns())
    if (column.path.starts_with(path + '/')) return column.path;
  if (path == "state" && !schema.count_paths().empty()) return schema.count_paths().front();
  return path;
}

/// A path of the state that the spec does not have, or that another run of the spec shows and this one does not. One
/// that no run shows is hidden, which breaks nothing.
std::string foreign_path(const Schema* declared, const Schema& seen, const Schema& other) {
  if (!declared || *declared == seen) return {};
  for (const Column& column : declared->columns())
    if (column.path.starts_with("state/") && !seen.find_column(column.path) && other.find_column(column.path))
      return column.path;
  for (const std::string& path : declared->count_paths())
    if (!seen.find_count(path) && other.find_count(path)) return path;
  for (const Column& column : seen.columns())
    if (column.path.starts_with("state/") && !declared->find_column(column.path)) return column.path;
  for (const std::string& path : seen.count_paths())
    if (!declared->find_count(path)) return path;
  return {};
}

}  // namespace

Verdict form_dtype(const Reading& reading) {
  auto agree = [](const Column& a, const Column& b) { return a.dtype == b.dtype; };
  for (const auto& [role, rows] : reading.evidence().observed) {
    std::string cause = role == Role::interrupted ? "persist" : "dtype";
    if (const Deviation* found = deviation_of(rows, Deviation::Kind::dtype))
      return malformed(reading, role, found->microstep, found->path, found->message, cause);
    if (auto found = first_mismatch(declared_schema(reading.evidence(), role), rows.schema(), agree))
      return malformed(
          reading, role, 0, found->seen->path,
          fmt::format("{} where {} was declared", to_string(found->seen->dtype), to_string(found->declared->dtype)),
          cause);
  }
  return holds("every leaf kept the dtype that the plan declares");
}

Verdict form_shape(const Reading& reading) {
  auto agree = [](const Column& a, const Column& b) { return a.shape == b.shape; };
  for (const auto& [role, rows] : reading.evidence().observed) {
    std::string cause = role == Role::interrupted ? "persist" : "shape";
    if (const Deviation* found = deviation_of(rows, Deviation::Kind::shape))
      return malformed(reading, role, found->microstep, found->path, found->message, cause);
    if (auto found = first_mismatch(declared_schema(reading.evidence(), role), rows.schema(), agree))
      return malformed(
          reading, role, 0, found->seen->path,
          fmt::format("{} where {} was declared", to_string(found->seen->shape), to_string(found->declared->shape)),
          cause);
  }
  return holds("every leaf kept the shape that the plan declares");
}

Verdict form_keys(const Reading& reading) {
  for (const auto& [role, rows] : reading.evidence().observed) {
    bool resumed = role == Role::interrupted;
    if (const Deviation* found = deviation_of(rows, Deviation::Kind::keys))
      return malformed(reading, role, found->microstep, first_under(rows.schema(), found->path), found->message,
                       resumed                      ? "persist"
                       : found->path.ends_with(']') ? "api-state"  // an inner state, not a leaf
                                                    : "absent");
    const Schema& other = resumed ? reading.rows().schema() : rows.schema();
    std::string path = foreign_path(declared_schema(reading.evidence(), role), rows.schema(), other);
    if (!path.empty())
      return malformed(reading, role, 0, path,
                       rows.schema().find_column(path) || rows.schema().find_count(path)
                           ? "the trace has it and the spec's state has not"
                           : "the run has it and the restored one has not",
                       resumed ? "persist" : "api-state");
    if (auto found = first_vanished(rows))
      return malformed(reading, role, found->row, rows.schema().columns()[found->column].path,
                       "it came or went in the middle of the run", resumed ? "persist" : "absent");
  }
  return holds("no leaf and no counter came or went");
}

}  // namespace microstep
