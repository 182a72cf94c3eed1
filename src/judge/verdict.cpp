#include "microstep/judge/verdict.hpp"

namespace microstep {

std::string_view to_string(Outcome outcome) {
  constexpr std::string_view names[] = {"holds", "broken", "not_applicable", "undecidable"};
  return names[static_cast<int>(outcome)];
}

std::optional<Outcome> outcome_from_name(std::string_view name) {
  for (Outcome outcome : {Outcome::holds, Outcome::broken, Outcome::not_applicable, Outcome::undecidable})
    if (to_string(outcome) == name) return outcome;
  return std::nullopt;
}

}  // namespace microstep
