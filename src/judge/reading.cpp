#include "reading.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace microstep {
namespace {

bool stays_one(const Value& k) {
  if (const auto* number = std::get_if<double>(&k.data)) return *number == 1;
  const auto& entries = std::get<std::vector<Value>>(k.data);
  return std::ranges::all_of(entries, [](const Value& entry) {
    return std::get<double>(std::get<std::vector<Value>>(entry.data)[1].data) == 1;
  });
}

bool lies_in(std::string_view path, std::string_view node) {
  return path.size() > node.size() && path.starts_with(node) && path[node.size()] == '/';
}

constexpr std::array<std::string_view, 4> sections = {"params/", "updates/", "state/", "counts"};

std::string gap_of(const Envelope& rows, std::string_view section) {
  for (std::int64_t row = 1; row < rows.rows(); ++row)
    for (std::size_t i = 0; i < rows.schema().columns().size(); ++i)
      if (is_missing(rows, row, i) && rows.schema().columns()[i].path.starts_with(section))
        return fmt::format("{} is missing in microstep {}", rows.schema().columns()[i].path, row);
  if (section != "counts" || rows.hidden_counts().empty()) return {};
  const auto& [row, index] = *rows.hidden_counts().begin();
  return fmt::format("{} is missing in microstep {}", rows.schema().count_paths()[index], row);
}

const std::string* missing_path(const Schema& declared, const Schema& seen) {
  for (const Column& column : declared.columns())
    if (column.path.starts_with("state/") && !seen.find_column(column.path)) return &column.path;
  for (const std::string& path : declared.count_paths())
    if (!seen.find_count(path)) return &path;
  return nullptr;
}

}  // namespace

const Schema* declared_schema(const Evidence& evidence, Role role) {
  if (auto found = evidence.declared.find(role); found != evidence.declared.end()) return found->second.get();
  auto found = evidence.expected.find(role);
  return found == evidence.expected.end() ? nullptr : &found->second.schema();
}

Reading::Reading(const Evidence& evidence)
    : evidence_(&evidence),
      plan_(&evidence.experiment->plans.at(Role::accumulated)),
      rows_(&evidence.observed.at(Role::accumulated)),
      declared_(declared_schema(evidence, Role::accumulated)) {
  nodes_.reserve(8);
  collect(plan_->spec, "state", {});
  assign_columns();
  find_expected();
  if (declared_ && *declared_ != rows_->schema())
    if (const std::string* path = missing_path(*declared_, rows_->schema())) hidden_ = *path;
  for (std::size_t i = 0; i < sections.size(); ++i) gaps_[i] = gap_of(*rows_, sections[i]);
  emits_ = follow_beats(*plan_, evidence, rows_->rows(), nodes_);
  find_governed();
}

const std::string& Reading::gap(std::string_view section) const {
  return gaps_[static_cast<std::size_t>(std::ranges::find(sections, section) - sections.begin())];
}

std::string Reading::why_carried() const { return hidden_ ? "the trace hides " + *hidden_ : missing(); }

std::string Reading::missing() const {
  auto gap = std::ranges::find_if_not(gaps_, &std::string::empty);
  return gap == gaps_.end() ? std::string() : *gap;
}

void Reading::collect(const Spec& spec, const std::string& path, Standing standing) {
  std::size_t own = nodes_.size();
  nodes_.push_back({&spec, path, standing.governor, {}, {}, {}, standing.fed_by_gradients, standing.gives_updates});
  if (nodes_[own].accumulates()) {
    has_accumulator_ = true;
    always_one_ = always_one_ && stays_one(spec.args.at("k"));
    if (standing.masked) masked_accumulators_.push_back(own);
  }
  if (nodes_[own].is_multi_steps()) standing.governor = own;
  standing.masked = standing.masked || spec.op == "masked";
  standing.fed_by_gradients = standing.fed_by_gradients && !nodes_[own].accumulates();
  const bool gives_updates = standing.gives_updates;
  for (std::size_t i = 0; i < spec.of.size(); ++i) {
    standing.gives_updates = gives_updates && i + 1 == spec.of.size();
    collect(spec.of[i], fmt::format("{}/of[{}]", path, i), standing);
    if (spec.op == "chain") standing.fed_by_gradients = false;
  }
}

