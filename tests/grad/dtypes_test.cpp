// Operands of different dtypes: the result rounds to their promotion, each gradient to its operand's dtype.
#include <gtest/gtest.h>

#include "microstep/grad/ops.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

constexpr Dtype f64 = Dtype::float64, f32 = Dtype::float32, bf16 = Dtype::bfloat16, f16 = Dtype::float16;
using Emulation = Tape<Emulated<double>>;

Var scalar(Emulation& tape, double x, Dtype dtype) { return tape.leaf(std::span<const double>(&x, 1), {}, dtype); }

struct Promotion {
  Dtype a, b, result;
};
// JAX's table.
const Promotion promotions[] = {{f64, f64, f64},  {f64, f32, f64},  {f64, bf16, f64}, {f64, f16, f64},
                                {f32, f32, f32},  {f32, bf16, f32}, {f32, f16, f32},  {bf16, bf16, bf16},
                                {bf16, f16, f32}, {f16, f16, f16}};

TEST(Dtypes, ResultRoundsToThePromotion) {
  for (const Promotion& p : promotions)
    for (auto [a, b] : {std::pair(p.a, p.b), std::pair(p.b, p.a)}) {
      Emulation tape(Emulated<double>{});
      const Var third = divide(tape, scalar(tape, 1, a), scalar(tape, 3, b));
      EXPECT_EQ(tape.dtype(third), p.result);
      EXPECT_EQ(tape.values(third)[0], round_to(p.result, 1.0 / 3));
    }
}

// x y with y = 1 + 2^-20: the gradient of the bfloat16 x is y in bfloat16, 1; that of y is x.
TEST(Dtypes, GradientRoundsToTheOperand) {
  Emulation tape(Emulated<double>{});
  const Var x = scalar(tape, 1 + 0x1p-7, bf16), y = scalar(tape, 1 + 0x1p-20, f32);
  const auto gradients = tape.gradient(multiply(tape, x, y), {x, y});
  EXPECT_EQ(gradients[0][0], 1);
  EXPECT_EQ(gradients[1][0], 1 + 0x1p-7);
}

// In bfloat16 256 + 1 is a tie and stays 256.
TEST(Dtypes, GradientsOfOneLeafAddUpInItsDtype) {
  Emulation tape(Emulated<double>{});
  const Var x = scalar(tape, 1, bf16), y = scalar(tape, 256, f32);
  EXPECT_EQ(tape.gradient(add(tape, multiply(tape, x, y), x), {x})[0][0], 256);
  const Var wide = scalar(tape, 1, f32);
  EXPECT_EQ(tape.gradient(add(tape, multiply(tape, wide, y), wide), {wide})[0][0], 257);
}

TEST(Dtypes, MatmulPromotes) {
  Emulation tape(Emulated<double>{});
  const Var a = tape.leaf(std::vector<double>{1, 0x1p-9}, {1, 2}, f16);
  const Var b = tape.leaf(std::vector<double>{1, 0x1p-9}, {2, 1}, bf16);
  const Var c = matmul(tape, a, b);
  EXPECT_EQ(tape.dtype(c), f32);
  EXPECT_EQ(tape.values(c)[0], 1 + 0x1p-18);
  EXPECT_EQ(tape.gradient(sum(tape, c), {a, b})[0][1], 0x1p-9);
}

TEST(Dtypes, SumStaysInItsDtypeAndOrder) {
  for (auto [order, expected] : {std::pair(Reduction::sequential, 2048.0), std::pair(Reduction::reversed, 2050.0)}) {
    Emulation tape(Emulated<double>{}, {order, MatmulPath::loops, TanhPath::scalar});
    const Var x = tape.leaf(std::vector<double>{2048, 7, 1, 7, 1, 7}, {3, 2}, f16);
    const Var y = sum(tape, x, {0});
    EXPECT_EQ(tape.dtype(y), f16);
    EXPECT_EQ(tape.values(y)[0], expected);
    EXPECT_EQ(tape.values(y)[1], 21);
  }
}

TEST(Dtypes, CastRoundsBothWays) {
  Emulation tape(Emulated<double>{});
  const Var x = scalar(tape, 1.0 / 3, f64);
  const Var half = cast(tape, x, f16);
  EXPECT_EQ(tape.values(half)[0], round_to(f16, 1.0 / 3));
  EXPECT_EQ(cast(tape, half, f16), half);
  const Var third = scalar(tape, 1.0 / 3, f64);
  EXPECT_EQ(tape.gradient(multiply(tape, cast(tape, half, f64), third), {x})[0][0], round_to(f16, 1.0 / 3));
}

// A dtype of a ball tape decides the radius: dividing in float16 may stray further than in float64.
TEST(Dtypes, BallsRoundToThePromotionToo) {
  for (const Promotion& p : promotions) {
    Tape<Balls<Wide>> tape(Balls<Wide>::rounding(f64));
    const Ball one = exactly(1), three = exactly(3);
    const Var a = tape.leaf(std::span(&one, 1), {}, p.a), b = tape.leaf(std::span(&three, 1), {}, p.b);
    const Ball third = tape.values(divide(tape, a, b))[0];
    EXPECT_TRUE(contains(third, round_to(p.result, 1.0 / 3)));
    EXPECT_LT(third.radius, 3 * facts(p.result).unit_roundoff / 3);
  }
}

}  // namespace
}  // namespace microstep
