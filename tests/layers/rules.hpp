#pragma once

#include <functional>
#include <string>
#include <vector>

#include "layers/rooms.hpp"
#include "layers/source.hpp"

namespace microstep::layers {

/// `place` is path or path:line, `what` says what is there and what the limit is.
struct Violation {
  std::string place;
  std::string what;
};

/// A rule of the house: a pure function of the table of rooms and the sources.
struct Rule {
  std::string id;
  std::function<std::vector<Violation>(const Rooms&, const SourceTree&)> check;
};

std::vector<Rule> include_rules();
std::vector<Rule> size_rules();
std::vector<Rule> word_rules();
std::vector<Rule> error_rules();

/// All of them; a new rule is a line in one of these lists.
std::vector<Rule> all_rules();

}  // namespace microstep::layers
