#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "microstep/report/floor.hpp"
#include "microstep/report/value.hpp"

namespace microstep {
namespace {

using Cells = std::vector<std::string>;

const Cells head = {"path", "abs", "rel", "ULP", "same bits", "class changes", "margin", "error", "bound"};

std::string bound_text(const FloorLine& line) {
  if (line.bound.rule.empty()) return fmt::format("{} times any order: OUTSIDE", rough(line.bound.share));
  return fmt::format("{} of {}", rough(line.bound.share), line.bound.rule);
}

Cells cells_of(const FloorLine& line) {
  if (!line.trouble.empty()) return {line.what, line.trouble.substr(0, line.trouble.find('\n'))};
  const Distance& d = line.between;
  return {line.what,
          paths_text(line),
          rough(d.absolute),
          rough(d.relative),
          rough(d.ulp),
          fmt::format("{} of {}", d.equal_rows, d.rows),
          d.margin ? fmt::format("{}", d.class_changes) : "-",
          d.margin ? rough(*d.margin) : "-",
          rough(line.to_exact.absolute),
          bound_text(line)};
}

std::string table(const std::string& first, const std::vector<FloorLine>& lines) {
  std::vector<Cells> rows{{first}};
  rows[0].insert(rows[0].end(), head.begin(), head.end());
  for (const FloorLine& line : lines) rows.push_back(cells_of(line));
  std::vector<std::size_t> widths(rows[0].size());
  for (const Cells& row : rows)
    for (std::size_t i = 0; row.size() == widths.size() && i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Cells& row : rows) {
    std::string written = " ";
    for (std::size_t i = 0; i < row.size(); ++i) written += fmt::format(" {:<{}}", row[i], widths[i] + 1);
    text += written.substr(0, written.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string heading(const Floor& floor) {
  std::vector<std::string> versions;
  for (const auto& [name, version] : floor.runtime) versions.push_back(name + " " + version);
  std::string text = fmt::format("{}, {}, seed {}\nport    {} ({})\n", to_string(floor.model), to_string(floor.dtype),
                                 floor.seed, floor.port, fmt::join(versions, ", "));
  const FloorBudget& budget = floor.budget;
  if (budget.absolute) text += fmt::format("budget  {} absolute\n", rough(*budget.absolute));
  if (budget.relative) text += fmt::format("budget  {} relative\n", rough(*budget.relative));
  return text;
}

std::string rows_text(const RowByRow& rows) {
  return fmt::format("\nrow by row against batched, {}\n{}", rows.setting, table("", rows.lines));
}

}  // namespace

std::string paths_text(const FloorLine& line) {
  std::vector<std::string> paths;
  for (const auto& [kernel, path] : line.kernels) paths.push_back(kernel + " " + path);
  return paths.empty() ? "-" : fmt::format("{}", fmt::join(paths, ", "));
}

std::string text_report(const Floor& floor) {
  std::string text = heading(floor);
  for (const ByBatch& batches : floor.by_batch)
    text += fmt::format("\nrow 0 in a batch against row 0 in a batch of {}, {}\n{}", floor.batches.front(),
                        batches.setting, table("batch", batches.lines));
  text += fmt::format("\none switch at a time, batch {}, each in a fresh process\n{}",
                      *std::ranges::max_element(floor.batches), table("switch", floor.by_switch));
  for (const RowByRow& rows : floor.row_by_row) text += rows_text(rows);
  text += "\nconclusion\n";
  for (const std::string& sentence : conclusion(floor)) text += "  " + sentence + "\n";
  return text;
}

}  // namespace microstep
