#pragma once
// Tensors as a safetensors file: 8 bytes little-endian N, N bytes of JSON {name: {dtype, shape, data_offsets}}, data.
// Format: the safetensors README, section Format; every rule of its reader is one here.
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/data/tree.hpp"

namespace microstep {

/// values in row-major order, each a value of the dtype.
struct StoredTensor {
  std::string name;
  Dtype dtype = Dtype::float32;
  Shape shape;
  std::vector<double> values;

  bool operator==(const StoredTensor&) const = default;
};

/// tensors in the order of their data.
struct Safetensors {
  std::vector<StoredTensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// source names the file in messages. Throws safetensors.header-too-small, header-too-large, invalid-header-length,
/// invalid-header-start, invalid-header-utf8, invalid-header-json, duplicate-key, unknown-dtype, tensor-invalid-info,
/// invalid-offset, incomplete-buffer, invalid-metadata (each behind `safetensors.`). Allocates nothing beyond the
/// header before all of it is checked.
Safetensors read_safetensors(std::string_view bytes, const std::string& source);

/// Where in a file one tensor stands: bytes from begin to end of the data.
struct TensorPlace {
  std::string name;
  Dtype dtype = Dtype::float32;
  Shape shape;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A file of any size, of which only what is asked for is read.
class SafetensorsFile {
 public:
  /// Throws as read_safetensors does, and file.* as read_file for what is no file; a symbolic link is none.
  explicit SafetensorsFile(const std::string& path);
  ~SafetensorsFile();
  SafetensorsFile(SafetensorsFile&&) noexcept;

  /// In the order of their data.
  const std::vector<TensorPlace>& tensors() const;
  /// The elements of a tensor from `first` on, in row-major order. Throws file.short-read, file.unreadable. Many
  /// threads may read at once.
  void read(const TensorPlace& tensor, std::int64_t first, std::span<double> out) const;

 private:
  struct Open;
  std::unique_ptr<const Open> open_;
};

/// The bytes of a file with the tensors one behind the other, the header padded with spaces to a multiple of 8.
/// Deterministic: tensors by dtype and then name, byte for byte as the reference package writes them. Throws
/// safetensors.duplicate-key.
std::string safetensors_bytes(const Safetensors& file);

}  // namespace microstep
