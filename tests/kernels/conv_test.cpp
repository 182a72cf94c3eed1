#include "microstep/kernels/conv.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "kernels/numbers.hpp"
#include "microstep/data/semantics.hpp"
#include "microstep/scalar/balls.hpp"

namespace microstep {
namespace {

using kernels::ConvShape;
constexpr ConvPath every_path[] = {ConvPath::direct, ConvPath::im2col, ConvPath::winograd2, ConvPath::winograd4};
constexpr ConvShape odd{2, 3, 5, 7, 4, 3, 3, 1, 0};

KernelPolicy taking(ConvPath path) {
  KernelPolicy policy;
  policy.conv = path;
  return policy;
}

template <class T>
std::vector<T> whole_numbers(std::int64_t count, std::uint32_t seed) {
  std::mt19937 bits(seed);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) value = static_cast<T>(static_cast<int>(bits() % 9) - 4);
  return x;
}

/// The definition, index by index.
template <class T>
std::vector<T> defined(const ConvShape& s, const std::vector<T>& x, const std::vector<T>& w) {
  std::vector<T> out;
  for (std::int64_t n = 0; n < s.batch; ++n)
    for (std::int64_t o = 0; o < s.out_channels; ++o)
      for (std::int64_t y = 0; y < s.out_height(); ++y)
        for (std::int64_t z = 0; z < s.out_width(); ++z) {
          T total = 0;
          for (std::int64_t t = 0; t < s.in_channels * s.window(); ++t) {
            const std::int64_t c = t / s.window(), i = t % s.window() / s.kernel_width, j = t % s.kernel_width;
            const std::int64_t row = y + i - s.pad_height, column = z + j - s.pad_width;
            if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
            total += x[static_cast<std::size_t>(((n * s.in_channels + c) * s.height + row) * s.width + column)] *
                     w[static_cast<std::size_t>(o * s.in_channels * s.window() + t)];
          }
          out.push_back(total);
        }
  return out;
}

// Halves of whole numbers: every path but winograd4, which divides by 6, is exact.
TEST(Conv, IsItsDefinitionOnEveryPath) {
  const auto x = whole_numbers<float>(odd.input_size(), 1), w = whole_numbers<float>(odd.weight_size(), 2);
  const auto expected = defined(odd, x, w);
  for (ConvPath path : {ConvPath::direct, ConvPath::im2col, ConvPath::winograd2}) {
    std::vector<float> out(expected.size());
    EXPECT_EQ(kernels::conv2d(Plain<float>{}, taking(path), odd, x.data(), w.data(), out.data()), path);
    EXPECT_EQ(out, expected) << to_string(path);
  }
}

std::vector<Ball> held(const Balls<Wide>& in, ConvPath path, const std::vector<Ball>& x, const std::vector<Ball>& w) {
  std::vector<Ball> out(static_cast<std::size_t>(odd.output_size()));
  kernels::conv2d(in, taking(path), odd, x.data(), w.data(), out.data());
  return out;
}

TEST(Conv, AFloatPathLiesInItsBall) {
  const auto x = fractions<float>(odd.input_size(), 3), w = fractions<float>(odd.weight_size(), 4);
  for (ConvPath path : every_path) {
    const auto balls = held(Balls<Wide>::rounding(Dtype::float32), path, balls_of(x), balls_of(w));
    std::vector<float> out(balls.size());
    kernels::conv2d(Plain<float>{}, taking(path), odd, x.data(), w.data(), out.data());
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_TRUE(contains(balls[i], out[i])) << to_string(path) << i;
  }
}

TEST(Conv, EveryPathIsTheSameOverBalls) {
  const auto x = balls_of(fractions<float>(odd.input_size(), 3)), w = balls_of(fractions<float>(odd.weight_size(), 4));
  const auto semantic = Balls<Wide>::semantics(Dtype::float32);
  const auto direct = held(semantic, ConvPath::direct, x, w);
  for (ConvPath path : every_path) {
    const auto other = held(semantic, path, x, w);
    for (std::size_t i = 0; i < other.size(); ++i) {
      EXPECT_TRUE(overlap(direct[i], other[i])) << to_string(path) << i;
      EXPECT_LT(other[i].radius, undecidable_width);
    }
  }
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) total += x[i] * y[i];
  return total;
}

// A bilinear map and its two adjoints: <g, conv(x, w)> = <dx, x> = <dw, w>, exact on whole numbers.
TEST(Conv, GradientsAreTheAdjoints) {
  const auto x = whole_numbers<double>(odd.input_size(), 5), w = whole_numbers<double>(odd.weight_size(), 6);
  const auto g = whole_numbers<double>(odd.output_size(), 7);
  const double expected = dot(g, defined(odd, x, w));
  ASSERT_NE(expected, 0);
  for (ConvPath path : {ConvPath::direct, ConvPath::im2col, ConvPath::winograd2}) {
    std::vector<double> dx(x.size()), dw(w.size());
    kernels::conv2d_input_gradient(Plain<double>{}, taking(path), odd, g.data(), w.data(), dx.data());
    kernels::conv2d_weight_gradient(Plain<double>{}, taking(path), odd, g.data(), x.data(), dw.data());
    EXPECT_EQ(dot(dx, x), expected) << to_string(path);
    EXPECT_EQ(dot(dw, w), expected) << to_string(path);
  }
}

}  // namespace
}  // namespace microstep
