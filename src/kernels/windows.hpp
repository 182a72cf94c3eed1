#pragma once
// The numbers that the windows of a convolution see.
#include <vector>

#include "microstep/kernels/conv.hpp"

namespace microstep::kernels {

/// One image with its border of zeros.
template <class A>
class Padded {
 public:
  using V = typename A::Value;
  /// image: [channels, height, width]; the border is grown to rows x columns, at least the padded image's own.
  Padded(const ConvShape& shape, const V* image, std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(shape.in_channels * rows * columns)) {
    for (V& value : values_) value = A::constant(0);
    for (std::int64_t c = 0; c < shape.in_channels; ++c)
      for (std::int64_t y = 0; y < shape.height; ++y)
        for (std::int64_t x = 0; x < shape.width; ++x) *row(c, y + shape.pad_height, x + shape.pad_width) = *image++;
  }
  Padded(const ConvShape& shape, const V* image)
      : Padded(shape, image, shape.height + 2 * shape.pad_height, shape.width + 2 * shape.pad_width) {}

  const V* row(std::int64_t channel, std::int64_t y, std::int64_t x) const {
    return values_.data() + (channel * rows_ + y) * columns_ + x;
  }

 private:
  V* row(std::int64_t channel, std::int64_t y, std::int64_t x) {
    return values_.data() + (channel * rows_ + y) * columns_ + x;
  }

  std::int64_t rows_;
  std::int64_t columns_;
  std::vector<V> values_;
};

/// [out_height out_width, in_channels kernel_height kernel_width], row-major: a window a row.
template <class A>
std::vector<typename A::Value> windows_of(const ConvShape& shape, const typename A::Value* image) {
  const Padded<A> padded(shape, image);
  std::vector<typename A::Value> windows;
  windows.reserve(
      static_cast<std::size_t>(shape.out_height() * shape.out_width() * shape.in_channels * shape.window()));
  for (std::int64_t y = 0; y < shape.out_height(); ++y)
    for (std::int64_t x = 0; x < shape.out_width(); ++x)
      for (std::int64_t c = 0; c < shape.in_channels; ++c)
        for (std::int64_t i = 0; i < shape.kernel_height; ++i) {
          const auto* seen = padded.row(c, y + i, x);
          windows.insert(windows.end(), seen, seen + shape.kernel_width);
        }
  return windows;
}

/// The convolution whose output is this one's input: the cotangent as image, weights turned by half a turn.
ConvShape input_gradient_shape(const ConvShape& shape);

}  // namespace microstep::kernels
