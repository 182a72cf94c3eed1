#pragma once
// What the rows of the op table are made of.
#include <limits>

#include "microstep/data/spec.hpp"

namespace microstep {

struct Range {
  double least, most;
  bool least_open = false, most_open = false;
  std::string_view limit_reason = {};
};

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr Range anything{-infinity, infinity, true, true};
inline constexpr Range nonnegative{0, infinity, false, true};
inline constexpr Range positive{0, infinity, true, true};
inline constexpr Range fraction{0, 1};
inline constexpr Range microsteps{1, 2147483647};
inline constexpr Range width{1, 4096};

inline ArgumentRule ranged(std::string_view name, ArgumentType type, std::string_view preset, Range range,
                           std::string_view help) {
  return {name, type, preset, range.least, range.most, range.least_open, range.most_open, {}, help, range.limit_reason};
}

inline ArgumentRule switched(std::string_view name, std::string_view preset, std::string_view help) {
  return {name, ArgumentType::flag, preset, 0, 1, false, false, {}, help};
}

inline ArgumentRule one_of(std::string_view name, std::vector<std::string_view> choices, std::string_view help) {
  const std::string_view preset = choices.front();
  return {name, ArgumentType::choice, preset, 0, 0, false, false, std::move(choices), help};
}

/// Parts of the table.
std::vector<OpRule> problem_ops();
std::vector<OpRule> model_ops();

}  // namespace microstep
