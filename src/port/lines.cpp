#include "lines.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace microstep::port {
namespace {

using Byte = unsigned char;

struct Lead {
  Byte first, last;                // range of the first byte
  std::size_t length;              // of the whole sequence
  Byte second_first, second_last;  // range of the second byte; all later ones are 80..BF
};

// The well-formed sequences of the Unicode standard, table 3-7.
constexpr std::array<Lead, 9> kLeads{{{0x00, 0x7F, 1, 0, 0},
                                      {0xC2, 0xDF, 2, 0x80, 0xBF},
                                      {0xE0, 0xE0, 3, 0xA0, 0xBF},
                                      {0xE1, 0xEC, 3, 0x80, 0xBF},
                                      {0xED, 0xED, 3, 0x80, 0x9F},
                                      {0xEE, 0xEF, 3, 0x80, 0xBF},
                                      {0xF0, 0xF0, 4, 0x90, 0xBF},
                                      {0xF1, 0xF3, 4, 0x80, 0xBF},
                                      {0xF4, 0xF4, 4, 0x80, 0x8F}}};

bool within(Byte byte, Byte first, Byte last) { return first <= byte && byte <= last; }

// Length of the well-formed sequence at the front of the text, 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const Byte first = static_cast<Byte>(text[0]);
  for (const Lead& lead : kLeads) {
    if (!within(first, lead.first, lead.last)) continue;
    if (text.size() < lead.length) return 0;
    for (std::size_t i = 1; i < lead.length; ++i) {
      const Byte byte = static_cast<Byte>(text[i]);
      const bool fits = i == 1 ? within(byte, lead.second_first, lead.second_last) : within(byte, 0x80, 0xBF);
      if (!fits) return 0;
    }
    return lead.length;
  }
  return 0;
}

}  // namespace

void LineBuffer::append(std::string_view bytes) {
  const std::size_t from = bytes_.size();
  bytes_ += bytes;
  if (!has_line()) find_end(from);
}

std::string LineBuffer::take_line() {
  std::size_t length = end_ - begin_;
  if (length > 0 && bytes_[end_ - 1] == '\r') --length;
  std::string line = bytes_.substr(begin_, length);
  begin_ = end_ + 1;
  find_end(begin_);
  if (begin_ * 2 >= bytes_.size()) {
    bytes_.erase(0, begin_);
    if (has_line()) end_ -= begin_;
    begin_ = 0;
    if (bytes_.empty()) bytes_.shrink_to_fit();
  }
  return line;
}

void LineBuffer::find_end(std::size_t from) { end_ = bytes_.find('\n', from); }

void Tail::append(std::string_view bytes) {
  total_ += bytes.size();
  bytes_ += bytes;
  if (bytes_.size() > 2 * capacity_) bytes_.erase(0, bytes_.size() - capacity_);
}

std::string Tail::text() const {
  return printable_utf8(std::string_view(bytes_).substr(bytes_.size() - std::min(capacity_, bytes_.size())));
}

std::optional<std::size_t> invalid_utf8_at(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string printable_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = text[0] == '\0' ? 0 : sequence_length(text);
    result += length == 0 ? "\xEF\xBF\xBD" : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string last_lines(std::string_view text, std::size_t count) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t at = text.size();
  for (; count > 0 && at != std::string_view::npos; --count)
    at = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return std::string(at == std::string_view::npos ? text : text.substr(at + 1));
}

}  // namespace microstep::port
