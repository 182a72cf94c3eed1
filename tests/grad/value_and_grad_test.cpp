#include "microstep/grad/value_and_grad.hpp"

#include <gtest/gtest.h>

namespace microstep {
namespace {

using Vars = std::span<const Var>;
using Doubles = Tape<Plain<double>>;

LayoutPointer layout() { return make_layout({{"w", {2, 1}, Dtype::float64, 0, 0}, {"b", {}, Dtype::float64, 0, 0}}); }

Tree<double> params(double w0, double w1, double b) {
  Tree<double> tree(layout());
  tree.values(0)[0] = w0;
  tree.values(0)[1] = w1;
  tree.values(1)[0] = b;
  return tree;
}

const std::vector<double> inputs{1, 2, 3, -1, 0, 2}, targets{3, 1, 2};

Var squared_error(Doubles& tape, Vars v) {
  const Var x = tape.constant(inputs, {3, 2}, Dtype::float64), t = tape.constant(targets, {3, 1}, Dtype::float64);
  return mean_squared_error(tape, add(tape, matmul(tape, x, v[0]), v[1]), t);
}

// w = (1, 2), b = 1: predictions 6, 2, 5, errors 3, 1, 3; 2/3 e is 2, 2/3, 2;
// the gradients are X^T (2/3 e) and sum (2/3 e).
TEST(ValueAndGrad, LinearRegressionByHand) {
  Doubles tape(Plain<double>{});
  const auto found = value_and_grad(tape, squared_error, params(1, 2, 1));
  EXPECT_EQ(found.value, 19.0 / 3);
  EXPECT_EQ(found.gradients.layout(), *layout());
  EXPECT_EQ(found.gradients.values(0)[0], 2 * (3 * 1 + 1 * 3 + 3 * 0) / 3.0);
  EXPECT_EQ(found.gradients.values(0)[1], 2 * 2.0 + (-2.0 / 3) + 2 * 2.0);
  EXPECT_EQ(found.gradients.values(1)[0], 2.0 + 2.0 / 3 + 2.0);
}

TEST(ValueAndGrad, WritesInPlace) {
  Doubles tape(Plain<double>{});
  const Tree<double> at = params(1, 2, 1);
  Tree<double> gradients(at.layout_pointer());
  const double* place = gradients.values(0).data();
  const auto expected = value_and_grad(tape, squared_error, at);
  EXPECT_EQ(value_and_grad_into(tape, squared_error, at, gradients), expected.value);
  EXPECT_EQ(gradients.values(0).data(), place);
  EXPECT_TRUE(std::ranges::equal(gradients.values(0), expected.gradients.values(0)));
}

TEST(ValueAndGrad, ZeroLeafCountsAsZerosAndAbsentHasNoGradient) {
  const auto three = make_layout(
      {{"a", {2}, Dtype::float64, 0, 0}, {"none", {5}, Dtype::float64, 0, 0}, {"zero", {2}, Dtype::float64, 0, 0}});
  Tree<double> tree(three);
  tree.values(0)[0] = 3;
  tree.values(0)[1] = 4;
  tree.mark(1, Presence::absent);
  tree.mark(2, Presence::zero);
  Doubles tape(Plain<double>{});
  const auto found = value_and_grad(
      tape,
      [](Doubles& t, Vars v) {
        EXPECT_FALSE(v[1]);
        return sum(t, multiply(t, v[0], v[2]));
      },
      tree);
  EXPECT_EQ(found.value, 0);
  EXPECT_EQ(found.gradients.presence(1), Presence::absent);
  EXPECT_EQ(found.gradients.values(0)[0], 0);
  EXPECT_EQ(found.gradients.values(2)[1], 4);
}

TEST(ValueAndGrad, ParameterThatTheLossIgnoresGetsZeros) {
  Doubles tape(Plain<double>{});
  const auto found = value_and_grad(
      tape, [](Doubles& t, Vars v) { return square(t, v[1]); }, params(1, 2, 5));
  EXPECT_EQ(found.gradients.values(0)[0], 0);
  EXPECT_EQ(found.gradients.values(0)[1], 0);
  EXPECT_EQ(found.gradients.values(1)[0], 10);
}

}  // namespace
}  // namespace microstep
