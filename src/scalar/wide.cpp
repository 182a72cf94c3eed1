#include "microstep/scalar/wide.hpp"

#include <bit>
#include <cmath>

extern "C" {
__float128 sqrtq(__float128) noexcept;
__float128 expq(__float128) noexcept;
__float128 logq(__float128) noexcept;
__float128 tanhq(__float128) noexcept;
__float128 ldexpq(__float128, int) noexcept;
__float128 strtoflt128(const char*, char**) noexcept;
int quadmath_snprintf(char*, size_t, const char*, ...) noexcept;
}

namespace microstep::wide {
namespace {

int trailing_zeros(Bits bits) { return bits.low != 0 ? std::countr_zero(bits.low) : 64 + std::countr_zero(bits.high); }

}  // namespace

// One step from the root in double: x - r^2 is exact since r has 53 bits, and what the series r + e - e^2/2r leaves out
// is below 2^-150 of the root.
Wide sqrt(Wide x) {
  const double size = to_double(x);
  if (!(size > 0x1p-900 && size < 0x1p900)) return sqrtq(x);
  const double near = std::sqrt(size);
  const Wide root = near, step = (x - root * root) / (2 * root);
  const double second = to_double(step) * to_double(step) / (2 * near);
  return root + (step - Wide(second));
}
Wide exp(Wide x) { return expq(x); }
Wide log(Wide x) { return logq(x); }
Wide tanh(Wide x) { return tanhq(x); }
Wide power_of_two(int exponent) {
  const int biased = exponent + exponent_bias;
  if (biased <= 0 || biased >= 0x7fff) return ldexpq(Wide(1), exponent);
  return from_bits({0, static_cast<std::uint64_t>(biased) << 48});
}

int exponent_of(Wide x) {
  const Bits bits = bits_of(x);
  if (int e = bits.biased_exponent(); e != 0) return e - exponent_bias;
  const std::uint64_t high = bits.high_fraction();
  const int top = high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(bits.low);
  return 1 - exponent_bias - fraction_bits + top;
}

int lowest_bit(Wide x) {
  Bits bits = bits_of(x);
  const int e = bits.biased_exponent();
  bits.high = bits.high_fraction();
  if (e == 0) return 1 - exponent_bias - fraction_bits + trailing_zeros(bits);
  bits.high |= std::uint64_t{1} << 48;
  return e - exponent_bias - fraction_bits + trailing_zeros(bits);
}

int significant_bits(Wide x) { return is_zero(x) ? 0 : exponent_of(x) - lowest_bit(x) + 1; }

std::string to_string(Wide x) {
  if (is_nan(x)) return "NaN";
  if (!is_finite(x)) return x > 0 ? "Infinity" : "-Infinity";
  char text[64];
  for (int digits = 1; digits <= 36; ++digits) {
    quadmath_snprintf(text, sizeof text, "%.*Qg", digits, x);
    if (strtoflt128(text, nullptr) == x) break;
  }
  return text;
}

}  // namespace microstep::wide
