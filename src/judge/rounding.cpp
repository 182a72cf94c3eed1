#include "microstep/judge/rounding.hpp"

#include <algorithm>

namespace microstep {
namespace {

RoundingKind kind_of(const Faithfulness& found) {
  if (found.outside > 0) return RoundingKind::semantic;
  if (!found.reason.empty()) return RoundingKind::undecidable;
  return found.max_ratio > 0 ? RoundingKind::rounding : RoundingKind::exact;
}

}  // namespace

std::string_view to_string(RoundingKind kind) {
  constexpr std::string_view names[] = {"exact", "rounding", "undecidable", "semantic"};
  return names[static_cast<int>(kind)];
}

Rounding rounding_in(const Faithfulness& found) {
  if (found.judged == 0 && found.outside == 0) return {RoundingKind::undecidable, std::nullopt, {}};
  return {kind_of(found), found.max_ratio, found.max_place};
}

Rounding both(const Rounding& a, const Rounding& b) {
  const Rounding& larger = b.max_ratio > a.max_ratio ? b : a;
  return {std::max(a.verdict, b.verdict), larger.max_ratio, larger.path};
}

}  // namespace microstep
