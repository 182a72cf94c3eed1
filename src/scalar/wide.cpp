#include "microstep/scalar/wide.hpp"

#include <bit>
#include <cstring>

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

struct Bits {
  std::uint64_t low;
  std::uint64_t high;
};

Bits bits_of(Wide x) {
  Bits bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

constexpr int bias = 16383;
constexpr int fraction_bits = 112;
constexpr std::uint64_t high_fraction = (std::uint64_t{1} << 48) - 1;

int biased_exponent(Bits bits) { return static_cast<int>((bits.high >> 48) & 0x7fff); }

int trailing_zeros(Bits bits) { return bits.low != 0 ? std::countr_zero(bits.low) : 64 + std::countr_zero(bits.high); }

}  // namespace

Wide sqrt(Wide x) { return sqrtq(x); }
Wide exp(Wide x) { return expq(x); }
Wide log(Wide x) { return logq(x); }
Wide tanh(Wide x) { return tanhq(x); }
Wide power_of_two(int exponent) { return ldexpq(Wide(1), exponent); }

int exponent_of(Wide x) {
  Bits bits = bits_of(x);
  if (int e = biased_exponent(bits); e != 0) return e - bias;
  bits.high &= high_fraction;
  int top = bits.high != 0 ? 127 - std::countl_zero(bits.high) : 63 - std::countl_zero(bits.low);
  return 1 - bias - fraction_bits + top;
}

int lowest_bit(Wide x) {
  Bits bits = bits_of(x);
  int e = biased_exponent(bits);
  bits.high &= high_fraction;
  if (e == 0) return 1 - bias - fraction_bits + trailing_zeros(bits);
  bits.high |= std::uint64_t{1} << 48;
  return e - bias - fraction_bits + trailing_zeros(bits);
}

int significant_bits(Wide x) { return x == 0 ? 0 : exponent_of(x) - lowest_bit(x) + 1; }

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
