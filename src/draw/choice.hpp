#pragma once
// A choice of the table: `never`, or `large(max_norm)` which brings an argument along.
#include <string>
#include <string_view>

#include "microstep/data/spec.hpp"

namespace microstep {

struct DrawnChoice {
  std::string name;
  /// Empty for none.
  std::string brings;
};

DrawnChoice drawn_choice(std::string_view text);
/// True if the argument only has a meaning together with a choice of the same op.
bool is_brought(const OpRule& rule, std::string_view argument);

}  // namespace microstep
