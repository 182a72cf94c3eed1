#include "microstep/grad/dimensions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/data/error.hpp"

namespace microstep {
namespace {

/// True at the position of each named axis.
std::array<bool, most_axes> marked(const Dimensions& dimensions, const std::vector<int>& axes) {
  std::array<bool, most_axes> marks{};
  for (int axis : axes) {
    const int counted = axis < 0 ? axis + dimensions.rank : axis;
    if (counted < 0 || counted >= dimensions.rank || marks[dimensions.position(counted)]) {
      throw Error(
          "grad.axis", fmt::format("axis {} is not in shape {} or named twice", axis, to_string(dimensions.shape())),
          fmt::format("axis {}", axis), fmt::format("name each axis of 0 to {} at most once", dimensions.rank - 1));
    }
    marks[dimensions.position(counted)] = true;
  }
  return marks;
}

}  // namespace

Dimensions::Dimensions(const Shape& shape) : rank(static_cast<int>(shape.size())) {
  if (shape.size() > most_axes || std::any_of(shape.begin(), shape.end(), [](auto size) { return size < 0; }))
    throw Error("grad.shape", "shape " + to_string(shape) + " has more than 4 axes or a negative size",
                to_string(shape), "reshape it");
  std::copy(shape.begin(), shape.end(), sizes.end() - rank);
}

Dimensions broadcast(const Dimensions& a, const Dimensions& b, std::string_view operation) {
  Dimensions result;
  result.rank = std::max(a.rank, b.rank);
  for (std::size_t i = 0; i < most_axes; ++i) {
    if (a.sizes[i] != b.sizes[i] && a.sizes[i] != 1 && b.sizes[i] != 1) {
      throw Error("grad.shape",
                  fmt::format("{} of shapes {} and {}: they do not broadcast", operation, to_string(a.shape()),
                              to_string(b.shape())),
                  std::string(operation), "make the sizes of each axis equal, or one of them 1");
    }
    result.sizes[i] = a.sizes[i] == 1 ? b.sizes[i] : a.sizes[i];
  }
  return result;
}

Dimensions with_axes_kept(const Dimensions& dimensions, const std::vector<int>& axes) {
  const auto marks = marked(dimensions, axes);
  Dimensions kept = dimensions;
  for (std::size_t i = 0; i < most_axes; ++i)
    if (marks[i]) kept.sizes[i] = 1;
  return kept;
}

Dimensions without_axes(const Dimensions& dimensions, const std::vector<int>& axes) {
  const auto marks = marked(dimensions, axes);
  Shape left;
  for (int axis = 0; axis < dimensions.rank; ++axis)
    if (!marks[dimensions.position(axis)]) left.push_back(dimensions[axis]);
  return left;
}

}  // namespace microstep
