#pragma once
// A shape without a heap: rank 0 to 4, right-aligned, so that broadcasting compares position by position.
#include <array>
#include <cstdint>

#include "microstep/data/tree.hpp"

namespace microstep {

inline constexpr int most_axes = 4;

/// sizes[most_axes - rank + axis] is the size of an axis; the positions in front are 1.
struct Dimensions {
  std::array<std::int64_t, most_axes> sizes{1, 1, 1, 1};
  int rank = 0;

  Dimensions() = default;
  /// Throws `grad.shape`: rank over 4, negative size.
  Dimensions(const Shape& shape);

  std::int64_t operator[](int axis) const { return sizes[position(axis)]; }
  std::int64_t count() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }
  Shape shape() const { return {sizes.end() - rank, sizes.end()}; }
  static std::size_t position(int axis, int rank) {
    const int place = most_axes - rank + axis;
    return static_cast<std::size_t>(place);
  }
  std::size_t position(int axis) const { return position(axis, rank); }
  bool operator==(const Dimensions&) const = default;
};

/// NumPy's rule: sizes are equal or one of them is 1. Throws `grad.shape`, naming `operation`.
Dimensions broadcast(const Dimensions& a, const Dimensions& b, std::string_view operation);
/// The same rank with the given axes (negative ones count from the end) of size 1. Throws `grad.axis`.
Dimensions with_axes_kept(const Dimensions& dimensions, const std::vector<int>& axes);
/// Without the given axes.
Dimensions without_axes(const Dimensions& dimensions, const std::vector<int>& axes);

}  // namespace microstep
