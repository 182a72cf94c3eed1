// What the tables of `floor` say, in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "microstep/report/floor.hpp"
#include "microstep/report/value.hpp"

namespace microstep {
namespace {

std::vector<const FloorLine*> usable_lines(const Floor& floor) {
  std::vector<const FloorLine*> all;
  auto add = [&](const std::vector<FloorLine>& lines) {
    for (const FloorLine& line : lines)
      if (line.trouble.empty()) all.push_back(&line);
  };
  for (const ByBatch& table : floor.by_batch) add(table.lines);
  add(floor.by_switch);
  for (const RowByRow& rows : floor.row_by_row) add(rows.lines);
  return all;
}

std::string group_text(const Floor& floor, const ByBatch& table, std::size_t group) {
  std::vector<std::int64_t> members;
  for (std::size_t i = 0; i < table.groups.size(); ++i)
    if (table.groups[i] == group) members.push_back(floor.batches[i]);
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

std::string cause_of_switch(const FloorLine& before, const FloorLine& after) {
  if (before.kernels == after.kernels)
    return before.kernels.empty() ? "the port does not say by which path"
                                  : "the paths have the same names: one of them chooses by shape within";
  return fmt::format("{} runs in place of {}", paths_text(after), paths_text(before));
}

std::vector<std::string> about_batches(const Floor& floor, const ByBatch& table) {
  const std::size_t groups = *std::ranges::max_element(table.groups) + 1;
  if (groups < 2) return {fmt::format("Row 0 has the same bits at every batch size, {}.", table.setting)};
  std::vector<std::string> sets;
  for (std::size_t group = 0; group < groups; ++group) sets.push_back(group_text(floor, table, group));
  std::vector<std::string> said{
      fmt::format("Row 0 has the same bits within the batch sizes {}, {}.", fmt::join(sets, " "), table.setting)};
  for (std::size_t i = 1; i < table.groups.size(); ++i) {
    if (table.groups[i] == table.groups[i - 1]) continue;
    const FloorLine &before = table.lines[i - 1], &after = table.lines[i];
    const std::string away = table.groups[i] == 0 ? "again as at" : rough(after.between.absolute) + " away from";
    said.push_back(fmt::format("It switches at batch {}: {}; {} batch {}.", floor.batches[i],
                               cause_of_switch(before, after), away, floor.batches.front()));
  }
  return said;
}

std::vector<std::string> about_switches(const Floor& floor) {
  const FloorLine* largest = nullptr;
  std::vector<std::string> none;
  for (std::size_t i = 1; i < floor.by_switch.size(); ++i) {
    const FloorLine& line = floor.by_switch[i];
    if (!line.trouble.empty()) continue;
    if (line.between.same_bits()) none.push_back(line.what);
    if (!line.between.same_bits() && (!largest || line.between.absolute > largest->between.absolute)) largest = &line;
  }
  std::vector<std::string> said;
  if (largest)
    said.push_back(fmt::format("Of the switches {} moves the outputs most: by {}.", largest->what,
                               rough(largest->between.absolute)));
  if (!none.empty()) said.push_back(fmt::format("No effect: {}.", fmt::join(none, ", ")));
  return said;
}

const FloorLine* worst_layer(const RowByRow& rows) {
  const FloorLine* worst = nullptr;
  for (std::size_t i = 1; i < rows.lines.size(); ++i)
    if (rows.lines[i].trouble.empty() && (!worst || rows.lines[i].between.absolute > worst->between.absolute))
      worst = &rows.lines[i];
  return worst;
}

std::string about_rows(const RowByRow& rows) {
  const FloorLine& whole = rows.lines.front();
  if (!whole.trouble.empty()) return fmt::format("Row by row ({}): {}", rows.setting, whole.trouble);
  if (whole.between.same_bits()) return fmt::format("Row by row and batched are the same bits, {}.", rows.setting);
  std::string said =
      fmt::format("Row by row and batched are {} apart, {}", rough(whole.between.absolute), rows.setting);
  const FloorLine* layer = worst_layer(rows);
  return layer && !layer->between.same_bits()
             ? fmt::format("{}; alone {} most: {}.", said, layer->what, rough(layer->between.absolute))
             : said + ".";
}

std::vector<std::string> about_inputs(const Floor& floor) {
  std::vector<std::string> lines;
  for (const FloorLine* line : usable_lines(floor))
    if (line->bound.rule.ends_with("inputs")) lines.push_back(line->what);
  if (lines.empty()) return {};
  return {fmt::format("Only inputs that were rounded explain: {}.", fmt::join(lines, ", "))};
}

std::string about_bounds(const Floor& floor) {
  const FloorLine* nearest = nullptr;
  for (const FloorLine* line : usable_lines(floor)) {
    if (line->bound.rule.empty())
      return fmt::format("NOT ROUNDING of a known path: {} lies outside of every bound.", line->what);
    if (!nearest || line->bound.share > nearest->bound.share) nearest = line;
  }
  if (!nearest) return "Nothing was bounded.";
  return fmt::format("Rounding, all of it: every output lies in a certified bound, at most {} of it ({}, {}).",
                     rough(nearest->bound.share), nearest->bound.rule, nearest->what);
}

std::string about_classes(const Floor& floor) {
  std::int64_t changes = 0;
  double furthest = 0;
  std::optional<double> margin;
  for (const FloorLine* line : usable_lines(floor)) {
    changes = std::max(changes, line->between.class_changes);
    if (!line->between.margin) continue;
    furthest = std::max(furthest, line->between.absolute);
    margin = std::min(margin.value_or(*line->between.margin), *line->between.margin);
  }
  if (!margin) return "A row has one output: there is no class.";
  if (changes > 0)
    return fmt::format("The class changes in up to {} rows; the closest margin is {}.", changes, rough(*margin));
  if (furthest == 0) return "No class changes.";
  if (furthest >= *margin)
    return fmt::format("No class changes, although the closest margin, {}, is below the largest difference, {}.",
                       rough(*margin), rough(furthest));
  return fmt::format("No class changes; the closest margin, {}, is {} times the largest difference.", rough(*margin),
                     rough(*margin / furthest));
}

std::string about_budget(const Floor& floor) {
  if (floor.beyond_budget.empty()) return "Within the budget.";
  return fmt::format("BEYOND THE BUDGET: {}.", fmt::join(floor.beyond_budget, "; "));
}

}  // namespace

std::vector<std::string> conclusion(const Floor& floor) {
  std::vector<std::string> said;
  auto add = [&](std::vector<std::string> sentences) { said.insert(said.end(), sentences.begin(), sentences.end()); };
  for (const ByBatch& table : floor.by_batch) add(about_batches(floor, table));
  add(about_switches(floor));
  for (const RowByRow& rows : floor.row_by_row) said.push_back(about_rows(rows));
  said.push_back(about_bounds(floor));
  add(about_inputs(floor));
  said.push_back(about_classes(floor));
  if (floor.budget.absolute || floor.budget.relative) said.push_back(about_budget(floor));
  return said;
}

}  // namespace microstep
