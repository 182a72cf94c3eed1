// Adam's step in every form that libraries have, in and outside of the range where the forms are exact.
#include "microstep/scalar/bias_correct.hpp"

#include <gtest/gtest.h>

#include "scalar/search.hpp"

namespace microstep {
namespace {

using Arithmetic = Balls<Wide>;
using Results = std::vector<double>;

// b1 and b2 of an attempt, its eps and its step: powers of two and others.
struct Hypers {
  explicit Hypers(const Attempt& a) : b1(a.b), b2((1 + a.b) / 2) {
    const double all_eps[] = {0, 1e-8, 0x1p-10, 1e-3};
    const double steps[] = {-0.5, -1, -0.1, -0.001};
    eps = all_eps[a.t % 4];
    step = steps[a.t / 4 % 4];
  }
  double b1, b2, eps, step;
};

template <class C>
BasicBall<C> stepped_ball(const Balls<C>& in, const Attempt& a) {
  const Hypers h(a);
  const BiasCorrection<BasicBall<C>> correction{in.one_minus_power(h.b1, a.t), in.one_minus_power(h.b2, a.t),
                                                in.hyper(h.eps), in.hyper(0)};
  return bias_correct_step(in, correction, in.hyper(h.step), operand(in, a, 0), operand(in, a, 1));
}

Results forms(const Machine& m, const Attempt& a) {
  const Hypers h(a);
  const double t = static_cast<double>(a.t), mu = a.x[0], nu = a.x[1];
  const double c1 = m.cast(1 - std::pow(h.b1, t)), c2 = m.cast(1 - std::pow(h.b2, t));
  const double eps = m.cast(h.eps), step = m.cast(h.step), size = m.divide(step, c1);
  const double corrected = m.add(m.square_root(m.divide(nu, c2)), eps);
  const double by_root = m.add(m.divide(m.square_root(nu), m.square_root(c2)), eps);
  const double folded = m.divide(m.multiply(step, m.square_root(c2)), c1);
  const double eps_hat = m.add(m.square_root(nu), m.multiply(eps, m.square_root(c2)));
  Results all{m.multiply(step, m.divide(m.divide(mu, c1), corrected)), m.divide(m.multiply(folded, mu), eps_hat)};
  for (double denominator : {corrected, by_root}) {
    all.push_back(m.multiply(size, m.divide(mu, denominator)));
    all.push_back(m.divide(m.multiply(size, mu), denominator));
  }
  return all;
}

BallRule rule() {
  BallRule made{"bias_correct", 2, {}, {}, forms, [](const Attempt& a) { return !(a.x[1] < 0) && a.t < 2000; }};
  set_ball(made, [](const auto& in, const Attempt& a) { return stepped_ball(in, a); });
  return made;
}

class BiasCorrect : public testing::TestWithParam<Dtype> {};

TEST_P(BiasCorrect, HoldsEveryForm) {
  for (bool flushes : {false, true})
    for (bool inside : {false, true})
      for (bool narrow : {false, GetParam() != Dtype::float64}) {
        const Setting setting{GetParam(), HyperPrecision::float64, flushes, inside, narrow};
        const Worst worst = attack(rule(), setting, 20000);
        EXPECT_LE(worst.share, 1) << describe(rule(), setting, worst);
        EXPECT_GT(worst.share, 0) << "the adversary saw nothing";
      }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, BiasCorrect, testing::ValuesIn(all_dtypes().begin(), all_dtypes().end()),
                         [](const auto& info) { return std::string(to_string(info.param)); });

const auto floats = Arithmetic::rounding(Dtype::float32, HyperPrecision::float64);

Ball step_of(double mu, double nu, double c1, double c2) {
  return bias_correct_step(floats, {exactly(c1), exactly(c2), exactly(0), exactly(0)}, exactly(-0.5), exactly(mu),
                           exactly(nu));
}

// g = 3.5, b1 = b2 = 0.5: mu/c1 = 3.5 and sqrt(nu/c2) = 3.5, but sqrt(nu)/sqrt(c2) takes two inexact roots.
TEST(BiasCorrect, HasRoomWhereAFormRounds) {
  const Ball ball = step_of(1.75, 6.125, 0.5, 0.5);
  EXPECT_EQ(ball.value, -0.5);
  const float root_nu = std::sqrt(6.125F), root_c2 = std::sqrt(0.5F);
  const float torch = -1.0F * (1.75F / (root_nu / root_c2));
  EXPECT_NE(torch, -0.5F) << "this form does round";
  EXPECT_TRUE(contains(ball, torch));
}

// c2 = 1/4 and nu = 1/4: every root is exact, and so is every quotient.
TEST(BiasCorrect, HasNoRoomWhereEveryFormIsExact) { EXPECT_EQ(step_of(0.5, 0.25, 0.5, 0.25).radius, 0); }

TEST(BiasCorrect, OfNoGradientIsExactlyZero) {
  const Ball ball = step_of(0, 0.25, 0.75, 0.875);
  EXPECT_EQ(ball.value, 0);
  EXPECT_EQ(ball.radius, 0);
}

// sqrt(nu) + eps is at least eps, whatever nu's ball says below 0: |step| is at most mu/eps.
TEST(BiasCorrect, IsBoundedByEpsWhereNuMayBeZero) {
  const Ball nu{Wide(0x1p-24), 0x1p-23};
  const auto half = Arithmetic::rounding(Dtype::float16, HyperPrecision::float64);
  const Ball ball = bias_correct_step(half, {exactly(0.5), exactly(0.5), exactly(0x1p-9), exactly(0)}, exactly(-0.5),
                                      exactly(0x1p-9), nu);
  EXPECT_LT(ball.radius, 4);
  EXPECT_TRUE(contains(ball, -0.5 * 2)) << "nu = 0";
}

}  // namespace
}  // namespace microstep
