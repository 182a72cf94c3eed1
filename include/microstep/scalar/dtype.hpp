#pragma once
// The number formats a leaf can have, and what each can hold.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "microstep/scalar/wide.hpp"

namespace microstep {

/// tf32 is the format to which matrix units round their inputs: no leaf has it, and no plan, trace or port names it.
enum class Dtype : std::uint8_t { float64, float32, bfloat16, float16, tf32 };

/// significand: bits with the hidden one; max_exponent: largest e of a finite 2^e; min_exponent: of the smallest
/// normal.
struct DtypeFacts {
  std::string_view name;
  int significand;
  int min_exponent;
  int max_exponent;
  double unit_roundoff;
  double smallest_subnormal;
  double smallest_normal;
  double largest;
};

namespace dtype_table {
inline constexpr DtypeFacts rows[] = {
    {"float64", 53, -1022, 1023, 0x1p-53, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023},
    {"float32", 24, -126, 127, 0x1p-24, 0x1p-149, 0x1p-126, 0x1.fffffep127},
    {"bfloat16", 8, -126, 127, 0x1p-8, 0x1p-133, 0x1p-126, 0x1.fep127},
    {"float16", 11, -14, 15, 0x1p-11, 0x1p-24, 0x1p-14, 0x1.ffcp15},
    {"tf32", 11, -126, 127, 0x1p-11, 0x1p-136, 0x1p-126, 0x1.ffcp127},
};
}  // namespace dtype_table

constexpr const DtypeFacts& facts(Dtype dtype) { return dtype_table::rows[static_cast<int>(dtype)]; }
constexpr std::string_view to_string(Dtype dtype) { return facts(dtype).name; }
/// Of a leaf; none for tf32.
std::optional<Dtype> dtype_from_name(std::string_view name);
/// That a leaf can have.
std::span<const Dtype> all_dtypes();

/// The dtype of an operation on a and b, by JAX's promotion table: float16 with bfloat16 gives float32.
constexpr Dtype promote(Dtype a, Dtype b) {
  if (a == b) return a;
  if (a == Dtype::float64 || b == Dtype::float64) return Dtype::float64;
  return Dtype::float32;
}
/// The one with fewer significand bits; of bfloat16 and float16 bfloat16.
constexpr Dtype narrowest(Dtype a, Dtype b) { return facts(a).significand <= facts(b).significand ? a : b; }

/// Nearest value of the dtype, ties to even; overflow gives inf; subnormals are kept.
double round_to(Dtype dtype, double x);
/// The same from binary128 in one rounding.
Wide round_to(Dtype dtype, Wide x);
/// True if x is a value of the dtype (inf and NaN are).
bool is_representable(Dtype dtype, Wide x);

/// The dtype's own bit pattern of x (x must be representable), in the low bits; and back.
std::uint64_t bits_of(Dtype dtype, double x);
double from_bits(Dtype dtype, std::uint64_t bits);
/// Hexadecimal bit pattern such as 0x3f800000, as wide as the dtype.
std::string bits_text(Dtype dtype, double x);
/// Steps of the dtype's grid between a and b, both rounded to it first: 0 for equal and for +-0; NaN for a NaN on one
/// side only.
double ulp_distance(Dtype dtype, double a, double b);

}  // namespace microstep
