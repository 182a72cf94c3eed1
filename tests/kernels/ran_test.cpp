#include "microstep/kernels/ran.hpp"

#include <gtest/gtest.h>

namespace microstep {
namespace {

using Named = std::map<std::string, std::string>;

TEST(KernelsRan, AreNamedOnceEach) {
  KernelsRan ran;
  EXPECT_EQ(ran.named(), Named{});
  ran.note(ConvPath::winograd4);
  ran.note(ConvPath::im2col);
  ran.note(ConvPath::im2col);
  ran.note(TanhPath::scalar);
  EXPECT_EQ(ran.named(), (Named{{"conv2d", "im2col, winograd4"}, {"tanh", "scalar"}}));
  ran.note(MatmulPath::eigen);
  EXPECT_EQ(ran.named().at("matmul"), "eigen");
}

}  // namespace
}  // namespace microstep
