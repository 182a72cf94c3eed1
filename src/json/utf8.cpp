#include "utf8.hpp"

namespace microstep::utf8 {
namespace {

struct Row {
  unsigned char first_low, first_high, second_low, second_high;
  std::size_t length;
};

constexpr Row table[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

bool within(std::string_view text, std::size_t i, unsigned char low, unsigned char high) {
  if (i >= text.size()) return false;
  auto byte = static_cast<unsigned char>(text[i]);
  return byte >= low && byte <= high;
}

}  // namespace

std::size_t sequence_length(std::string_view text) {
  if (within(text, 0, 0x00, 0x7F)) return 1;
  for (const Row& row : table) {
    if (!within(text, 0, row.first_low, row.first_high)) continue;
    bool whole = within(text, 1, row.second_low, row.second_high);
    for (std::size_t i = 2; i < row.length; ++i) whole = whole && within(text, i, 0x80, 0xBF);
    return whole ? row.length : 0;
  }
  return 0;
}

std::size_t first_fault(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = sequence_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace microstep::utf8
