#pragma once
// Tensors as a safetensors file: 8 bytes little-endian N, N bytes of JSON {name: {dtype, shape, data_offsets}}, data.
// Format: the safetensors README, section Format; every rule of its reader is one here.
#include <map>
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

/// The bytes of a file with the tensors one behind the other, the header padded with spaces to a multiple of 8.
/// Deterministic: tensors by descending alignment and then name, as the reference writes them. Throws
/// safetensors.duplicate-key.
std::string safetensors_bytes(const Safetensors& file);

}  // namespace microstep
