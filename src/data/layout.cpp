#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_set>

#include "microstep/data/error.hpp"
#include "microstep/data/tree.hpp"

namespace microstep {

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (std::int64_t axis : shape) count *= axis;
  return count;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string index_text(const Shape& shape, std::int64_t flat) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; flat /= std::max<std::int64_t>(shape[axis], 1))
    index[axis] = shape[axis] > 0 ? flat % shape[axis] : 0;
  return fmt::format("[{}]", fmt::join(index, ", "));
}

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 40;

void check_shape(const Leaf& leaf) {
  if (leaf.shape.size() > 4)
    throw Error("data.shape", fmt::format("leaf '{}' has rank {}", leaf.name, leaf.shape.size()), to_string(leaf.shape),
                "use rank 0 to 4");
  std::int64_t count = 1;
  for (std::int64_t axis : leaf.shape) {
    if (axis < 0 || (axis > 0 && count > most_elements / axis))
      throw Error("data.shape", fmt::format("leaf '{}' has a negative or too large axis", leaf.name),
                  to_string(leaf.shape), "use axes of 0 or more and at most 2^40 elements");
    count *= std::max<std::int64_t>(axis, 1);
  }
}

}  // namespace

Layout::Layout(std::vector<Leaf> leaves) : leaves_(std::move(leaves)) {
  std::unordered_set<std::string_view> names;
  for (Leaf& leaf : leaves_) {
    if (!names.insert(leaf.name).second)
      throw Error("data.duplicate-leaf", fmt::format("two leaves are named '{}'", leaf.name), leaf.name,
                  "rename one of them");
    check_shape(leaf);
    leaf.offset = size_;
    leaf.size = element_count(leaf.shape);
    size_ += leaf.size;
  }
}

std::optional<std::size_t> Layout::find(std::string_view name) const {
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    if (leaves_[i].name == name) return i;
  return std::nullopt;
}

LayoutPointer make_layout(std::vector<Leaf> leaves) { return std::make_shared<const Layout>(std::move(leaves)); }

LayoutPointer with_dtype(const LayoutPointer& layout, Dtype dtype) {
  std::vector<Leaf> leaves = layout->leaves();
  bool changed = false;
  for (Leaf& leaf : leaves) {
    changed = changed || leaf.dtype != dtype;
    leaf.dtype = dtype;
  }
  return changed ? make_layout(std::move(leaves)) : layout;
}

Dtype narrowest_dtype(const Layout& layout) {
  Dtype result = Dtype::float64;
  for (const Leaf& leaf : layout.leaves()) result = narrowest(result, leaf.dtype);
  return result;
}

}  // namespace microstep
