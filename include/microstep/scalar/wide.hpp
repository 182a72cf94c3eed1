#pragma once
// The wide type: IEEE binary128, right for inf, NaN and -0. Declared here because quadmath.h lies in gcc's private
// folder.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace microstep {

using Wide = __float128;

/// Significand bits of Wide, and its unit roundoff 2^-113.
inline constexpr int wide_significand = 113;
inline constexpr double wide_unit_roundoff = 0x1p-113;

namespace wide {

Wide sqrt(Wide x);
Wide exp(Wide x);
Wide log(Wide x);
Wide tanh(Wide x);
/// 2^exponent, exact while the result is a normal number.
Wide power_of_two(int exponent);

inline Wide abs(Wide x) { return __builtin_fabsf128(x); }
inline bool is_nan(Wide x) { return x != x; }
inline bool is_finite(Wide x) { return (x - x) == 0; }

/// e with 2^e <= |x| < 2^(e+1), for finite x != 0 (subnormals included).
int exponent_of(Wide x);
/// The exponent of the lowest set bit of x, for finite x != 0: x is an odd integer times 2^this.
int lowest_bit(Wide x);
/// Bits from the highest to the lowest set bit; 0 for x = 0. A product of values with a and b bits has at most a+b.
int significant_bits(Wide x);

/// 36 significant digits at most, as few as read back as the same Wide; "NaN", "Infinity", "-Infinity".
std::string to_string(Wide x);

}  // namespace wide
}  // namespace microstep
