#include "microstep/kernels/matmul.hpp"

#include <gtest/gtest.h>

#include <random>

#include "kernels/numbers.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

using kernels::Matrix;

struct Sizes {
  std::int64_t m, k, n;
};
const std::vector<Sizes> all_sizes{{1, 1, 1},   {2, 3, 4},   {7, 1, 5}, {1, 9, 1},
                                   {8, 32, 64}, {33, 17, 3}, {3, 0, 2}, {0, 4, 2}};
const KernelPolicy by_loops{Reduction::sequential, MatmulPath::loops, TanhPath::scalar};

std::vector<std::int64_t> small_integers(std::int64_t count) {
  std::mt19937 bits(static_cast<unsigned>(count));
  std::vector<std::int64_t> x(static_cast<std::size_t>(count));
  for (auto& value : x) value = static_cast<std::int64_t>(bits() % 17) - 8;
  return x;
}

/// In integers, where nothing rounds.
std::vector<std::int64_t> product(const Sizes& s, const std::vector<std::int64_t>& a,
                                  const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> c;
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      std::int64_t total = 0;
      for (std::int64_t l = 0; l < s.k; ++l)
        total += a[static_cast<std::size_t>(i * s.k + l)] * b[static_cast<std::size_t>(l * s.n + j)];
      c.push_back(total);
    }
  return c;
}

template <class T>
std::vector<T> transposed(const std::vector<T>& x, std::int64_t rows, std::int64_t columns) {
  std::vector<T> out;
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) out.push_back(x[static_cast<std::size_t>(i * columns + j)]);
  return out;
}

/// All four combinations of an operand that lies row-major and one that is the transpose of what lies in memory.
template <class T>
void expect_products(const Sizes& s, const KernelPolicy& policy, MatmulPath path) {
  const auto a = small_integers(s.m * s.k), b = small_integers(s.k * s.n);
  const auto expected = product(s, a, b);
  const std::vector<T> x(a.begin(), a.end()), y(b.begin(), b.end());
  const auto xt = transposed(x, s.m, s.k), yt = transposed(y, s.k, s.n);
  for (const auto& left :
       {Matrix<T>::row_major(x.data(), s.m, s.k), Matrix<T>::row_major(xt.data(), s.k, s.m).transposed()})
    for (const auto& right :
         {Matrix<T>::row_major(y.data(), s.k, s.n), Matrix<T>::row_major(yt.data(), s.n, s.k).transposed()}) {
      std::vector<T> c(expected.size(), T(99));
      EXPECT_EQ(kernels::matmul(Plain<T>{}, policy, left, right, c.data()), path);
      EXPECT_TRUE(std::equal(c.begin(), c.end(), expected.begin(), expected.end()));
    }
}

TEST(Matmul, IsTheProductOnEveryPath) {
  for (const Sizes& s : all_sizes) {
    expect_products<float>(s, {}, MatmulPath::eigen);
    expect_products<double>(s, {}, MatmulPath::eigen);
    expect_products<float>(s, by_loops, MatmulPath::loops);
    expect_products<double>(s, by_loops, MatmulPath::loops);
    expect_products<Wide>(s, {}, MatmulPath::loops);
  }
}

TEST(Matmul, EigenNeedsAUnitStride) {
  const std::vector<float> x{1, 99, 2, 99, 99, 99, 99, 99, 3, 99, 4};
  const Matrix<float> sparse{x.data(), 2, 2, 8, 2};
  std::vector<float> c(4);
  EXPECT_EQ(kernels::matmul(Plain<float>{}, KernelPolicy{}, sparse, sparse, c.data()), MatmulPath::loops);
  EXPECT_EQ(c, (std::vector<float>{7, 10, 15, 22}));
}

// (1 + e) + e is 1 from the left, 1 + 2e from the right.
TEST(Matmul, LoopsTakeThePolicysOrder) {
  constexpr float e = 0x1p-24F;
  const std::vector<float> x{1, e, e}, ones{1, 1, 1};
  float c = 0;
  for (auto [order, expected] : {std::pair(Reduction::sequential, 1.0F), std::pair(Reduction::reversed, 1 + 2 * e)}) {
    kernels::matmul(Plain<float>{}, KernelPolicy{order, MatmulPath::loops, TanhPath::scalar},
                    Matrix<float>::row_major(x.data(), 1, 3), Matrix<float>::row_major(ones.data(), 3, 1), &c);
    EXPECT_EQ(c, expected);
  }
}

TEST(Matmul, BothPathsLieInTheBall) {
  for (const Sizes& s : all_sizes) {
    const auto a = fractions<float>(s.m * s.k, 1), b = fractions<float>(s.k * s.n, 2);
    const auto ball_a = balls_of(a), ball_b = balls_of(b);
    std::vector<Ball> held(static_cast<std::size_t>(s.m * s.n));
    kernels::matmul(Balls<Wide>::rounding(Dtype::float32), KernelPolicy{},
                    Matrix<Ball>::row_major(ball_a.data(), s.m, s.k), Matrix<Ball>::row_major(ball_b.data(), s.k, s.n),
                    held.data());
    for (const KernelPolicy& policy : {KernelPolicy{}, by_loops}) {
      std::vector<float> c(held.size());
      kernels::matmul(Plain<float>{}, policy, Matrix<float>::row_major(a.data(), s.m, s.k),
                      Matrix<float>::row_major(b.data(), s.k, s.n), c.data());
      for (std::size_t i = 0; i < c.size(); ++i) EXPECT_TRUE(contains(held[i], c[i]));
    }
  }
}

}  // namespace
}  // namespace microstep
