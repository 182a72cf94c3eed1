#pragma once
// A comparison as text for people and as JSON (schema microstep/compare/1).
#include <span>
#include <string>
#include <string_view>

#include "microstep/trial/compare.hpp"

namespace microstep {

std::string text_report(const Comparison& comparison);
std::string json_report(const Comparison& comparison);

struct Cause {
  std::string_view id;
  std::string_view sentence;
};

/// Every cause that compare or judge may name; docs/causes.md lists them.
std::span<const Cause> known_causes();

/// What a cause id means, in one sentence; the id itself for one that has none.
std::string cause_in_words(const std::string& cause);

/// What the comparison's numbers add to it, such as ` (factor 2)`; may be empty.
std::string cause_detail(const Comparison& comparison, const std::string& cause);

}  // namespace microstep
