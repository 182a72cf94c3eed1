// Semantics mode: centres are right to a few 2^-113, and through any composition the exact value stays in its ball.
#include <gtest/gtest.h>

#include "microstep/scalar/balls.hpp"
#include "scalar/exact_real.hpp"
#include "scalar/numbers.hpp"

namespace microstep {
namespace {

using Arithmetic = Balls<Wide>;

const Arithmetic meaning = Arithmetic::semantics(Dtype::float64);

struct Certified {
  Ball ball;
  Real exact;
};

struct Step {
  const char* name;
  double units;
  Ball (*ball)(const Ball&, const Ball&);
  Real (*exact)(const Real&, const Real&);
};

Ball positive(const Ball& x) { return meaning.add(meaning.square(x), exactly(0.125)); }
Real positive(const Real& x) { return x * x + Real(0.125); }
Ball small(const Ball& x) { return meaning.divide(x, meaning.add(exactly(1), meaning.square(x))); }
Real small(const Real& x) { return x / (1 + x * x); }

/// units: of 2^-113 of the result, for operands of radius 0; 0 where the step is itself composed.
const Step steps[] = {
    {"add", 1, [](const Ball& a, const Ball& b) { return meaning.add(a, b); },
     [](const Real& a, const Real& b) -> Real { return a + b; }},
    {"subtract", 1, [](const Ball& a, const Ball& b) { return meaning.subtract(a, b); },
     [](const Real& a, const Real& b) -> Real { return a - b; }},
    {"multiply", 1, [](const Ball& a, const Ball& b) { return meaning.multiply(a, b); },
     [](const Real& a, const Real& b) -> Real { return a * b; }},
    {"divide", 2, [](const Ball& a, const Ball& b) { return meaning.divide(a, positive(b)); },
     [](const Real& a, const Real& b) -> Real { return a / positive(b); }},
    {"square", 1, [](const Ball& a, const Ball&) { return meaning.square(a); },
     [](const Real& a, const Real&) -> Real { return a * a; }},
    {"square_root", 2, [](const Ball& a, const Ball&) { return meaning.square_root(positive(a)); },
     [](const Real& a, const Real&) -> Real { return sqrt(positive(a)); }},
    {"exp", 8, [](const Ball& a, const Ball&) { return meaning.exp(small(a)); },
     [](const Real& a, const Real&) -> Real { return exp(small(a)); }},
    {"log", 8, [](const Ball& a, const Ball&) { return meaning.log(positive(a)); },
     [](const Real& a, const Real&) -> Real { return log(positive(a)); }},
    {"tanh", 8, [](const Ball& a, const Ball&) { return meaning.tanh(a); },
     [](const Real& a, const Real&) -> Real { return tanh(a); }},
    {"maximum", 0, [](const Ball& a, const Ball& b) { return Arithmetic::maximum(a, b); },
     [](const Real& a, const Real& b) -> Real { return a < b ? b : a; }},
    {"select", 0, [](const Ball& a, const Ball& b) { return Arithmetic::select(Truth::unsure, a, b); },
     [](const Real& a, const Real&) -> Real { return a; }},
    {"mean_step", 0, [](const Ball& a, const Ball& b) { return meaning.mean_step(a, b, 3); },
     [](const Real& a, const Real& b) -> Real { return a + (b - a) / 3; }},
    {"lerp", 0, [](const Ball& a, const Ball& b) { return meaning.lerp(a, b, meaning.decay(0.9)); },
     [](const Real& a, const Real& b) -> Real { return Real(0.9) * a + (1 - Real(0.9)) * b; }},
    {"absolute", 0, [](const Ball& a, const Ball&) { return Arithmetic::absolute(a); },
     [](const Real& a, const Real&) -> Real { return abs(a); }},
    {"cast", 0, [](const Ball& a, const Ball&) { return meaning.cast(a); },
     [](const Real& a, const Real&) -> Real { return a; }},
};

Certified drawn(Numbers& numbers) {
  double x = numbers.middling();
  if (numbers.below(2) != 0) return {exactly(x), Real(x)};
  double radius = std::ldexp(numbers.uniform(), -20 - static_cast<int>(numbers.below(90)));
  double shift = numbers.below(2) != 0 ? 1 : 2 * numbers.uniform() - 1;
  return {{Wide(x), radius}, Real(x) - Real(shift) * Real(radius)};
}

/// Large, unbounded and useless balls are drawn anew, so that a composition never gets stuck.
bool is_middling(const Certified& x) {
  return x.ball.radius < 0.5 && wide::abs(x.ball.value) < 1e6 && wide::abs(x.ball.value) > 1e-6;
}

TEST(Semantics, the_exact_value_stays_in_its_ball_through_any_composition) {
  Numbers numbers(Dtype::float64);
  std::array<Certified, 4> values;
  for (Certified& value : values) value = drawn(numbers);
  for (int i = 0; i < 100000; ++i) {
    const Step& step = steps[numbers.below(std::ssize(steps))];
    const Certified &a = values[numbers.below(4)], &b = values[numbers.below(4)];
    Certified next{step.ball(a.ball, b.ball), step.exact(a.exact, b.exact)};
    ASSERT_TRUE(holds(next.ball, next.exact)) << step.name << " at step " << i;
    values[numbers.below(4)] = is_middling(next) ? next : drawn(numbers);
  }
}

// Operands of 30 bits in [1/4, 4], so that positive() and small() of them are exact but for one division.
TEST(Semantics, centres_are_right_to_the_units_of_their_rule) {
  Numbers numbers(Dtype::float64);
  for (int i = 0; i < 20000; ++i) {
    double a = round_to(Dtype::float32, numbers.middling() / 4), b = round_to(Dtype::float32, numbers.middling() / 4);
    for (const Step& step : steps) {
      if (step.units == 0 || std::string_view(step.name) == "exp") continue;
      Ball ball = step.ball(exactly(a), exactly(b));
      Real exact = step.exact(Real(a), Real(b));
      ASSERT_TRUE(holds(ball, exact)) << step.name << ' ' << a << ' ' << b;
      Real allowed = abs(exact) * Real(step.units * 0x1p-113) * (1 + Real(0x1p-40)) + Real(0x1p-1060);
      ASSERT_LE(Real(ball.radius), allowed) << step.name << ' ' << a << ' ' << b;
    }
  }
}

TEST(Semantics, exponentials_of_doubles_are_right_to_eight_units) {
  Numbers numbers(Dtype::float64);
  for (int i = 0; i < 20000; ++i) {
    double a = numbers.middling() * (1 + numbers.uniform());
    Real exact = exp(Real(a));
    Ball ball = meaning.exp(exactly(a));
    ASSERT_TRUE(holds(ball, exact)) << a;
    ASSERT_LE(Real(ball.radius), exact * Real(8 * 0x1p-113) * (1 + Real(0x1p-40))) << a;
  }
}

TEST(Semantics, bias_corrections_are_right) {
  for (double b : {0.9, 0.999, 0.5, 0.0, 0.1, 1e-30})
    for (std::int64_t t : {1, 2, 3, 10, 1000, 12345}) {
      Ball ball = meaning.one_minus_power(b, t);
      EXPECT_TRUE(holds(ball, 1 - pow(Real(b), t))) << b << ' ' << t;
      EXPECT_LE(ball.radius, static_cast<double>(2 * t) * 0x1p-113) << b << ' ' << t;
    }
  for (double b : {0.9, 0.1, 1e-30})
    EXPECT_TRUE(holds(meaning.decay(b).taken, 1 - Real(b)) && meaning.decay(b).kept.radius == 0) << b;
}

}  // namespace
}  // namespace microstep
