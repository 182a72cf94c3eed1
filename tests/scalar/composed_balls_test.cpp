// Rounding mode: whatever a machine computes through any composition stays in the ball of the same composition.
#include <gtest/gtest.h>

#include "microstep/scalar/balls.hpp"
#include "scalar/machine.hpp"
#include "scalar/numbers.hpp"

namespace microstep {
namespace {

using Arithmetic = Balls<Wide>;

struct Certified {
  Ball ball;
  double actual;
};

double lerp(const Machine& m, double a, double b, bool difference) {
  double kept = m.cast(0.9), taken = m.cast(1 - 0.9);
  if (difference) return m.fma(taken, m.subtract(b, a), a);
  return m.add(m.multiply(kept, a), m.multiply(taken, b));
}

Certified step(const Arithmetic& in, const Machine& m, const Certified& a, const Certified& b, std::int64_t which) {
  switch (which) {
    case 0:
      return {in.add(a.ball, b.ball), m.add(a.actual, b.actual)};
    case 1:
      return {in.subtract(a.ball, b.ball), m.subtract(a.actual, b.actual)};
    case 2:
      return {in.multiply(a.ball, b.ball), m.multiply(a.actual, b.actual)};
    case 3:
      return {in.divide(a.ball, b.ball), m.multiply(a.actual, m.reciprocal(b.actual))};
    case 4:
      return {in.square_root(in.square(a.ball)), m.square_root(m.multiply(a.actual, a.actual))};
    case 5:
      return {in.tanh(a.ball), m.tanh(a.actual)};
    case 6:
      return {in.exp(in.tanh(a.ball)), m.exp(m.tanh(a.actual))};
    case 7:
      return {in.mean_step(a.ball, b.ball, 3), m.fma(m.subtract(b.actual, a.actual), m.reciprocal(3), a.actual)};
    case 8:
      return {in.lerp(a.ball, b.ball, in.decay(0.9)), lerp(m, a.actual, b.actual, true)};
    case 9:
      return {in.lerp(a.ball, b.ball, in.decay(0.9)), lerp(m, a.actual, b.actual, false)};
    case 10:
      return {in.multiply(in.hyper(0.1), a.ball), m.multiply(m.cast(0.1), a.actual)};
    default:
      return {in.cast(Arithmetic::absolute(a.ball)), m.cast(std::fabs(a.actual))};
  }
}

Certified drawn(Numbers& numbers) {
  double x = numbers.middling();
  return {exactly(x), x};
}

using Setting = std::pair<Dtype, bool>;
class ComposedBalls : public testing::TestWithParam<Setting> {};

TEST_P(ComposedBalls, hold_what_the_machine_computes) {
  auto [dtype, flushes] = GetParam();
  Arithmetic in = Arithmetic::rounding(dtype, HyperPrecision::undeclared, flushes);
  Machine machine{dtype, flushes};
  Numbers numbers(dtype);
  std::array<Certified, 4> values;
  for (Certified& value : values) value = drawn(numbers);
  for (int i = 0; i < 200000; ++i) {
    std::int64_t which = numbers.below(12);
    Certified next = step(in, machine, values[numbers.below(4)], values[numbers.below(4)], which);
    ASSERT_TRUE(contains(next.ball, next.actual)) << "operation " << which << " at step " << i;
    bool useful = next.ball.radius < infinite_radius && std::isfinite(next.actual) && numbers.below(20) != 0;
    values[numbers.below(4)] = useful ? next : drawn(numbers);
  }
}

std::vector<Setting> every_setting() {
  std::vector<Setting> settings;
  for (Dtype dtype : all_dtypes())
    for (bool flushes : {false, true}) settings.emplace_back(dtype, flushes);
  return settings;
}

INSTANTIATE_TEST_SUITE_P(Dtypes, ComposedBalls, testing::ValuesIn(every_setting()), [](const auto& info) {
  return std::string(to_string(info.param.first)) + (info.param.second ? "_flushing" : "");
});

}  // namespace
}  // namespace microstep
