#pragma once
// A run of what a faulty loop does, its state named as the loop claims it; or not shown.
#include <map>

#include "trial/spoiled_run.hpp"

namespace microstep {

/// Old beginnings of paths and new ones; what gets an empty one is left out. The first that fits counts.
using Renamed = std::vector<std::pair<std::string, std::string>>;

inline std::string renamed_path(const std::string& path, const Renamed& renamed) {
  for (const auto& [from, to] : renamed)
    if (path.starts_with(from)) return to.empty() ? to : to + path.substr(from.size());
  return path;
}

inline DumpedTrace renamed(DumpedTrace dumped, const Renamed& paths) {
  const Trace& run = dumped.trace;
  std::vector<Column> columns;
  std::vector<std::string> counts;
  std::vector<std::size_t> kept, kept_counts;
  for (std::size_t i = 0; i < run.schema().columns().size(); ++i) {
    Column column = run.schema().columns()[i];
    column.path = renamed_path(column.path, paths);
    if (column.path.empty()) continue;
    columns.push_back(column);
    kept.push_back(i);
  }
  for (std::size_t i = 0; i < run.schema().count_paths().size(); ++i)
    if (const std::string path = renamed_path(run.schema().count_paths()[i], paths); !path.empty()) {
      counts.push_back(path);
      kept_counts.push_back(i);
    }
  Trace trace(std::make_shared<const Schema>(std::move(columns), std::move(counts)));
  for (std::int64_t row = 0; row < run.rows(); ++row) {
    trace.append_row();
    for (std::size_t i = 0; i < kept.size(); ++i) {
      trace.presence(row, i) = run.presence(row, kept[i]);
      std::ranges::copy(run.numbers(row, kept[i]), trace.numbers(row, i).begin());
    }
    for (std::size_t i = 0; i < kept_counts.size(); ++i) trace.count(row, i) = run.count(row, kept_counts[i]);
  }
  dumped.trace = std::move(trace);
  return dumped;
}

inline DumpedTrace renamed_run(std::string_view actual, const Renamed& paths,
                               const PlanOptions& options = {.windows = 4}) {
  return renamed(dumped_run(actual, options), paths);
}

}  // namespace microstep
