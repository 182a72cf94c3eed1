#pragma once
// Named tensors in one contiguous buffer: a layout says which leaves there are (names, shapes, dtypes) and where each
// lies. A leaf is dense, zero (its range in the buffer is unspecified and never read), or absent (None: a frozen,
// masked or unused parameter).
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
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

enum class Presence : std::uint8_t { dense, zero, absent };

template <class S>
class Tree {
 public:
  Tree() = default;
  /// Every leaf of that presence; the buffer is allocated, uninitialised, only where the leaves are dense.
  explicit Tree(LayoutPointer layout, Presence presence = Presence::dense)
      : layout_(std::move(layout)), presence_(layout_->leaves().size(), presence) {
    if (presence == Presence::dense) allocate();
  }
  Tree(const Tree& other) : layout_(other.layout_), presence_(other.presence_) {
    if (!other.buffer_) return;
    allocate();
    std::copy_n(other.buffer_.get(), layout_->size(), buffer_.get());
  }
  Tree(Tree&&) noexcept = default;
  Tree& operator=(Tree&&) noexcept = default;
  Tree& operator=(const Tree& other) {
    if (this == &other) return *this;
    if (!buffer_ || !other.buffer_ || !layout_ || layout_->size() != other.layout_->size()) return *this = Tree(other);
    layout_ = other.layout_;
    presence_ = other.presence_;
    std::copy_n(other.buffer_.get(), layout_->size(), buffer_.get());
    return *this;
  }

  explicit operator bool() const { return layout_ != nullptr; }
  const Layout& layout() const { return *layout_; }
  const LayoutPointer& layout_pointer() const { return layout_; }
  std::size_t leaf_count() const { return presence_.size(); }
  const Leaf& leaf(std::size_t i) const { return layout_->leaves()[i]; }
  Presence presence(std::size_t i) const { return presence_[i]; }
  void mark(std::size_t i, Presence presence) {
    if (presence == Presence::dense && !buffer_) allocate();
    presence_[i] = presence;
  }
  void mark_all(Presence presence) {
    for (std::size_t i = 0; i < presence_.size(); ++i) mark(i, presence);
  }
  /// Other dtypes for the same names and shapes; the numbers stay as they are.
  void replace_layout(LayoutPointer layout) { layout_ = std::move(layout); }
  bool is_dense(std::size_t i) const { return presence_[i] == Presence::dense; }
  bool all_zero() const {
    return std::none_of(presence_.begin(), presence_.end(), [](Presence p) { return p == Presence::dense; });
  }

  /// The elements of leaf i in row-major order; only for a dense leaf.
  std::span<S> values(std::size_t i) {
    return {buffer_.get() + leaf(i).offset, static_cast<std::size_t>(leaf(i).size)};
  }
  std::span<const S> values(std::size_t i) const {
    return {buffer_.get() + leaf(i).offset, static_cast<std::size_t>(leaf(i).size)};
  }
  /// Makes leaf i dense, filled with value unless it was dense.
  std::span<S> dense_values(std::size_t i, const S& value) {
    bool fresh = !is_dense(i);
    mark(i, Presence::dense);
    if (fresh) std::ranges::fill(values(i), value);
    return values(i);
  }

 private:
  void allocate() {
    buffer_ = std::make_unique_for_overwrite<S[]>(static_cast<std::size_t>(std::max<std::int64_t>(layout_->size(), 1)));
  }

  LayoutPointer layout_;
  std::vector<Presence> presence_;
  std::unique_ptr<S[]> buffer_;
};

/// Dense, every element of that value.
template <class S>
Tree<S> filled(const LayoutPointer& layout, const S& value) {
  Tree<S> tree(layout);
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) std::ranges::fill(tree.values(i), value);
  return tree;
}

}  // namespace microstep
