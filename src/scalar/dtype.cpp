#include "microstep/scalar/dtype.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace microstep {
namespace {

constexpr Dtype every_dtype[] = {Dtype::float64, Dtype::float32, Dtype::bfloat16, Dtype::float16};

// Rounds by adding and subtracting 1.5 * 2^(grid + carrier significand - 1): exact halves go to even by IEEE addition.
template <class C>
C round_on_grid(C x, C magic) {
  volatile C shifted = x + magic;
  return shifted - magic;
}

int grid_exponent(const DtypeFacts& f, int exponent) {
  int lowest = f.min_exponent - (f.significand - 1);
  int grid = exponent - (f.significand - 1);
  return grid > lowest ? grid : lowest;
}

// tf32 is stored as a float32 of which the last 13 bits are 0.
int bit_count(Dtype dtype) {
  return dtype == Dtype::float64 ? 64 : dtype == Dtype::float32 || dtype == Dtype::tf32 ? 32 : 16;
}

std::uint64_t float16_bits(double x) {
  std::uint64_t sign = std::signbit(x) ? 0x8000 : 0;
  double a = std::fabs(x);
  if (std::isnan(x)) return 0x7e00 | sign;
  if (std::isinf(x)) return 0x7c00 | sign;
  if (a < 0x1p-14) return sign | static_cast<std::uint64_t>(a * 0x1p24);
  int e = std::ilogb(a);
  return sign | (static_cast<std::uint64_t>(e + 15) << 10) |
         (static_cast<std::uint64_t>(std::ldexp(a, 10 - e)) & 0x3ff);
}

double float16_value(std::uint64_t bits) {
  double sign = (bits & 0x8000) ? -1.0 : 1.0;
  int e = static_cast<int>((bits >> 10) & 0x1f);
  double fraction = static_cast<double>(bits & 0x3ff);
  if (e == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  return e == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(1024 + fraction, e - 25);
}

// Signed position on the dtype's grid: 0 for both zeros, growing with the value.
std::int64_t grid_position(Dtype dtype, double x) {
  std::uint64_t sign_bit = std::uint64_t{1} << (bit_count(dtype) - 1);
  std::uint64_t bits = bits_of(dtype, round_to(dtype, x));
  auto magnitude = static_cast<std::int64_t>(bits & (sign_bit - 1));
  return (bits & sign_bit) ? -magnitude : magnitude;
}

}  // namespace

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (Dtype dtype : every_dtype)
    if (facts(dtype).name == name) return dtype;
  return std::nullopt;
}

std::span<const Dtype> all_dtypes() { return every_dtype; }

double round_to(Dtype dtype, double x) {
  if (dtype == Dtype::float64 || x == 0 || !std::isfinite(x)) return x;
  if (dtype == Dtype::float32) return static_cast<double>(static_cast<float>(x));
  const DtypeFacts& f = facts(dtype);
  if (std::fabs(x) > 2 * f.largest) return std::copysign(HUGE_VAL, x);
  double rounded = round_on_grid(x, std::ldexp(1.5, grid_exponent(f, std::ilogb(x)) + 52));
  if (std::fabs(rounded) > f.largest) return std::copysign(HUGE_VAL, x);
  return std::copysign(rounded, x);
}

Wide round_to(Dtype dtype, Wide x) {
  if (wide::is_zero(x) || !wide::is_finite(x)) return x;
  const DtypeFacts& f = facts(dtype);
  Wide magic = Wide(1.5) * wide::power_of_two(grid_exponent(f, wide::exponent_of(x)) + wide_significand - 1);
  Wide rounded = round_on_grid(x, magic);
  if (wide::abs(rounded) > f.largest) return x > 0 ? Wide(HUGE_VAL) : -Wide(HUGE_VAL);
  return rounded == 0 && x < 0 ? -Wide(0) : rounded;
}

bool is_representable(Dtype dtype, Wide x) {
  if (wide::is_zero(x) || !wide::is_finite(x)) return true;
  const DtypeFacts& f = facts(dtype);
  int top = wide::exponent_of(x);
  return top <= f.max_exponent && wide::lowest_bit(x) >= grid_exponent(f, top);
}

std::uint64_t bits_of(Dtype dtype, double x) {
  if (dtype == Dtype::float64) return std::bit_cast<std::uint64_t>(x);
  if (dtype == Dtype::float16) return float16_bits(x);
  std::uint32_t single = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return dtype == Dtype::bfloat16 ? single >> 16 : single;
}

double from_bits(Dtype dtype, std::uint64_t bits) {
  if (dtype == Dtype::float64) return std::bit_cast<double>(bits);
  if (dtype == Dtype::float16) return float16_value(bits);
  auto single = static_cast<std::uint32_t>(dtype == Dtype::bfloat16 ? bits << 16 : bits);
  return static_cast<double>(std::bit_cast<float>(single));
}

std::string bits_text(Dtype dtype, double x) {
  std::string text = "0x";
  for (int shift = bit_count(dtype) - 4; shift >= 0; shift -= 4)
    text += "0123456789abcdef"[(bits_of(dtype, x) >> shift) & 0xf];
  return text;
}

double ulp_distance(Dtype dtype, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<double>::quiet_NaN();
  auto [low, high] = std::minmax({grid_position(dtype, a), grid_position(dtype, b)});
  return static_cast<double>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
}

}  // namespace microstep
