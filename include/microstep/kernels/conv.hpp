#pragma once
// Two-dimensional convolution (cross-correlation, as in every library) of stride 1, by a named path.
#include <cstdint>

#include "microstep/kernels/policy.hpp"

namespace microstep::kernels {

/// Images [batch, in_channels, height, width], weights [out_channels, in_channels, kernel_height, kernel_width]; as
/// many rows of zeros above and below as pad_height says, and columns as pad_width.
struct ConvShape {
  std::int64_t batch = 1;
  std::int64_t in_channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t out_channels = 1;
  std::int64_t kernel_height = 3;
  std::int64_t kernel_width = 3;
  std::int64_t pad_height = 0;
  std::int64_t pad_width = 0;

  std::int64_t out_height() const { return height + 2 * pad_height - kernel_height + 1; }
  std::int64_t out_width() const { return width + 2 * pad_width - kernel_width + 1; }
  std::int64_t input_size() const { return batch * in_channels * height * width; }
  std::int64_t output_size() const { return batch * out_channels * out_height() * out_width(); }
  std::int64_t weight_size() const { return out_channels * in_channels * window(); }
  std::int64_t window() const { return kernel_height * kernel_width; }

  bool operator==(const ConvShape&) const = default;
};

/// Throws kernel.conv-shape: a size below 1, a padding below 0 or not below the kernel's size, a kernel that is larger
/// than the padded image.
void check(const ConvShape& shape);

/// The path that a policy takes: `automatic` decided, winograd only for kernels of 3x3 (im2col otherwise).
ConvPath conv_path(const KernelPolicy& policy, const ConvShape& shape);

/// output[n, o, y, x] = sum over c, i, j of input[n, c, y+i-pad, x+j-pad] weights[o, c, i, j]. Answers which path ran.
/// For Plain<float>, Plain<double>, Plain<Wide>, Emulated<double>, Balls<Wide>: over balls the same path is taken, so
/// that a ball is that of the path (Winograd's sums and products of transformed numbers lie far outside of the
/// order-free ball). Rows and columns do not overlap the results.
template <class A>
ConvPath conv2d(const A& arithmetic, const KernelPolicy& policy, const ConvShape& shape, const typename A::Value* input,
                const typename A::Value* weights, typename A::Value* output);

/// d loss / d input from d loss / d output: the convolution of that with the weights turned by half a turn.
template <class A>
ConvPath conv2d_input_gradient(const A& arithmetic, const KernelPolicy& policy, const ConvShape& shape,
                               const typename A::Value* cotangent, const typename A::Value* weights,
                               typename A::Value* gradient);

/// d loss / d weights: sum over images and pixels of the cotangent times the input that its window saw. winograd: the
/// adjoint of the forward transform, G^T [sum over tiles (A g A^T) (B^T d B)] G.
template <class A>
ConvPath conv2d_weight_gradient(const A& arithmetic, const KernelPolicy& policy, const ConvShape& shape,
                                const typename A::Value* cotangent, const typename A::Value* input,
                                typename A::Value* gradient);

}  // namespace microstep::kernels
