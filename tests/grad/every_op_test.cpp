// Every operation, value and gradient, against formulas derived by hand and against finite differences.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "grad/evaluate.hpp"
#include "microstep/kernels/switches.hpp"

namespace microstep::testing_grad {
namespace {

const Balls<Wide>& balls = exact_arithmetic;

/// Formula and tape are both certain to within their radius of the true number, so the balls must overlap. Neither may
/// be so wide that it could hide a wrong formula: half the digits of Wide stay certain.
void expect_same(const Numbers& formula, const std::vector<Ball>& tape, const std::vector<Wide>& plain) {
  ASSERT_EQ(formula.size(), tape.size());
  ASSERT_EQ(formula.size(), plain.size());
  for (std::size_t i = 0; i < tape.size(); ++i) {
    EXPECT_TRUE(overlap(formula[i].ball, tape[i])) << i;
    EXPECT_TRUE(overlap(tape[i], {plain[i], 0.0})) << i;
    EXPECT_LT(std::max(formula[i].ball.radius, tape[i].radius), 0x1p-56) << i;
  }
}

std::vector<Numbers> exact(const Points& points) {
  std::vector<Numbers> out;
  for (const auto& values : points) out.emplace_back(values.begin(), values.end());
  return out;
}

Numbers exact(const std::vector<double>& values) { return Numbers(values.begin(), values.end()); }

class EveryOp : public testing::TestWithParam<Case> {};

TEST_P(EveryOp, ValueIsTheFormula) {
  const Case& c = GetParam();
  const Points points = draw_inputs(c);
  expect_same(c.value(exact(points)), evaluate(balls, c, points, Dtype::float64).value,
              evaluate(Plain<Wide>{}, c, points, Dtype::float64).value);
}

TEST_P(EveryOp, GradientIsTheFormula) {
  const Case& c = GetParam();
  const Points points = draw_inputs(c);
  const auto tape = evaluate(balls, c, points, Dtype::float64);
  const auto plain = evaluate(Plain<Wide>{}, c, points, Dtype::float64);
  const auto formula = c.gradient(exact(points), exact(weights(tape.value.size())));
  ASSERT_EQ(formula.size(), tape.gradient.size());
  for (std::size_t i = 0; i < formula.size(); ++i) expect_same(formula[i], tape.gradient[i], plain.gradient[i]);
}

Ball loss_at(const Case& c, const Points& points) {
  Tape<Balls<Wide>> tape(balls);
  const auto vars = leaves(tape, c, points, Dtype::float64);
  return tape.values(weighted(tape, c.recipe(tape, vars)))[0];
}

/// (f(x + h) - f(x - h)) / 2h; the radius is what the roundings of f make of it: (r+ + r-) / 2h.
Ball central_difference(const Case& c, Points points, std::size_t input, std::size_t element, double h) {
  double& x = points[input][element];
  const double middle = x;
  x = middle + h;
  const Ball up = loss_at(c, points);
  x = middle - h;
  const Ball down = loss_at(c, points);
  return {(up.value - down.value) / Wide(2 * h), (up.radius + down.radius) / (2 * h)};
}

/// D(h) = f' + c h^2 + d h^4 + ... with c = f'''/6. From D(h) - D(h/2) = (3/4) c h^2 + (15/16) d h^4 the error of
/// D(h/2), c h^2 / 4 + d h^4 / 16, is at most |D(h) - D(h/2)| as long as |d| h^2 <= |c| / 2, or if c is 0. The same
/// holds for h/2, so the larger of two such differences is taken. h is a power of two, so that x +- h is exact.
Ball derivative(const Case& c, const Points& points, std::size_t input, std::size_t element) {
  constexpr double h = 0x1p-24;
  const Ball whole = central_difference(c, points, input, element, h);
  const Ball half = central_difference(c, points, input, element, h / 2);
  const Ball quarter = central_difference(c, points, input, element, h / 4);
  const Wide truncation = std::max(wide::abs(whole.value - half.value), wide::abs(half.value - quarter.value));
  const double radius = static_cast<double>(truncation) + whole.radius + half.radius + quarter.radius;
  EXPECT_LT(radius, h) << "the bound is blind: truncation is of order h^2";
  return {half.value, radius};
}

TEST_P(EveryOp, GradientIsTheFiniteDifference) {
  const Case& c = GetParam();
  const Points points = draw_inputs(c);
  const auto tape = evaluate(balls, c, points, Dtype::float64);
  for (std::size_t input = 0; input < points.size(); ++input)
    for (std::size_t element = 0; element < points[input].size(); ++element)
      EXPECT_TRUE(overlap(derivative(c, points, input, element), tape.gradient[input][element]))
          << "input " << input << " element " << element;
}

std::vector<KernelPolicy> policies() {
  std::vector<KernelPolicy> all{{}};
  for (const char* order :
       {"sequential", "reversed", "pairwise", "blocked(3)+fma", "lanes(4)+fma", "split_k(2)", "kahan"})
    all.push_back(policy_of({{"reduction", order}, {"matmul", "loops"}, {"tanh", "scalar"}, {"conv2d", "direct"}}));
  for (const char* path : {"winograd2", "winograd4"}) all.push_back(policy_of({{"conv2d", path}}));
  for (const char* inputs : {"tf32", "bfloat16"}) all.push_back(policy_of({{"matmul_inputs", inputs}}));
  return all;
}

template <class Value>
void expect_inside(const std::vector<Ball>& ball, const std::vector<Value>& numbers) {
  ASSERT_EQ(ball.size(), numbers.size());
  for (std::size_t i = 0; i < ball.size(); ++i) {
    EXPECT_TRUE(contains(ball[i], static_cast<double>(numbers[i]))) << i;
    EXPECT_LT(ball[i].radius, infinite_radius) << i;
  }
}

template <class A>
void expect_in_balls(const A& arithmetic, const Case& c, Dtype dtype) {
  const Points points = draw_inputs(c);
  for (const KernelPolicy& policy : policies()) {
    const auto held = evaluate(Balls<Wide>::rounding(dtype), c, points, dtype, policy);
    const auto run = evaluate(arithmetic, c, points, dtype, policy);
    expect_inside(held.value, run.value);
    for (std::size_t i = 0; i < points.size(); ++i) expect_inside(held.gradient[i], run.gradient[i]);
  }
}

TEST_P(EveryOp, FloatPathsLieInTheBall) {
  expect_in_balls(Plain<float>{}, GetParam(), Dtype::float32);
  expect_in_balls(Plain<double>{}, GetParam(), Dtype::float64);
  for (Dtype dtype : all_dtypes()) expect_in_balls(Emulated<double>{}, GetParam(), dtype);
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = fmt::to_string(info.index) + "_";
  for (char letter : info.param.name) name += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOp, testing::ValuesIn(all_cases()), test_name);

}  // namespace
}  // namespace microstep::testing_grad
