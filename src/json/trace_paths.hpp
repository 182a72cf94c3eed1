#pragma once
// Columns of a trace as the nested objects they stand in.
#include <string>
#include <utility>
#include <vector>

#include "microstep/data/trace.hpp"

namespace microstep {

using NamedIndex = std::pair<std::string, std::size_t>;

/// One state of the tree: names with the indices of counts and columns.
struct StateNode {
  std::vector<NamedIndex> counts;
  std::vector<std::pair<std::string, std::vector<NamedIndex>>> slots;
  std::vector<StateNode> of;
  bool empty() const { return counts.empty() && slots.empty() && of.empty(); }
};

StateNode state_tree(const Schema& schema);
/// Leaf name and column of each `SECTION/leaf`.
std::vector<NamedIndex> section_columns(const Schema& schema, std::string_view section);
/// The last part of a column's path: the leaf's name, which may hold slashes.
std::string leaf_of(const std::string& path);
/// `params/w` for any column of a leaf w.
std::string param_path(const std::string& path);

}  // namespace microstep
