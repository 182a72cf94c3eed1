#pragma once
// Every rule of Balls beside all the ways in which real libraries evaluate the operation.
#include "scalar/search.hpp"

namespace microstep {

/// tight: a faithful variant comes within a tenth of the radius, so a rule that forgets a rounding is refuted.
struct NamedRule {
  BallRule rule;
  bool tight;
};

std::vector<NamedRule> elementary_rules();
/// n is t times `scale`: large counts are not exact in 16 bits, and their reciprocals are subnormal in float16.
BallRule mean_step_rule(std::int64_t scale);
/// 1-b formed in any precision that `precision` allows.
BallRule lerp_rule(HyperPrecision precision);
BallRule one_minus_power_rule(HyperPrecision precision);

}  // namespace microstep
