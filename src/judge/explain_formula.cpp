// Hypotheses on Adam's step from its own moments, and on schedules.
#include <algorithm>
#include <cmath>
#include <limits>

#include "clue.hpp"

namespace microstep {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// The moments after the microstep, the hyper-parameters, and the times at which the corrections are read.
struct Moments {
  Numbers mu, nu;
  double b1, b2, eps;

  /// 1 - b^t without what is lost by subtracting numbers near 1.
  static double correction(double b, double t) { return t == never ? 1 : t == 0 ? 0 : -std::expm1(t * std::log(b)); }
  /// Roundings of 1 - b^t, for its size: those of the power (the rule of pow_int), grown by the subtraction.
  static double roundings(double b, double t) {
    if (t == never || t <= 0) return 0;
    const double exponent = t * std::log(b);
    return std::max({4.0, 2 * t, 4 + 3 * std::fabs(exponent)}) * std::exp(exponent) / correction(b, t);
  }
  double roundings_at(double t1, double t2) const { return roundings(b1, t1) + roundings(b2, t2); }
  Numbers step(double t1, double t2, double eps_outside, double eps_inside) const {
    Numbers u;
    for (std::size_t i = 0; i < mu.size(); ++i)
      u.push_back(mu[i] / correction(b1, t1) / (std::sqrt(nu[i] / correction(b2, t2) + eps_inside) + eps_outside));
    return u;
  }
};

std::optional<std::int64_t> count_of(const Clue& clue, const Node& node) {
  if (node.counts.empty()) return std::nullopt;
  return clue.reading.rows().count(clue.row, node.counts[0]);
}

double decay_of(const Spec& adam) { return adam.op == "adamw" ? adam.number("weight_decay") : 0.0; }

/// What is left of an update, or a hypothesis, once the decoupled decay is taken out: proportional to the step.
bool explains_step(const Clue& clue, const Spec& adam, double t, const Numbers& right, const Numbers& wrong,
                   double roundings) {
  const double lr =
      adam.op == "scale_by_adam" ? 0 : schedule_value(adam.args.at("lr"), static_cast<std::int64_t>(t) - 1);
  Numbers hypothesis;
  for (std::size_t i = 0; i < right.size() && i < clue.expected.size(); ++i) {
    double decay = clue.params.empty() ? 0.0 : lr * decay_of(adam) * clue.params[i];
    hypothesis.push_back((clue.expected[i] + decay) * (wrong[i] / right[i]) - decay);
  }
  return explains(clue, hypothesis, roundings);
}

void tell_adam(const Clue& clue, const Node& node, Tellings& tellings) {
  const Spec& adam = *node.spec;
  auto mu = clue.slot("mu", clue.row), nu = clue.slot("nu", clue.row);
  auto count = count_of(clue, node);
  if (!mu || !nu || !count || *count < 1) return;
  const Moments m{*mu, *nu, adam.number("b1"), adam.number("b2"), adam.number("eps")};
  const auto t = static_cast<double>(*count);
  const Numbers right = m.step(t, t, m.eps, adam.number("eps_root"));
  auto is = [&](double t1, double t2, double eps_outside, double eps_inside) {
    return explains_step(clue, adam, t, right, m.step(t1, t2, eps_outside, eps_inside), m.roundings_at(t1, t2));
  };
  const std::pair<const char*, double> times[] = {
      {"never", never}, {"before", t - 1}, {"behind", t + 1}, {"once", 1.0}, {"micro", static_cast<double>(clue.row)}};
  for (const auto& [name, time] : times) {
    if (time == t) continue;
    tell(tellings, is(time, time, m.eps, 0), "time-index", std::string(name) + ", both");
    tell(tellings, is(time, t, m.eps, 0), "time-index", std::string(name) + ", mu");
  }
  const double complement = std::log(Moments::correction(m.b1, t)) / std::log(m.b1);
  tell(tellings, is(complement, t, m.eps, 0), "time-index", "complement");
  tell(tellings, is(t, t, 0, m.eps), "eps", "inside");
  tell(tellings, is(t, t, 0, m.eps * m.eps), "eps", "square inside");
  tell(tellings, is(t, t, m.eps / std::sqrt(Moments::correction(m.b2, t)), 0), "eps", "scaled");
}

void tell_correction(const Clue& clue, const Node& node, Tellings& tellings) {
  auto count = count_of(clue, node);
  if (!count) return;
  const bool second = clue.path().find("/nu/") != std::string::npos;
  const double b = node.spec->number(node.spec->op == "ema" ? "decay" : second ? "b2" : "b1");
  const double correction = Moments::correction(b, static_cast<double>(*count));
  tell(tellings, explains_factor(clue, correction), "time-index", "times the correction");
  tell(tellings, explains_factor(clue, 1 / correction), "time-index", "by the correction");
}

const Value* schedule_of(const Spec& spec) {
  if (spec.op == "scale_by_schedule") return &spec.args.at("schedule");
  if (spec.args.contains("lr") && spec.is_list("lr")) return &spec.args.at("lr");
  for (const Spec& inner : spec.of)
    if (const Value* found = schedule_of(inner)) return found;
  return nullptr;
}

/// Read at another step than the window's. Where 0 was due, any value may be that of the update.
void tell_schedule(const Clue& clue, Tellings& tellings) {
  const Value* schedule = schedule_of(clue.reading.plan().spec);
  if (!schedule) return;
  const std::int64_t due = std::max<std::int64_t>(clue.reading.window_of(clue.row) - 1, 0);
  const std::pair<const char*, std::int64_t> steps[] = {{"microsteps", clue.row - 1},
                                                        {"microsteps, from 1", clue.row},
                                                        {"one early", due + 1},
                                                        {"one late", due - 1},
                                                        {"stretched", due / clue.reading.window_length(clue.row)}};
  const double right = schedule_value(*schedule, due);
  for (const auto& [name, step] : steps) {
    const double other = schedule_value(*schedule, std::max<std::int64_t>(step, 0));
    if (other != right) tell(tellings, right == 0 || explains_factor(clue, other / right), "schedule-count", name);
  }
}

Tellings tellings_of(const Clue& clue) {
  Tellings tellings;
  if (clue.is_update()) tell_schedule(clue, tellings);
  if (const Node* adam = clue.adam(); adam && clue.is_update()) tell_adam(clue, *adam, tellings);
  for (const Node* node : {clue.adam(), clue.node("ema")})
    if (node) tell_correction(clue, *node, tellings);
  return tellings;
}

}  // namespace

void explain_formula(const Clue& clue, Causes& causes) {
  for (const Telling& telling : consistent(clue, tellings_of)) add_cause(causes, true, telling.cause);
}

}  // namespace microstep
