// Inner states that the spec has no place for. An empty one has neither leaf nor count, so that no schema shows it.
#include <fmt/format.h>

#include "microstep/json/trace.hpp"

namespace microstep {
namespace {

// Does it, or one within it, have a count or a leaf? Then the schema shows them, and form.keys names the first.
bool holds_any(const Document& state) {
  if (auto counts = state.find("counts"); counts && counts->size() > 0) return true;
  if (auto slots = state.find("slots"))
    for (std::size_t i = 0; i < slots->size(); ++i)
      if (slots->element(i).size() > 0) return true;
  if (auto of = state.find("of"))
    for (std::size_t i = 0; i < of->size(); ++i)
      if (holds_any(of->element(i))) return true;
  return false;
}

void collect(const Document& state, const std::string& path, std::int64_t row, std::vector<InnerState>& found) {
  auto of = state.find("of");
  if (!of) return;
  for (std::size_t i = 0; i < of->expect(Document::Kind::list).size(); ++i) {
    if (!holds_any(of->element(i))) found.push_back({path, i, row});
    collect(of->element(i), fmt::format("{}/of[{}]", path, i), row, found);
  }
}

const Spec* spec_at(const Spec& spec, std::string_view path) {
  const Spec* node = &spec;
  for (std::size_t at = path.find("of["); at != std::string_view::npos; at = path.find("of[", at + 1)) {
    std::size_t index = 0;
    for (std::size_t i = at + 3; path[i] != ']'; ++i) index = 10 * index + static_cast<std::size_t>(path[i] - '0');
    if (index >= node->of.size()) return nullptr;
    node = &node->of[index];
  }
  return node;
}

}  // namespace

std::vector<InnerState> empty_states(const Document& trace) {
  std::vector<InnerState> found;
  if (auto state = trace.at("initial").find("state")) collect(*state, "state", 0, found);
  const Document steps = trace.at("steps");
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (auto state = steps.element(i).find("state")) collect(*state, "state", static_cast<std::int64_t>(i) + 1, found);
  return found;
}

void note_foreign_states(const std::vector<InnerState>& states, const Spec& spec, Trace& trace) {
  for (const InnerState& state : states) {
    const Spec* owner = spec_at(spec, state.owner);
    if (!owner || state.index < owner->of.size()) continue;  // of what is foreign itself nothing more is said
    trace.deviations.push_back({Deviation::Kind::keys, state.microstep,
                                fmt::format("{}/of[{}]", state.owner, state.index),
                                fmt::format("an inner state that the spec has no place for: {} has {}", owner->op,
                                            owner->of.empty() ? "none" : fmt::to_string(owner->of.size()))});
    return;
  }
}

}  // namespace microstep
