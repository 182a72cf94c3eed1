#pragma once
// A regular file that is open for reading.
#include <span>

#include "descriptor.hpp"
#include "microstep/golden/file.hpp"

namespace microstep {

struct Input {
  /// Throws as read_file does of what is no file, but not for its size.
  Input(const std::string& path, Links links);

  Descriptor file;
  std::int64_t size = 0;
};

/// Fills bytes from that place of the file on. Throws file.short-read, file.unreadable.
void read_at(const Descriptor& file, std::span<char> bytes, std::int64_t at, const std::string& path);

}  // namespace microstep
