#pragma once
// Numbers for people: shortest decimals, and with their bits where two values are set side by side.
#include <string>
#include <utility>

#include "microstep/scalar/ball.hpp"
#include "microstep/scalar/dtype.hpp"

namespace microstep {

/// The centre rounded to the dtype, as its shortest decimal.
std::string shown(Dtype dtype, const Ball& ball);
/// `0.1 (0x3dcccccd)`.
std::string shown_with_bits(Dtype dtype, const Ball& ball);
/// Two numbers side by side, in the dtype's digits, or in as many more as make them read differently where they differ.
std::pair<std::string, std::string> shown_apart(Dtype dtype, const Ball& a, const Ball& b);
/// 3 significant digits, as 1.2e-07.
std::string rough(double x);

}  // namespace microstep
