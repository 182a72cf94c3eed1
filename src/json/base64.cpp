#include <array>
#include <cmath>
#include <limits>

#include "microstep/json/numbers.hpp"

namespace microstep {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::size_t bytes_each(Dtype dtype) { return dtype == Dtype::float64 ? 8 : dtype == Dtype::float32 ? 4 : 2; }

std::string bytes_of(Dtype dtype, std::span<const double> values) {
  std::string bytes;
  bytes.reserve(values.size() * bytes_each(dtype));
  for (double x : values)
    for (std::size_t i = 0; i < bytes_each(dtype); ++i)
      bytes += static_cast<char>((bits_of(dtype, x) >> (8 * i)) & 0xff);
  return bytes;
}

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}

std::array<int, 256> reverse_alphabet() {
  std::array<int, 256> table;
  table.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<int>(i);
  return table;
}

// The bits below the last whole byte must be zero, so that each byte string has one text.
std::optional<std::string> bytes_of_base64(std::string_view text) {
  static const std::array<int, 256> table = reverse_alphabet();
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t pending = 0;
  int bits = 0;
  for (char c : text) {
    int digit = table[static_cast<unsigned char>(c)];
    if (digit < 0) return std::nullopt;
    pending = (pending << 6) | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((pending >> bits) & 0xff);
    pending &= (1U << bits) - 1;
  }
  if (pending != 0) return std::nullopt;
  return bytes;
}

}  // namespace

std::string base64_of(Dtype dtype, std::span<const double> values) {
  std::string bytes = bytes_of(dtype, values);
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += i + digit > bytes.size() ? '=' : alphabet[(group >> (18 - 6 * digit)) & 63];
  }
  return text;
}

std::optional<std::vector<double>> values_of_base64(Dtype dtype, std::string_view text) {
  std::optional<std::string> bytes = bytes_of_base64(text);
  std::size_t width = bytes_each(dtype);
  if (!bytes || bytes->size() % width != 0) return std::nullopt;
  std::vector<double> values(bytes->size() / width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < width; ++byte)
      bits |= static_cast<std::uint64_t>(byte_at(*bytes, i * width + byte)) << (8 * byte);
    double x = from_bits(dtype, bits);
    values[i] = std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x;
  }
  return values;
}

}  // namespace microstep
