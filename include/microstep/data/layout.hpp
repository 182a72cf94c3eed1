#pragma once
// Which leaves a tree has: names, shapes, dtypes, and where each lies in one contiguous buffer.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/scalar/dtype.hpp"

namespace microstep {

/// Rank 0 to 4; a zero-size axis gives an empty leaf; {} is a scalar.
using Shape = std::vector<std::int64_t>;

std::int64_t element_count(const Shape& shape);
/// "[3, 2]", "[]" for a scalar.
std::string to_string(const Shape& shape);
/// The indices of element `flat` in row-major order, as "[1, 0]"; "[]" for a scalar.
std::string index_text(const Shape& shape, std::int64_t flat);

struct Leaf {
  std::string name;
  Shape shape;
  Dtype dtype = Dtype::float32;
  std::int64_t offset = 0;
  std::int64_t size = 0;

  bool operator==(const Leaf&) const = default;
};

class Layout {
 public:
  Layout() = default;
  /// Offsets and sizes are filled in. Throws `data.duplicate-leaf`, `data.shape` (rank over 4, negative axis).
  explicit Layout(std::vector<Leaf> leaves);

  const std::vector<Leaf>& leaves() const { return leaves_; }
  std::int64_t size() const { return size_; }
  std::optional<std::size_t> find(std::string_view name) const;
  bool operator==(const Layout&) const = default;

 private:
  std::vector<Leaf> leaves_;
  std::int64_t size_ = 0;
};
using LayoutPointer = std::shared_ptr<const Layout>;

LayoutPointer make_layout(std::vector<Leaf> leaves);
/// The same names and shapes with every leaf of that dtype; the same pointer where nothing changes.
LayoutPointer with_dtype(const LayoutPointer& layout, Dtype dtype);
/// The narrowest dtype of all leaves; float64 for none.
Dtype narrowest_dtype(const Layout& layout);

}  // namespace microstep
