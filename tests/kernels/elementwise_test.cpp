#include "microstep/kernels/elementwise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "microstep/scalar/balls.hpp"

namespace microstep {
namespace {

const KernelPolicy scalar{Reduction::sequential, MatmulPath::loops, TanhPath::scalar};

std::vector<float> samples() {
  std::vector<float> x{0, -0.0F, 0x1p-149F, 0x1p-126F, 1e-4F, 3e-4F, 4e-4F, 7.9F, 8, 9, 20, 100, 1e30F, HUGE_VALF};
  for (int i = 0; i < 4000; ++i) x.push_back(static_cast<float>(i) * 0x1p-8F + 0x1p-20F);
  const std::size_t half = x.size();
  for (std::size_t i = 0; i < half; ++i) x.push_back(-x[i]);
  return x;
}

TEST(Tanh, BothPathsLieInTheBall) {
  const auto x = samples();
  const auto balls = Balls<Wide>::rounding(Dtype::float32);
  for (const KernelPolicy& policy : {KernelPolicy{}, scalar}) {
    std::vector<float> y(x.size());
    EXPECT_EQ(kernels::tanh(Plain<float>{}, policy, x, std::span<float>(y)), policy.tanh);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_TRUE(contains(balls.tanh(exactly(x[i])), y[i])) << x[i] << " gives " << y[i];
  }
}

TEST(Tanh, NaNStaysNaNInEveryPlace) {
  for (std::size_t place = 0; place < 9; ++place)
    for (const KernelPolicy& policy : {KernelPolicy{}, scalar}) {
      std::vector<float> x(9, 0.5F), y(9);
      x[place] = std::nanf("");
      kernels::tanh(Plain<float>{}, policy, x, std::span<float>(y));
      for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(std::isnan(y[i]), i == place);
    }
}

TEST(Tanh, OthersHaveOnePath) {
  const std::vector<Wide> x{1};
  std::vector<Wide> y(1);
  EXPECT_EQ(kernels::tanh(Plain<Wide>{}, KernelPolicy{}, x, std::span<Wide>(y)), TanhPath::scalar);
  EXPECT_EQ(y[0], wide::tanh(1));
}

}  // namespace
}  // namespace microstep
