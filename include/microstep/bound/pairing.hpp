#pragma once
// Which nodes of two state trees are the same thing: chains are flattened, apply_every is dropped, multi_steps and
// masked are replaced by their inner; the remaining stateful nodes pair in order.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "microstep/data/state.hpp"

namespace microstep {

template <class S>
struct StateNode {
  std::string path;
  State<S>* state;
};

template <class S>
void collect_nodes(State<S>& state, const std::string& path, std::vector<StateNode<S>>& nodes) {
  if (state.op == "apply_every") return;
  bool wraps = state.op == "chain" || state.op == "multi_steps" || state.op == "masked";
  if (!wraps && (!state.counts.empty() || !state.slots.empty())) nodes.push_back({path, &state});
  for (std::size_t i = 0; i < state.of.size(); ++i)
    collect_nodes(state.of[i], fmt::format("{}/of[{}]", path, i), nodes);
}

template <class S>
std::vector<StateNode<S>> paired_nodes(State<S>& state) {
  std::vector<StateNode<S>> nodes;
  collect_nodes(state, "state", nodes);
  return nodes;
}

}  // namespace microstep
