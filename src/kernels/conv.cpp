#include "microstep/kernels/conv.hpp"

#include <fmt/format.h>

#include "microstep/data/error.hpp"
#include "microstep/kernels/matmul.hpp"
#include "microstep/scalar/emulated.hpp"
#include "windows.hpp"
#include "winograd.hpp"

namespace microstep::kernels {
namespace {

template <class A>
void direct(const A& arithmetic, const Reduction& order, const ConvShape& s, const typename A::Value* input,
            const typename A::Value* weights, typename A::Value* output) {
  const std::int64_t pixels = s.out_height() * s.out_width(), terms = s.in_channels * s.window();
  for (std::int64_t n = 0; n < s.batch; ++n, input += s.in_channels * s.height * s.width) {
    const auto windows = windows_of<A>(s, input);
    for (std::int64_t o = 0; o < s.out_channels; ++o)
      for (std::int64_t p = 0; p < pixels; ++p)
        *output++ = dot(arithmetic, {windows.data() + p * terms, terms}, {weights + o * terms, terms}, order);
  }
}

// Image by image, so that the product's shape does not depend on the batch.
template <class A>
void im2col(const A& arithmetic, const KernelPolicy& policy, const ConvShape& s, const typename A::Value* input,
            const typename A::Value* weights, typename A::Value* output) {
  using M = Matrix<typename A::Value>;
  const std::int64_t pixels = s.out_height() * s.out_width(), terms = s.in_channels * s.window();
  const M left = M::row_major(weights, s.out_channels, terms);
  for (std::int64_t n = 0; n < s.batch; ++n) {
    const auto windows = windows_of<A>(s, input + n * s.in_channels * s.height * s.width);
    matmul(arithmetic, policy, left, M::row_major(windows.data(), pixels, terms).transposed(),
           output + n * s.out_channels * pixels);
  }
}

// Windows and cotangents of all images one behind the other: windows [batch pixels, terms], cotangents
// [out_channels, batch pixels].
template <class A>
struct Unrolled {
  std::vector<typename A::Value> windows;
  std::vector<typename A::Value> cotangents;
};

template <class A>
Unrolled<A> unrolled(const ConvShape& s, const typename A::Value* cotangent, const typename A::Value* input) {
  Unrolled<A> all;
  const std::int64_t pixels = s.out_height() * s.out_width();
  for (std::int64_t n = 0; n < s.batch; ++n) {
    const auto windows = windows_of<A>(s, input + n * s.in_channels * s.height * s.width);
    all.windows.insert(all.windows.end(), windows.begin(), windows.end());
  }
  for (std::int64_t o = 0; o < s.out_channels; ++o)
    for (std::int64_t n = 0; n < s.batch; ++n) {
      const auto* place = cotangent + (n * s.out_channels + o) * pixels;
      all.cotangents.insert(all.cotangents.end(), place, place + pixels);
    }
  return all;
}

template <class A>
void unrolled_weight_gradient(const A& arithmetic, const KernelPolicy& policy, const ConvShape& s,
                              const typename A::Value* cotangent, const typename A::Value* input,
                              typename A::Value* gradient) {
  using M = Matrix<typename A::Value>;
  const std::int64_t rows = s.batch * s.out_height() * s.out_width(), terms = s.in_channels * s.window();
  const Unrolled<A> all = unrolled<A>(s, cotangent, input);
  matmul(arithmetic, policy, M::row_major(all.cotangents.data(), s.out_channels, rows),
         M::row_major(all.windows.data(), rows, terms), gradient);
}

// [out, in, kh, kw] to [in, out, kh, kw], each kernel turned by half a turn.
template <class V>
std::vector<V> turned(const ConvShape& s, const V* weights) {
  std::vector<V> result(static_cast<std::size_t>(s.weight_size()));
  const std::int64_t window = s.window();
  for (std::int64_t o = 0; o < s.out_channels; ++o)
    for (std::int64_t c = 0; c < s.in_channels; ++c)
      for (std::int64_t i = 0; i < window; ++i)
        result[static_cast<std::size_t>((c * s.out_channels + o) * window + window - 1 - i)] = *weights++;
  return result;
}

KernelPolicy by_loops(KernelPolicy policy) {
  policy.matmul = MatmulPath::loops;
  policy.inputs = MatmulInputs::same;
  policy.one_row.reset();
  return policy;
}

}  // namespace

void check(const ConvShape& s) {
  const bool sizes = s.batch > 0 && s.in_channels > 0 && s.height > 0 && s.width > 0 && s.out_channels > 0 &&
                     s.kernel_height > 0 && s.kernel_width > 0;
  const bool pads =
      s.pad_height >= 0 && s.pad_width >= 0 && s.pad_height < s.kernel_height && s.pad_width < s.kernel_width;
  if (sizes && pads && s.out_height() > 0 && s.out_width() > 0) return;
  throw Error("kernel.conv-shape",
              fmt::format("images [{}, {}, {}, {}] with kernels [{}, {}, {}, {}] and padding {}, {}", s.batch,
                          s.in_channels, s.height, s.width, s.out_channels, s.in_channels, s.kernel_height,
                          s.kernel_width, s.pad_height, s.pad_width),
              "conv2d",
              "sizes are at least 1, a padding is below its kernel's size, a kernel fits into the padded image");
}

ConvPath conv_path(const KernelPolicy& policy, const ConvShape& s) {
  ConvPath path = policy.conv;
  if (path == ConvPath::automatic) {
    const AutoConv& a = policy.automatic;
    const bool is_large = (a.batch > 0 && s.batch >= a.batch) || (a.elements > 0 && s.input_size() >= a.elements);
    path = is_large && a.large != ConvPath::automatic ? a.large : ConvPath::im2col;
  }
  const bool is_winograd = path == ConvPath::winograd2 || path == ConvPath::winograd4;
  return is_winograd && (s.kernel_height != 3 || s.kernel_width != 3) ? ConvPath::im2col : path;
}

ConvShape input_gradient_shape(const ConvShape& s) {
  ConvShape back = s;
  back.in_channels = s.out_channels;
  back.out_channels = s.in_channels;
  back.height = s.out_height();
  back.width = s.out_width();
  back.pad_height = s.kernel_height - 1 - s.pad_height;
  back.pad_width = s.kernel_width - 1 - s.pad_width;
  return back;
}

template <class A>
ConvPath conv2d(const A& arithmetic, const KernelPolicy& policy, const ConvShape& shape, const typename A::Value* input,
                const typename A::Value* weights, typename A::Value* output) {
  check(shape);
  const ConvPath path = conv_path(policy, shape);
  if (path == ConvPath::direct)
    direct(arithmetic, policy.reduction, shape, input, weights, output);
  else if (path == ConvPath::im2col)
    im2col(arithmetic, policy, shape, input, weights, output);
  else
    winograd(arithmetic, policy, path, shape, input, weights, output);
  return path;
}

template <class A>
ConvPath conv2d_input_gradient(const A& arithmetic, const KernelPolicy& policy, const ConvShape& shape,
                               const typename A::Value* cotangent, const typename A::Value* weights,
                               typename A::Value* gradient) {
  check(shape);
  const auto back = turned(shape, weights);
  return conv2d(arithmetic, policy, input_gradient_shape(shape), cotangent, back.data(), gradient);
}

template <class A>
ConvPath conv2d_weight_gradient(const A& arithmetic, const KernelPolicy& policy, const ConvShape& shape,
                                const typename A::Value* cotangent, const typename A::Value* input,
                                typename A::Value* gradient) {
  check(shape);
  const ConvPath path = conv_path(policy, shape);
  if (path == ConvPath::direct)
    unrolled_weight_gradient(arithmetic, by_loops(policy), shape, cotangent, input, gradient);
  else if (path == ConvPath::im2col)
    unrolled_weight_gradient(arithmetic, policy, shape, cotangent, input, gradient);
  else
    winograd_weight_gradient(arithmetic, policy, path, shape, cotangent, input, gradient);
  return path;
}

#define MICROSTEP_INSTANTIATE_CONV(A)                                                                         \
  template ConvPath conv2d(const A&, const KernelPolicy&, const ConvShape&, const A::Value*, const A::Value*, \
                           A::Value*);                                                                        \
  template ConvPath conv2d_input_gradient(const A&, const KernelPolicy&, const ConvShape&, const A::Value*,   \
                                          const A::Value*, A::Value*);                                        \
  template ConvPath conv2d_weight_gradient(const A&, const KernelPolicy&, const ConvShape&, const A::Value*,  \
                                           const A::Value*, A::Value*);
MICROSTEP_INSTANTIATE_CONV(Plain<float>)
MICROSTEP_INSTANTIATE_CONV(Plain<double>)
MICROSTEP_INSTANTIATE_CONV(Plain<Wide>)
MICROSTEP_INSTANTIATE_CONV(Emulated<double>)
MICROSTEP_INSTANTIATE_CONV(Balls<Wide>)
#undef MICROSTEP_INSTANTIATE_CONV

}  // namespace microstep::kernels
