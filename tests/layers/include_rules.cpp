#include <algorithm>

#include "layers/rules.hpp"

namespace microstep::layers {
namespace {

using Violations = std::vector<Violation>;

/// Path of a header → paths of the headers it includes.
using Graph = std::map<std::string, std::vector<std::string>>;

std::set<std::string> allowed_rooms(const Rooms& rooms, const SourceFile& file) {
  const std::string room = room_of(rooms, file.path);
  if (room.empty()) return {};
  std::set<std::string> allowed = rooms.at(room);
  if (file.path.starts_with("tests/")) allowed.insert(rooms.at("draw").begin(), rooms.at("draw").end());
  return allowed;
}

std::string room_of_include(const Rooms& rooms, const std::string& name) { return room_of(rooms, "include/" + name); }

Violations include_only_upwards(const Rooms& rooms, const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree) {
    const auto allowed = allowed_rooms(rooms, file);
    for (const std::string& name : includes_of(file)) {
      if (!name.starts_with("microstep/")) continue;
      const std::string room = room_of_include(rooms, name);
      if (room.empty()) found.push_back({file.path, "includes " + name + ", which is in no room"});
      if (room.empty() || allowed.empty() || allowed.contains(room)) continue;
      found.push_back({file.path, "includes " + name + ", but its room may not see " + room});
    }
  }
  return found;
}

Violations library_files_stand_in_rooms(const Rooms& rooms, const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree) {
    const bool library = file.path.starts_with("include/") || file.path.starts_with("src/");
    if (library && room_of(rooms, file.path).empty())
      found.push_back({file.path, "is in no room of cmake/rooms.cmake"});
  }
  return found;
}

/// The header of the tree that `name` means in a file at `path`, or empty: a neighbour, or from an include root.
std::string resolved(const std::set<std::string>& headers, const std::string& path, const std::string& name) {
  for (const std::string& folder :
       {path.substr(0, path.rfind('/') + 1), std::string("include/"), std::string("tests/")}) {
    if (headers.contains(folder + name)) return folder + name;
  }
  return {};
}

Graph graph_of(const SourceTree& tree) {
  std::set<std::string> headers;
  for (const SourceFile& file : tree) {
    if (is_header(file)) headers.insert(file.path);
  }
  Graph graph;
  for (const SourceFile& file : tree) {
    if (!is_header(file)) continue;
    for (const std::string& name : includes_of(file)) graph[file.path].push_back(resolved(headers, file.path, name));
  }
  return graph;
}

/// Depth first; `trail` holds the headers being visited, `done` those known to reach no cycle but a reported one.
void visit(const Graph& graph, const std::string& name, std::vector<std::string>& trail, std::set<std::string>& done,
           Violations& found) {
  const auto again = std::find(trail.begin(), trail.end(), name);
  if (again != trail.end()) {
    std::string cycle;
    for (auto it = again; it != trail.end(); ++it) cycle += *it + " → ";
    found.push_back({name, "include cycle " + cycle + name});
  }
  if (again != trail.end() || !graph.contains(name) || !done.insert(name).second) return;
  trail.push_back(name);
  for (const std::string& next : graph.at(name)) visit(graph, next, trail, done, found);
  trail.pop_back();
}

Violations no_include_cycles(const Rooms&, const SourceTree& tree) {
  const Graph graph = graph_of(tree);
  Violations found;
  std::set<std::string> done;
  std::vector<std::string> trail;
  for (const auto& [name, includes] : graph) visit(graph, name, trail, done, found);
  return found;
}

/// A foreign header and the only paths that may include it; no path at all when `places` is empty.
struct Gate {
  std::string prefix;
  std::vector<std::string> places;
};

bool starts_with_any(const std::string& text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& prefix) { return text.starts_with(prefix); });
}

Violations pass_only_at(const Gate& gate, const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree) {
    for (const std::string& name : includes_of(file)) {
      if (!name.starts_with(gate.prefix) || starts_with_any(file.path, gate.places)) continue;
      found.push_back({file.path, "includes " + name});
    }
  }
  return found;
}

Rule gate(const std::string& id, const Gate& gate) {
  return {id, [gate](const Rooms&, const SourceTree& tree) { return pass_only_at(gate, tree); }};
}

}  // namespace

std::vector<Rule> include_rules() {
  return {
      {"include_only_upwards", include_only_upwards},
      {"library_files_stand_in_rooms", library_files_stand_in_rooms},
      {"no_include_cycles", no_include_cycles},
      gate("no_way_around_the_include_roots", {"..", {}}),
      gate("nlohmann_only_in_json", {"nlohmann/", {"src/json/"}}),
      gate("cli11_only_in_tools", {"CLI", {"tools/"}}),
      // Tests and benchmarks use Eigen as a second opinion.
      gate("eigen_only_in_tree_and_kernels",
           {"Eigen/", {"include/microstep/data/tree.hpp", "src/kernels/", "tests/", "tools/bench/"}}),
      gate("libuv_only_in_port", {"uv.h", {"src/port/"}}),
      gate("quadmath_header_nowhere", {"quadmath.h", {}}),
      gate("iostream_only_in_the_cli", {"iostream", {"tools/microstep/"}}),
  };
}

}  // namespace microstep::layers
