#pragma once
// What stands before the data of a safetensors file, checked against the size of the file.
#include "microstep/golden/safetensors.hpp"
#include "safetensors_dtype.hpp"

namespace microstep {

struct StoredHeader {
  /// In the order of their data.
  std::vector<TensorPlace> tensors;
  std::map<std::string, std::string> metadata;
  std::int64_t data_begin = 0;
};

inline std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

/// From the first 8 bytes of the file, or as many as it has.
std::size_t header_length(std::string_view first_bytes, std::uint64_t file_size, const std::string& source);
/// bytes: the file's, at least those before the data.
StoredHeader read_header(std::string_view bytes, std::uint64_t file_size, const std::string& source);

}  // namespace microstep
