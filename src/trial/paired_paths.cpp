#include "paired_paths.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/bound/pairing.hpp"
#include "microstep/train/run.hpp"

namespace microstep {
namespace {

using Node = StateNode<double>;

template <class Pairs>
auto find_named(const Pairs& pairs, const std::string& name) {
  return std::ranges::find_if(pairs, [&](const auto& pair) { return pair.first == name; });
}

void pair_nodes(const Node& own, const Node& other, PairedPaths& paired) {
  for (const auto& [name, value] : own.state->counts)
    if (find_named(other.state->counts, name) != other.state->counts.end())
      paired.counts.emplace_back(fmt::format("{}/{}", own.path, name), fmt::format("{}/{}", other.path, name));
  for (const auto& [name, tree] : own.state->slots) {
    const auto slot = find_named(other.state->slots, name);
    if (slot == other.state->slots.end()) continue;
    for (const Leaf& leaf : tree.layout().leaves())
      if (slot->second.layout().find(leaf.name))
        paired.columns.emplace_back(fmt::format("{}/{}/{}", own.path, name, leaf.name),
                                    fmt::format("{}/{}/{}", other.path, name, leaf.name));
  }
}

}  // namespace

PairedPaths paired_paths(const Plan& accumulated, const Plan& reference) {
  using P = Plain<double>;
  Training<P> own(P{accumulated.hyper_precision}, accumulated), other(P{reference.hyper_precision}, reference);
  PairedPaths paired;
  for (const Leaf& leaf : accumulated.params.layout().leaves())
    paired.columns.emplace_back("params/" + leaf.name, "params/" + leaf.name);
  const std::vector<Node> nodes = paired_nodes(own.state), others = paired_nodes(other.state);
  for (std::size_t i = 0; i < std::min(nodes.size(), others.size()); ++i) pair_nodes(nodes[i], others[i], paired);
  return paired;
}

}  // namespace microstep