// Nodes lie in pre-order, so the last one whose path leads to a column is the deepest. What lies in a child that the
// spec does not have is nobody's.
Node* Reading::owner_of(std::string_view path) {
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node)
    if (lies_in(path, node->path)) return path.substr(node->path.size()).starts_with("/of[") ? nullptr : &*node;
  return nullptr;
}

void Reading::assign_columns() {
  const Schema& schema = rows_->schema();
  for (std::size_t i = 0; i < schema.columns().size(); ++i) {
    const std::string& path = schema.columns()[i].path;
    if (path.starts_with("params/")) params_.push_back(i);
    if (path.starts_with("gradients/")) gradients_.push_back(i);
    if (path.starts_with("updates/")) updates_.push_back(i);
    if (Node* node = owner_of(path)) node->columns.push_back(i);
  }
  for (std::size_t i = 0; i < schema.count_paths().size(); ++i)
    if (Node* node = owner_of(schema.count_paths()[i])) node->counts.push_back(i);
}

void Reading::find_expected() {
  const Schema& schema = rows_->schema();
  expected_columns_.resize(schema.columns().size());
  expected_counts_.resize(schema.count_paths().size());
  auto found = evidence_->expected.find(Role::accumulated);
  if (found == evidence_->expected.end()) return;
  expected_ = &found->second;
  const Schema& other = expected_->schema();
  for (std::size_t i = 0; i < expected_columns_.size(); ++i) {
    const std::string& path = schema.columns()[i].path;
    auto column = i < other.columns().size() && other.columns()[i].path == path ? i : other.find_column(path);
    if (column && other.columns()[*column].size == schema.columns()[i].size && path != "loss")
      expected_columns_[i] = column;
  }
  for (std::size_t i = 0; i < expected_counts_.size(); ++i)
    expected_counts_[i] = other.find_count(schema.count_paths()[i]);
}

// A masked accumulator holds no slot for the leaves that it does not see.
void Reading::find_governed() {
  governed_.assign(updates_.size(), true);
  if (masked_accumulators_.empty() || rows_->rows() == 0) return;
  for (std::size_t leaf = 0; leaf < governed_.size(); ++leaf)
    governed_[leaf] = std::ranges::any_of(masked_accumulators_, [&](std::size_t node) {
      const auto& columns = nodes_[node].columns;
      return leaf < columns.size() && rows_->presence(0, columns[leaf]) != Presence::absent;
    });
}

bool Reading::awake(const Node& node, std::int64_t row) const {
  if (!node.governor) return emits(row);
  return nodes_[*node.governor].beats[static_cast<std::size_t>(row)].emits;
}

bool Reading::closes(std::int64_t row) const {
  return emits(row) && std::ranges::all_of(nodes_, [&](const Node& node) {
           return !node.accumulates() || node.beats[static_cast<std::size_t>(row)].empty;
         });
}

bool Reading::is_skipped(std::int64_t row) const {
  auto t = static_cast<std::size_t>(row - 1);
  return row > 0 && t < evidence_->skipped_microsteps.size() && evidence_->skipped_microsteps[t];
}

const Node* Reading::skipper(std::int64_t row) const {
  const auto place = skipper_of(*evidence_, static_cast<std::size_t>(std::max<std::int64_t>(row, 1) - 1), nodes_);
  return place ? &nodes_[*place] : nullptr;
}

std::int64_t Reading::window_of(std::int64_t row) const {
  const auto& windows = evidence_->windows;
  for (std::size_t i = 0; i < windows.size(); ++i)
    if (!windows[i].empty() && windows[i].back() >= row - 1) return row > 0 ? static_cast<std::int64_t>(i) + 1 : 0;
  return 0;
}

std::int64_t Reading::window_length(std::int64_t row) const {
  std::int64_t window = window_of(row);
  return window == 0 ? 1 : static_cast<std::int64_t>(evidence_->windows[static_cast<std::size_t>(window - 1)].size());
}

std::int64_t Reading::first_row_of_window(std::int64_t row) const {
  std::int64_t window = window_of(row);
  return window == 0 ? row : evidence_->windows[static_cast<std::size_t>(window - 1)].front() + 1;
}

}  // namespace microstep
