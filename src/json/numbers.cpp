#include "microstep/json/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "microstep/data/error.hpp"

namespace microstep {
namespace {

/// 0.d1d2d3... * 10^exponent without leading and trailing zeros; no digits for zero.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;

  bool operator==(const Decimal&) const = default;
};

constexpr std::int64_t largest_exponent = 1'000'000'000;

std::int64_t exponent_part(std::string_view text) {
  if (text.empty()) return 0;
  bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  std::int64_t magnitude = largest_exponent;
  std::from_chars(text.data(), text.data() + text.size(), magnitude);
  magnitude = std::min(magnitude, largest_exponent);
  return negative ? -magnitude : magnitude;
}

Decimal decimal_of(std::string_view text) {
  Decimal decimal;
  decimal.negative = text.starts_with('-');
  if (decimal.negative) text.remove_prefix(1);
  std::size_t e = text.find_first_of("eE");
  std::string_view mantissa = text.substr(0, e);
  std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  decimal.digits = mantissa.substr(0, point);
  decimal.exponent = static_cast<std::int64_t>(point);
  if (point < mantissa.size()) decimal.digits += mantissa.substr(point + 1);
  std::size_t leading = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
  decimal.digits.erase(0, leading);
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  if (e != std::string_view::npos) decimal.exponent += exponent_part(text.substr(e + 1));
  decimal.exponent -= static_cast<std::int64_t>(leading);
  if (decimal.digits.empty()) decimal.exponent = 0;
  return decimal;
}

template <class F>
std::string shortest(F x) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

std::string with_digits(double x, std::size_t digits) {
  std::string buffer(digits + 16, '\0');
  int after_point = static_cast<int>(digits) - 1;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::scientific, after_point);
  buffer.resize(static_cast<std::size_t>(end.ptr - buffer.data()));
  return buffer;
}

double parsed(std::string_view text, bool& out_of_range) {
  double x = 0;
  out_of_range = std::from_chars(text.data(), text.data() + text.size(), x).ec == std::errc::result_out_of_range;
  return x;
}

double nearest(Dtype dtype, std::string_view text, bool& out_of_range) {
  if (dtype != Dtype::float32) return round_to(dtype, parsed(text, out_of_range));
  float x = 0;
  out_of_range = std::from_chars(text.data(), text.data() + text.size(), x).ec == std::errc::result_out_of_range;
  return static_cast<double>(x);
}

std::string shortest_16_bit(Dtype dtype, double x) {
  bool out_of_range = false;
  for (std::size_t digits = 1;; ++digits) {
    std::string text = with_digits(x, digits);
    if (nearest(dtype, text, out_of_range) == x) return shortest(parsed(text, out_of_range));
  }
}

// Any decimal of so few digits is the value printed back, in the range of normal numbers (floor((p-1) log10 2)).
std::size_t always_kept_digits(Dtype dtype) {
  switch (dtype) {
    case Dtype::float64:
      return 15;
    case Dtype::float32:
      return 6;
    case Dtype::bfloat16:
      return 2;
    case Dtype::float16:
    case Dtype::tf32:
      return 3;
  }
  return 0;
}

// The value printed with that many digits. Where it lies half-way between two such, to_chars gives the even one and
// others the odd one; a double has at most 767 digits.
bool is_rounding(const Decimal& decimal, double x) {
  constexpr std::size_t all_digits = 800;
  if (decimal.digits.size() > all_digits) return false;
  if (decimal == decimal_of(with_digits(x, decimal.digits.size()))) return true;
  Decimal odd = decimal_of(with_digits(x, all_digits));
  if (odd.digits.size() != decimal.digits.size() + 1 || odd.digits.back() != '5') return false;
  odd.digits.pop_back();
  odd.digits.back() |= 1;
  return decimal == odd;
}

// x is what the text reads as. Fewer digits than its shortest rounding has: next to a power of two another decimal may
// be shorter.
bool stands_for(Dtype dtype, const Decimal& decimal, double x) {
  if (decimal.digits.size() <= always_kept_digits(dtype) && std::fabs(x) >= facts(dtype).smallest_normal) return true;
  const Decimal shortest = decimal_of(decimal_text(dtype, x));
  return decimal == shortest || decimal.digits.size() < shortest.digits.size() || is_rounding(decimal, x);
}

// A value of a narrow dtype as a program that keeps it as a wider one prints it.
bool stands_for_in_a_wider(Dtype dtype, std::string_view text, const Decimal& decimal, double x) {
  bool out_of_range = false;
  if (dtype == Dtype::float64) return false;
  if (parsed(text, out_of_range) == x) return true;
  return dtype != Dtype::float32 && nearest(Dtype::float32, text, out_of_range) == x &&
         stands_for(Dtype::float32, decimal, x);
}

}  // namespace

std::string decimal_text(Dtype dtype, double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  if (x == 0) return std::signbit(x) ? "-0.0" : "0";
  if (round_to(dtype, x) != x)
    throw Error("json.not-representable", shortest(x) + " is no " + std::string(to_string(dtype)), "a number to write",
                "round it first, or name the wider dtype");
  if (dtype == Dtype::float64) return shortest(x);
  if (dtype == Dtype::float32) return shortest(static_cast<float>(x));
  return shortest_16_bit(dtype, x);
}

ReadDecimal read_decimal(Dtype dtype, std::string_view text) {
  bool out_of_range = false;
  double x = nearest(dtype, text, out_of_range);
  Decimal decimal = decimal_of(text);
  if (decimal.digits.empty()) return {x, DecimalFault::none};
  double sign = decimal.negative ? -1.0 : 1.0;
  bool huge = std::isinf(x) || (out_of_range && decimal.exponent > 0);
  if (huge) return {sign * std::numeric_limits<double>::infinity(), DecimalFault::out_of_range};
  if (out_of_range || x == 0) return {sign * 0.0, DecimalFault::not_representable};
  const bool stands = stands_for_in_a_wider(dtype, text, decimal, x) || stands_for(dtype, decimal, x);
  return {x, stands ? DecimalFault::none : DecimalFault::not_representable};
}

}  // namespace microstep
