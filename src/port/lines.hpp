#pragma once
// Bytes in, lines out; and the last bytes of a stream that is only glanced at.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace microstep::port {

/// Reassembles lines from pieces of any size. Each byte is searched once and moved at most a constant number of times.
class LineBuffer {
 public:
  void append(std::string_view bytes);
  bool has_line() const { return end_ != std::string::npos; }
  /// Takes the first line without its \n or \r\n. Needs has_line().
  std::string take_line();
  std::size_t size() const { return bytes_.size() - begin_; }
  /// Length of the first line, or of what there is of it.
  std::size_t first_line_size() const { return has_line() ? end_ - begin_ : size(); }

 private:
  void find_end(std::size_t from);

  std::string bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = std::string::npos;
};

/// Keeps the last `capacity` bytes and counts all.
class Tail {
 public:
  explicit Tail(std::size_t capacity) : capacity_(capacity) {}
  void append(std::string_view bytes);
  std::string text() const;  // the kept bytes; what is not UTF-8 becomes U+FFFD
  std::uint64_t total() const { return total_; }

 private:
  std::size_t capacity_;
  std::uint64_t total_ = 0;
  std::string bytes_;
};

/// Offset of the first byte that does not begin or continue a well-formed UTF-8 sequence (no overlong forms, no
/// surrogates, nothing above U+10FFFF).
std::optional<std::size_t> invalid_utf8_at(std::string_view text);

/// Every ill-formed byte and every NUL becomes U+FFFD.
std::string printable_utf8(std::string_view text);

/// The last `count` lines of a text.
std::string last_lines(std::string_view text, std::size_t count);

}  // namespace microstep::port
