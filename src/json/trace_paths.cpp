#include "trace_paths.hpp"

#include <algorithm>
#include <charconv>

namespace microstep {
namespace {

constexpr std::string_view state_prefix = "state/";
constexpr std::string_view of_prefix = "of[";

bool takes(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Walks down `of[i]/of[j]/`, making nodes where they are missing; the rest stays in path.
StateNode& descend(StateNode& root, std::string_view& path) {
  StateNode* node = &root;
  while (takes(path, of_prefix)) {
    std::size_t index = 0;
    auto end = std::from_chars(path.data(), path.data() + path.size(), index).ptr;
    path.remove_prefix(static_cast<std::size_t>(end - path.data()));
    takes(path, "]/");
    if (node->of.size() <= index) node->of.resize(index + 1);
    node = &node->of[index];
  }
  return *node;
}

std::vector<NamedIndex>& slot_named(StateNode& node, std::string_view name) {
  for (auto& [slot, leaves] : node.slots)
    if (slot == name) return leaves;
  return node.slots.emplace_back(std::string(name), std::vector<NamedIndex>()).second;
}

}  // namespace

StateNode state_tree(const Schema& schema) {
  StateNode root;
  for (std::size_t i = 0; i < schema.count_paths().size(); ++i) {
    std::string_view path = schema.count_paths()[i];
    if (!takes(path, state_prefix)) continue;
    StateNode& node = descend(root, path);
    node.counts.emplace_back(std::string(path), i);
  }
  for (std::size_t i = 0; i < schema.columns().size(); ++i) {
    std::string_view path = schema.columns()[i].path;
    if (!takes(path, state_prefix)) continue;
    StateNode& node = descend(root, path);
    std::size_t slash = std::min(path.find('/'), path.size() - 1);
    slot_named(node, path.substr(0, slash)).emplace_back(std::string(path.substr(slash + 1)), i);
  }
  return root;
}

std::vector<NamedIndex> section_columns(const Schema& schema, std::string_view section) {
  std::string prefix = std::string(section) + '/';
  std::vector<NamedIndex> columns;
  for (std::size_t i = 0; i < schema.columns().size(); ++i) {
    const std::string& path = schema.columns()[i].path;
    if (path.starts_with(prefix)) columns.emplace_back(path.substr(prefix.size()), i);
  }
  return columns;
}

std::string leaf_of(const std::string& path) {
  std::string_view rest = path;
  bool state = takes(rest, state_prefix);
  StateNode ignored;
  if (state) descend(ignored, rest);
  std::size_t slash = rest.find('/');
  return std::string(slash == std::string_view::npos ? rest : rest.substr(slash + 1));
}

std::string param_path(const std::string& path) { return "params/" + leaf_of(path); }

}  // namespace microstep
