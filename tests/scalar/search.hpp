#pragma once
// The adversary: draws operands inside input balls, evaluates every variant of an operation on a machine and climbs
// towards the largest share of the radius. A share above 1 refutes the rule.
#include <functional>
#include <string>
#include <vector>

#include "microstep/scalar/balls.hpp"
#include "scalar/machine.hpp"
#include "scalar/numbers.hpp"

namespace microstep {

/// Actual operands x, each in the ball around centre x + shift * radius; b, t (also the n of a mean) are parameters.
struct Attempt {
  double x[2] = {0, 0};
  double shift[2] = {0, 0};
  double radius[2] = {0, 0};
  double b = 0.5;
  std::int64_t t = 1;

  Ball ball(int operand) const;
};

/// The operand's ball in the arithmetic's own centre, no smaller.
template <class C>
BasicBall<C> operand(const Balls<C>&, const Attempt& attempt, int i) {
  const Ball wide_one = attempt.ball(i);
  const C value = static_cast<C>(wide_one.value);
  const double lost = static_cast<double>(wide::abs(wide::widened(value) - wide_one.value));
  return {value, wide_one.radius + lost * (1 + 0x1p-40)};
}

struct BallRule {
  std::string name;
  int operands;
  /// With the centre in binary128 and in double.
  std::function<Ball(const Balls<Wide>&, const Attempt&)> ball;
  std::function<Ball(const Balls<double>&, const Attempt&)> narrow;
  std::function<std::vector<double>(const Machine&, const Attempt&)> variants;
  /// Operands that the rule does not promise anything for are skipped.
  std::function<bool(const Attempt&)> admits = [](const Attempt&) { return true; };
};

/// form: (arithmetic, attempt) -> its ball, for both centres.
template <class Form>
void set_ball(BallRule& rule, const Form& form) {
  rule.ball = [form](const Balls<Wide>& in, const Attempt& a) { return form(in, a); };
  rule.narrow = [form](const Balls<double>& in, const Attempt& a) { return Balls<double>::number(form(in, a)); };
}

struct Worst {
  double share = 0;
  Attempt attempt;
};

struct Setting {
  Dtype dtype = Dtype::float32;
  HyperPrecision precision = HyperPrecision::undeclared;
  bool flushes = false;
  /// Radii of the input balls are drawn too, else they are 0.
  bool inside = false;
  /// The centre is a double, for dtypes up to float32.
  bool narrow = false;
};

/// The largest share of the radius over `tries` draws and a climb from each of the best.
Worst attack(const BallRule& rule, const Setting& setting, int tries);
/// Bits of all operands, for a failure message.
std::string describe(const BallRule& rule, const Setting& setting, const Worst& worst);

}  // namespace microstep
