// NaN, infinities, zeros and huge numbers in operations and losses.
#include <gtest/gtest.h>

#include <cmath>

#include "microstep/grad/ops.hpp"

namespace microstep {
namespace {

using Floats = Tape<Plain<float>>;
using Vector = std::vector<float>;
const float infinity = HUGE_VALF;

Var leaf(Floats& tape, const Vector& x) { return tape.leaf(x, {static_cast<std::int64_t>(x.size())}, Dtype::float32); }

Vector copied(std::span<const float> x) { return {x.begin(), x.end()}; }

// Shifted by the maximum: log(1 + 0 + 0) - (x[label] - 1e38).
TEST(SpecialValues, SoftmaxOfHugeLogitsDoesNotOverflow) {
  Floats tape(Plain<float>{});
  const Var x = tape.leaf(Vector{1e38F, -1e38F, 0, 1e38F, -1e38F, 0}, {2, 3}, Dtype::float32);
  const Var losses = softmax_cross_entropies(tape, x, std::vector<std::int64_t>{0, 1});
  EXPECT_EQ(copied(tape.values(losses)), (Vector{0, 2e38F}));
  EXPECT_EQ(copied(tape.gradient(sum(tape, losses), {x})[0]), (Vector{0, 0, 0, 1, -1, 0}));
}

TEST(SpecialValues, SoftmaxOfEqualHugeLogitsIsUniform) {
  Floats tape(Plain<float>{});
  const Var x = tape.leaf(Vector(4, 3e38F), {1, 4}, Dtype::float32);
  const Var loss = softmax_cross_entropy(tape, x, std::vector<std::int64_t>{2});
  EXPECT_EQ(tape.values(loss)[0], std::log(4.0F));
  EXPECT_EQ(copied(tape.gradient(loss, {x})[0]), (Vector{0.25F, 0.25F, -0.75F, 0.25F}));
}

TEST(SpecialValues, SoftmaxKeepsNaN) {
  Floats tape(Plain<float>{});
  for (const Vector& logits : {Vector{1, NAN}, Vector{NAN, 1}, Vector{infinity, 1}}) {
    const Var x = tape.leaf(logits, {1, 2}, Dtype::float32);
    EXPECT_TRUE(std::isnan(tape.values(softmax_cross_entropy(tape, x, std::vector<std::int64_t>{0}))[0]));
  }
}

TEST(SpecialValues, ReluIsFlatAtZeroAndSelects) {
  Floats tape(Plain<float>{});
  const Var x = leaf(tape, {-2, -0.0F, 0, 2});
  EXPECT_EQ(copied(tape.values(relu(tape, x))), (Vector{0, 0, 0, 2}));
  const Var steep = multiply(tape, relu(tape, x), leaf(tape, Vector(4, infinity)));
  EXPECT_EQ(copied(tape.gradient(sum(tape, steep), {x})[0]), (Vector{0, 0, 0, infinity})) << "0 times inf is NaN";
}

TEST(SpecialValues, ReluAndTanhKeepNaN) {
  Floats tape(Plain<float>{});
  const Var x = leaf(tape, {NAN});
  EXPECT_TRUE(std::isnan(tape.values(relu(tape, x))[0]));
  EXPECT_TRUE(std::isnan(tape.values(tanh(tape, x))[0]));
}

TEST(SpecialValues, MeanOfNothingIsNaNAndItsSumZero) {
  Floats tape(Plain<float>{});
  const Var x = tape.leaf(Vector{}, {0, 3}, Dtype::float32);
  for (float value : tape.values(mean(tape, x, {0}))) EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(copied(tape.values(sum(tape, x, {0}))), Vector(3, 0.0F));
  EXPECT_TRUE(tape.gradient(sum(tape, x), {x})[0].empty());
}

TEST(SpecialValues, DivisionAndLogarithmFollowIeee) {
  Floats tape(Plain<float>{});
  const Var x = leaf(tape, {1, -1, 0}), zero = leaf(tape, {0, 0, 0});
  const auto quotient = copied(tape.values(divide(tape, x, zero)));
  EXPECT_EQ(quotient[0], infinity);
  EXPECT_EQ(quotient[1], -infinity);
  EXPECT_TRUE(std::isnan(quotient[2]));
  const auto logarithm = copied(tape.values(log(tape, x)));
  EXPECT_EQ(logarithm[0], 0);
  EXPECT_TRUE(std::isnan(logarithm[1]));
  EXPECT_EQ(logarithm[2], -infinity);
}

}  // namespace
}  // namespace microstep
