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

  static double power(double b, double t) { return t == never ? 0.0 : std::pow(b, t); }
  Numbers step(double t1, double t2, double eps_outside, double eps_inside) const {
    Numbers u;
    for (std::size_t i = 0; i < mu.size(); ++i)
      u.push_back(mu[i] / (1 - power(b1, t1)) / (std::sqrt(nu[i] / (1 - power(b2, t2)) + eps_inside) + eps_outside));
    return u;
  }
};

std::optional<std::int64_t> count_of(const Clue& clue, std::string_view op) {
  const Reading& reading = clue.reading;
  for (const Node& node : reading.nodes())
    if (node.spec->op.starts_with(op) && !node.counts.empty()) return reading.rows().count(clue.row, node.counts[0]);
  return std::nullopt;
}

double decay_of(const Spec& adam) { return adam.op == "adamw" ? adam.number("weight_decay") : 0.0; }

/// What is left of an update, or a hypothesis, once the decoupled decay is taken out: proportional to the step.
bool explains_step(const Clue& clue, const Spec& adam, double t, const Numbers& right, const Numbers& wrong) {
  const double lr =
      adam.op == "scale_by_adam" ? 0 : schedule_value(adam.args.at("lr"), static_cast<std::int64_t>(t) - 1);
  Numbers hypothesis;
  for (std::size_t i = 0; i < right.size() && i < clue.expected.size(); ++i) {
    double decay = clue.params.empty() ? 0.0 : lr * decay_of(adam) * clue.params[i];
    hypothesis.push_back((clue.expected[i] + decay) * (wrong[i] / right[i]) - decay);
  }
  return explains(clue, hypothesis);
}

void explain_adam(const Clue& clue, const Spec& adam, Causes& causes) {
  auto mu = clue.slot("mu", clue.row), nu = clue.slot("nu", clue.row);
  auto count = count_of(clue, adam.op);
  if (!mu || !nu || !count || *count < 1) return;
  const Moments m{*mu, *nu, adam.number("b1"), adam.number("b2"), adam.number("eps")};
  const auto t = static_cast<double>(*count);
  const Numbers right = m.step(t, t, m.eps, adam.number("eps_root"));
  auto is = [&](const Numbers& wrong) { return explains_step(clue, adam, t, right, wrong); };
  const auto micro = static_cast<double>(clue.row);
  for (double time : {never, t - 1, t + 1, 1.0, micro}) {
    add_cause(causes, time != t && is(m.step(time, time, m.eps, 0)), "time-index");
    add_cause(causes, time != t && is(m.step(time, t, m.eps, 0)), "time-index");
  }
  const double complement = std::log(1 - Moments::power(m.b1, t)) / std::log(m.b1);
  add_cause(causes, is(m.step(complement, t, m.eps, 0)), "time-index");
  add_cause(causes, is(m.step(t, t, 0, m.eps)) || is(m.step(t, t, 0, m.eps * m.eps)), "eps");
  add_cause(causes, is(m.step(t, t, m.eps / std::sqrt(1 - Moments::power(m.b2, t)), 0)), "eps");
}

const Value* schedule_of(const Spec& spec) {
  if (spec.op == "scale_by_schedule") return &spec.args.at("schedule");
  if (spec.args.contains("lr") && spec.is_list("lr")) return &spec.args.at("lr");
  for (const Spec& inner : spec.of)
    if (const Value* found = schedule_of(inner)) return found;
  return nullptr;
}

/// Another value of the schedule than the one that was due.
void explain_schedule(const Clue& clue, Causes& causes) {
  const Value* schedule = schedule_of(clue.reading.plan().spec);
  if (!schedule || !clue.is_update()) return;
  const std::int64_t due = std::max<std::int64_t>(clue.reading.window_of(clue.row) - 1, 0);
  const double right = schedule_value(*schedule, due);
  for (std::int64_t step = 0; step <= clue.row; ++step) {
    const double other = schedule_value(*schedule, step);
    if (other != right) add_cause(causes, right != 0 && explains_factor(clue, other / right), "schedule-count");
  }
  add_cause(causes, right == 0, "schedule-count");
}

}  // namespace

void explain_formula(const Clue& clue, Causes& causes) {
  const Spec& spec = clue.reading.plan().spec;
  explain_schedule(clue, causes);
  if (const Spec* adam = find_op(spec, "adam"); adam && clue.is_update()) explain_adam(clue, *adam, causes);
  if (const Spec* adam = find_op(spec, "scale_by_adam"); adam && clue.is_update()) explain_adam(clue, *adam, causes);
  for (const char* op : {"adam", "scale_by_adam", "ema"}) {
    const Spec* found = find_op(spec, op);
    auto count = count_of(clue, op);
    if (!found || !count) continue;
    const bool second = clue.path().find("/nu/") != std::string::npos;
    const double b = found->number(found->op == "ema" ? "decay" : second ? "b2" : "b1");
    const double correction = 1 - std::pow(b, static_cast<double>(*count));
    add_cause(causes, explains_factor(clue, correction) || explains_factor(clue, 1 / correction), "time-index");
  }
}

}  // namespace microstep
