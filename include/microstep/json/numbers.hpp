#pragma once
// Numbers as text that keeps every bit: shortest decimals of the named dtype, and base64 for large tensors.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/scalar/dtype.hpp"

namespace microstep {

/// The shortest decimal that reads back as x in the dtype; -0 is "-0.0"; "NaN", "Infinity", "-Infinity" without quotes.
/// Throws json.not-representable if x is no value of the dtype.
std::string decimal_text(Dtype dtype, double x);

enum class DecimalFault { none, out_of_range, not_representable };
struct ReadDecimal {
  double value = 0;
  DecimalFault fault = DecimalFault::none;
};
/// Reads a JSON number. It stands for a value of the dtype if it is that value's shortest decimal, or the value printed
/// with as many digits, in the dtype or a wider one: 0.1, 0.100000001 and 0.10000000149011612 are the same float32,
/// 0.123456789 is none. `value` is the nearest value of the dtype in any case.
ReadDecimal read_decimal(Dtype dtype, std::string_view text);

/// Little-endian bytes of the values in the dtype, as base64 (RFC 4648, with padding).
std::string base64_of(Dtype dtype, std::span<const double> values);
/// Nothing if the text is not base64 or not a whole number of elements. Every NaN becomes the quiet one.
std::optional<std::vector<double>> values_of_base64(Dtype dtype, std::string_view text);

}  // namespace microstep
