#pragma once
// The numbers of one leaf: a flat or nested list, a bare number, or an object with dtype, shape and values or base64.
#include <optional>
#include <span>
#include <vector>

#include "microstep/data/tree.hpp"
#include "microstep/json/document.hpp"
#include "microstep/json/writer.hpp"

namespace microstep {

/// Above this many elements a leaf is written as base64.
inline constexpr std::size_t most_written_decimals = 4096;

/// What is known of a leaf before it is read.
struct KnownLeaf {
  std::optional<Dtype> dtype = {};
  std::optional<Shape> shape = {};
};

struct ReadLeaf {
  Dtype dtype = Dtype::float32;
  Shape shape;
  std::vector<double> values;
};

/// What the leaf itself says (dtype, shape) wins over what is known. Throws json.shape-mismatch where the values do not
/// fill the shape, json.unknown-dtype, json.missing-key where a dtype is neither said nor known, json.invalid-base64.
ReadLeaf read_leaf(const Document& leaf, const KnownLeaf& known);
/// The same, without the numbers of a tensor in another file.
ReadLeaf described_leaf(const Document& leaf, const KnownLeaf& known);
/// The dtype that the leaf itself says, if it says one.
std::optional<Dtype> said_dtype(const Document& leaf);
Dtype read_dtype(const Document& name);
Shape read_shape(const Document& list);

/// Which parts stand beside the values.
struct Stated {
  bool dtype = false;
  bool shape = false;
};
void write_leaf(JsonWriter& out, Dtype dtype, const Shape& shape, std::span<const double> values, Stated stated);
void write_shape(JsonWriter& out, const Shape& shape);

}  // namespace microstep
