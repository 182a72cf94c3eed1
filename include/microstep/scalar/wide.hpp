#pragma once
// The wide type: IEEE binary128, right for inf, NaN and -0. Declared here because quadmath.h lies in gcc's private
// folder.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
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

/// The format's own bits: sign, 15 of the exponent, 112 of the fraction.
struct Bits {
  std::uint64_t low;
  std::uint64_t high;

  int biased_exponent() const { return static_cast<int>((high >> 48) & 0x7fff); }
  std::uint64_t high_fraction() const { return high & ((std::uint64_t{1} << 48) - 1); }
};
inline constexpr int exponent_bias = 16383;
inline constexpr int fraction_bits = 112;

inline Bits bits_of(Wide x) {
  Bits bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline Wide from_bits(const Bits& bits) {
  Wide x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Read from the bits: an operation on Wide is a call of many instructions.
inline Wide abs(Wide x) { return __builtin_fabsf128(x); }
inline bool is_zero(Wide x) {
  const Bits bits = bits_of(x);
  return (bits.high << 1 | bits.low) == 0;
}
inline bool is_finite(Wide x) { return bits_of(x).biased_exponent() != 0x7fff; }
inline bool is_nan(Wide x) {
  const Bits bits = bits_of(x);
  return bits.biased_exponent() == 0x7fff && (bits.high_fraction() | bits.low) != 0;
}

/// NaN is the same as NaN, -0 as +0.
inline bool same(Wide a, Wide b) {
  const Bits x = bits_of(a), y = bits_of(b);
  if (x.high == y.high && x.low == y.low) return true;
  return (is_zero(a) && is_zero(b)) || (is_nan(a) && is_nan(b));
}

/// The nearest double, ties to even, as by conversion.
inline double to_double(Wide x) {
  const Bits bits = bits_of(x);
  const int exponent = bits.biased_exponent() - exponent_bias + 1023;
  if (exponent <= 0 || exponent >= 2047) return static_cast<double>(x);
  const std::uint64_t kept = bits.high_fraction() << 4 | bits.low >> 60, lost = bits.low << 4;
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  const std::uint64_t up = lost > half || (lost == half && (kept & 1) != 0) ? 1 : 0;
  const std::uint64_t magnitude = (static_cast<std::uint64_t>(exponent) << 52) + kept + up;
  return std::bit_cast<double>((bits.high & half) | magnitude);
}

/// The same value, as by conversion.
inline Wide from_double(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t sign = bits & std::uint64_t{1} << 63, exponent = bits >> 52 & 0x7ff;
  if (exponent == 0x7ff || (exponent == 0 && x != 0)) return x;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t biased = x == 0 ? 0 : exponent + exponent_bias - 1023;
  return from_bits({fraction << 60, sign | biased << 48 | fraction >> 4});
}

/// 2^exponent, exact while the result is a normal number.
Wide power_of_two(int exponent);
/// e with 2^e <= |x| < 2^(e+1), for finite x != 0 (subnormals included).
int exponent_of(Wide x);
/// The exponent of the lowest set bit of x, for finite x != 0: x is an odd integer times 2^this.
int lowest_bit(Wide x);
/// Bits from the highest to the lowest set bit; 0 for x = 0. A product of values with a and b bits has at most a+b.
int significant_bits(Wide x);

// The same of double, for code that is written for both.
inline double abs(double x) { return std::fabs(x); }
inline bool is_zero(double x) { return x == 0; }
inline bool is_finite(double x) { return x - x == 0; }
inline bool is_nan(double x) { return x != x; }
inline bool same(double a, double b) { return a == b || (a != a && b != b); }
inline double to_double(double x) { return x; }
inline Wide widened(double x) { return from_double(x); }
inline Wide widened(Wide x) { return x; }
inline int exponent_of(double x) { return std::ilogb(x); }
inline int lowest_bit(double x) { return lowest_bit(from_double(x)); }

/// 36 significant digits at most, as few as read back as the same Wide; "NaN", "Infinity", "-Infinity".
std::string to_string(Wide x);

}  // namespace wide
}  // namespace microstep
