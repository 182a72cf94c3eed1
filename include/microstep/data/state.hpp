#pragma once
// What an optimizer remembers; the tree of states has the shape of the spec's tree. Names are Optax's.
#include <optional>
#include <string>
#include <utility>

#include "microstep/data/error.hpp"
#include "microstep/data/tree.hpp"

namespace microstep {

template <class S>
struct State {
  std::string op;
  std::vector<std::pair<std::string, std::int64_t>> counts;
  std::vector<std::pair<std::string, Tree<S>>> slots;
  std::vector<State> of;
  /// What balls keep beyond the state, where the form of a reduction is not known: the inputs of the open window.
  struct Window {
    std::vector<Tree<S>> inputs;
    std::vector<double> weights;
  };
  Window window{};

  std::int64_t& count(std::string_view name) { return named(counts, name); }
  std::int64_t count(std::string_view name) const { return named(counts, name); }
  Tree<S>& slot(std::string_view name) { return named(slots, name); }
  const Tree<S>& slot(std::string_view name) const { return named(slots, name); }

 private:
  template <class Pairs>
  static auto& named(Pairs& pairs, std::string_view name) {
    for (auto& [key, value] : pairs)
      if (key == name) return value;
    throw Error("data.no-such-state", "the state has no " + std::string(name), {}, "name one of its counts and slots");
  }
};

/// What a trace shows of one microstep: did what the skip rule of a multi_steps was asked about pass? Nothing where the
/// trace does not tell. The tree has the shape of the spec's.
struct Passing {
  std::optional<bool> passes;
  std::vector<Passing> of;
};
/// nullptr where nothing is shown.
inline const Passing* inner_of(const Passing* shown, std::size_t i = 0) {
  return shown && i < shown->of.size() ? &shown->of[i] : nullptr;
}

}  // namespace microstep
