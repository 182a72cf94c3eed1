#pragma once
// What a contract says of a trace, and where.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/scalar/ball.hpp"

namespace microstep {

enum class Outcome : std::uint8_t { holds, broken, not_applicable, undecidable };
std::string_view to_string(Outcome outcome);
std::optional<Outcome> outcome_from_name(std::string_view name);

/// One number of a trace that decided. microstep counts from 1 (0: the start); window counts from 1, 0 where none ends.
struct Place {
  Role role = Role::accumulated;
  std::int64_t window = 0;
  std::int64_t microstep = 0;
  std::string path;
  Shape shape;
  Dtype dtype = Dtype::float32;
  std::int64_t index = 0;
  Ball observed{};
  Ball expected{};
  /// Where only a part of the leaf was judged: its first number. index counts from there, shape is the leaf's.
  std::int64_t first = 0;
};

struct Verdict {
  std::string contract;
  Outcome outcome = Outcome::not_applicable;
  /// One sentence in words: what was seen, or why the contract does not apply.
  std::string evidence;
  std::optional<Place> place;
  /// Ids of likely causes, such as `sum-mean`, `micro-state`; empty unless broken.
  std::vector<std::string> causes;
};

}  // namespace microstep
