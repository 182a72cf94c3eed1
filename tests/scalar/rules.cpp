#include "scalar/rules.hpp"

#include <Eigen/Core>
#include <algorithm>

namespace microstep {
namespace {

using Results = std::vector<double>;

bool is_not_negative(const Attempt& a) { return !(a.x[0] < 0); }

double eigen_tanh(double x) {
  Eigen::Array<float, 8, 1> many = Eigen::Array<float, 8, 1>::Constant(static_cast<float>(x));
  return many.tanh()[0];
}

Results tanh_variants(const Machine& m, const Attempt& a) {
  Results results = {m.tanh(a.x[0])};
  if (m.dtype == Dtype::float32 && !m.flushes) results.push_back(eigen_tanh(a.x[0]));
  return results;
}

template <class Form>
NamedRule unary(const char* name, const Form& ball, double (Machine::*real)(double) const, bool tight) {
  NamedRule named{{name, 1, {}, {}, [real](const Machine& m, const Attempt& a) { return Results{(m.*real)(a.x[0])}; }},
                  tight};
  set_ball(named.rule, [ball](const auto& in, const Attempt& a) { return ball(in, operand(in, a, 0)); });
  return named;
}

template <class Form>
NamedRule binary(const char* name, const Form& ball, double (Machine::*real)(double, double) const) {
  NamedRule named{
      {name, 2, {}, {}, [real](const Machine& m, const Attempt& a) { return Results{(m.*real)(a.x[0], a.x[1])}; }},
      true};
  set_ball(named.rule,
           [ball](const auto& in, const Attempt& a) { return ball(in, operand(in, a, 0), operand(in, a, 1)); });
  return named;
}

NamedRule division() {
  NamedRule rule = binary(
      "divide", [](const auto& in, const auto& x, const auto& y) { return in.divide(x, y); }, &Machine::divide);
  rule.rule.variants = [](const Machine& m, const Attempt& a) {
    return Results{m.divide(a.x[0], a.x[1]), m.multiply(a.x[0], m.reciprocal(a.x[1])),
                   m.multiply(m.reciprocal(a.x[1]), a.x[0])};
  };
  return rule;
}

NamedRule square() {
  NamedRule rule = unary(
      "square", [](const auto& in, const auto& x) { return in.square(x); }, &Machine::cast, true);
  rule.rule.variants = [](const Machine& m, const Attempt& a) {
    return Results{m.multiply(a.x[0], a.x[0]), m.power(a.x[0], 2)};
  };
  return rule;
}

/// Stores a value that the dtype does not hold in a leaf.
NamedRule cast() {
  NamedRule rule = unary(
      "cast", [](const auto& in, const auto& x) { return in.cast(x); }, &Machine::cast, true);
  auto wider = [](const Attempt& a) { return Wide(a.x[0]) * (1 + Wide(a.b) / 64); };
  // A double centre that does not hold it has the rest as its radius.
  set_ball(rule.rule, [wider]<class C>(const Balls<C>& in, const Attempt& a) {
    const C value = static_cast<C>(wider(a));
    const double lost = static_cast<double>(wide::abs(wide::widened(value) - wider(a)));
    return in.cast({value, lost * (1 + 0x1p-40)});
  });
  rule.rule.variants = [wider](const Machine& m, const Attempt& a) {
    return Results{m.flushed(static_cast<double>(round_to(m.dtype, wider(a))))};
  };
  return rule;
}

std::vector<Dtype> precisions_of(HyperPrecision precision, Dtype leaf) {
  switch (precision) {
    case HyperPrecision::leaf:
      return {leaf};
    case HyperPrecision::float32:
      return {Dtype::float32};
    case HyperPrecision::float64:
      return {Dtype::float64};
    default:
      return leaf == Dtype::float64 ? std::vector{leaf} : std::vector{leaf, Dtype::float32, Dtype::float64};
  }
}

double repeated(const Machine& m, double b, std::int64_t t) {
  double result = b;
  for (std::int64_t i = 1; i < t; ++i) result = m.multiply(result, b);
  return result;
}

double by_squaring(const Machine& m, double b, std::int64_t t) {
  double result = 1;
  for (; t > 0; t >>= 1, b = m.multiply(b, b))
    if (t & 1) result = m.multiply(result, b);
  return result;
}

Results powers(const Machine& m, double b, std::int64_t t) {
  double steps = m.cast(static_cast<double>(t));
  Results results = {repeated(m, b, t), by_squaring(m, b, t), m.power(b, steps)};
  bool exact = is_representable(m.dtype, static_cast<Wide>(std::pow(static_cast<long double>(b), steps)));
  if (!exact) results.push_back(m.exp(m.multiply(steps, m.log(b))));
  return results;
}

Results lerps(const Machine& m, const Attempt& a, double kept, double taken) {
  double difference = m.subtract(a.x[1], a.x[0]);
  double product = m.multiply(taken, a.x[1]);
  return {m.add(m.multiply(kept, a.x[0]), product), m.fma(kept, a.x[0], product),
          m.fma(taken, a.x[1], m.multiply(kept, a.x[0])), m.add(a.x[0], m.multiply(taken, difference)),
          m.fma(taken, difference, a.x[0])};
}

}  // namespace

std::vector<NamedRule> elementary_rules() {
  std::vector<NamedRule> rules = {
      binary(
          "add", [](const auto& in, const auto& x, const auto& y) { return in.add(x, y); }, &Machine::add),
      binary(
          "subtract", [](const auto& in, const auto& x, const auto& y) { return in.subtract(x, y); },
          &Machine::subtract),
      binary(
          "multiply", [](const auto& in, const auto& x, const auto& y) { return in.multiply(x, y); },
          &Machine::multiply),
      division(),
      square(),
      cast(),
      unary(
          "square_root", [](const auto& in, const auto& x) { return in.square_root(x); }, &Machine::square_root, true),
      unary(
          "exp", [](const auto& in, const auto& x) { return in.exp(x); }, &Machine::exp, false),
      unary(
          "log", [](const auto& in, const auto& x) { return in.log(x); }, &Machine::log, false),
      unary(
          "tanh", [](const auto& in, const auto& x) { return in.tanh(x); }, &Machine::tanh, false),
  };
  for (NamedRule& named : rules) {
    if (named.rule.name == "square_root") named.rule.admits = is_not_negative;
    if (named.rule.name == "tanh") named.rule.variants = tanh_variants;
  }
  return rules;
}

BallRule mean_step_rule(std::int64_t scale) {
  BallRule rule{"mean_step", 2, {}, {}, [scale](const Machine& m, const Attempt& a) {
                  double difference = m.subtract(a.x[1], a.x[0]), given = static_cast<double>(a.t * scale);
                  double n = m.cast(given), inverse = m.reciprocal(n);
                  return Results{m.add(a.x[0], m.divide(difference, n)), m.add(m.multiply(difference, inverse), a.x[0]),
                                 m.fma(difference, inverse, a.x[0])};
                }};
  set_ball(rule, [scale](const auto& in, const Attempt& a) {
    return in.mean_step(operand(in, a, 0), operand(in, a, 1), a.t * scale);
  });
  return rule;
}

BallRule lerp_rule(HyperPrecision precision) {
  BallRule rule{"lerp", 2, {}, {}, [precision](const Machine& m, const Attempt& a) {
                  Results all;
                  for (Dtype formed : precisions_of(precision, m.dtype)) {
                    double taken = m.cast(Machine{formed}.subtract(1, round_to(formed, a.b)));
                    for (double result : lerps(m, a, m.cast(a.b), taken)) all.push_back(result);
                  }
                  return all;
                }};
  set_ball(rule, [](const auto& in, const Attempt& a) {
    return in.lerp(operand(in, a, 0), operand(in, a, 1), in.decay(a.b));
  });
  return rule;
}

BallRule one_minus_power_rule(HyperPrecision precision) {
  BallRule rule{"one_minus_power", 0, {}, {}, [precision](const Machine& m, const Attempt& a) {
                  Results all;
                  for (Dtype formed : precisions_of(precision, m.dtype)) {
                    Machine host{formed};
                    for (double power : powers(host, round_to(formed, a.b), a.t))
                      all.push_back(m.cast(host.subtract(1, power)));
                  }
                  return all;
                }};
  set_ball(rule, [](const auto& in, const Attempt& a) { return in.one_minus_power(a.b, a.t); });
  return rule;
}

}  // namespace microstep
