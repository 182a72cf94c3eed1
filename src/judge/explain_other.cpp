// Hypotheses on decay, single leaves, hyper-parameters and precision.
#include <algorithm>
#include <cmath>

#include "clue.hpp"

namespace microstep {
namespace {

/// How far rounding may move it.
struct Multiple {
  double value = 0, room = 0;
};

/// expected + c direction with one c for the whole column; none where no c explains it.
std::optional<Multiple> common_multiple(const Clue& clue, const Numbers& direction) {
  Multiple c;
  double largest = 0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    if (!clue.outside[i] || !(std::fabs(direction[i]) > largest)) continue;
    largest = std::fabs(direction[i]);
    c = {(clue.observed[i] - clue.expected[i]) / direction[i], room_of(clue, i, clue.observed[i]) / largest};
  }
  Numbers hypothesis;
  for (std::size_t i = 0; i < direction.size(); ++i) hypothesis.push_back(clue.expected[i] + c.value * direction[i]);
  if (c.value == 0 || !explains(clue, hypothesis)) return std::nullopt;
  return c;
}

/// In size.
bool is_about(const Multiple& c, double known) { return std::fabs(std::fabs(c.value) - known) <= c.room; }

bool all_of(const Numbers& numbers, double value) {
  for (double x : numbers)
    if (x != value) return false;
  return true;
}

const Column* leaf_column(const Reading& reading, std::size_t leaf) {
  if (leaf >= reading.params().size()) return nullptr;
  return &reading.rows().schema().columns()[reading.params()[leaf]];
}

/// How many leaves of the updates are outside of their balls in that row.
std::size_t leaves_outside(const Clue& clue) {
  BallCheck check(clue.reading);
  std::size_t count = 0;
  for (std::size_t column : clue.reading.updates()) count += check.first_outside(clue.row, column).has_value();
  return count;
}

bool has_empty_leaf(const Reading& reading) {
  for (std::size_t leaf = 0; leaf < reading.params().size(); ++leaf)
    if (leaf_column(reading, leaf)->size == 0) return true;
  return false;
}

bool gradient_is_missing(const Clue& clue) {
  auto column = clue.reading.rows().schema().find_column("gradients/" + clue.leaf);
  for (std::int64_t row = clue.reading.first_row_of_window(clue.row); column && row <= clue.row; ++row)
    if (row > 0 && clue.reading.rows().presence(row, *column) == Presence::absent) return true;
  return false;
}

bool is_rounded_to(const Clue& clue, Dtype dtype) {
  const double u = facts(dtype).unit_roundoff;
  for (std::size_t i = 0; i < clue.observed.size(); ++i) {
    if (!is_representable(dtype, Wide(clue.observed[i]))) return false;
    if (!(std::fabs(clue.observed[i] - clue.expected[i]) <= u * std::fabs(clue.expected[i]))) return false;
  }
  return true;
}

double cut_to(Dtype dtype, double x) {
  double rounded = round_to(dtype, x);
  return rounded > x ? x - std::fmod(x, facts(dtype).unit_roundoff) : rounded;
}

/// A factor of one minus the hyper-parameter, as the first step of a moment shows it.
void explain_decay_rate(const Clue& clue, double b, Causes& causes) {
  for (double other : {round_to(Dtype::float32, b), round_to(Dtype::bfloat16, b), cut_to(Dtype::bfloat16, b)})
    add_cause(causes, other != b && explains_factor(clue, (1 - other) / (1 - b)), "dtype");
}

void explain_scale(const Clue& clue, const Spec& spec, Causes& causes) {
  if (spec.op == "scale") {
    const double factor = spec.number("factor");
    bool twice =
        std::fabs(factor) != 1 && factor != 0 && (explains_factor(clue, factor) || explains_factor(clue, 1 / factor));
    add_cause(causes, twice, "clip-place");
  }
  for (const Spec& inner : spec.of) explain_scale(clue, inner, causes);
}

}  // namespace

bool is_multiple_of_params(const Clue& clue) {
  const auto told = clue.params.size() - static_cast<std::size_t>(std::ranges::count(clue.params, 0.0));
  return told > 1 && clue.params.size() == clue.observed.size() && common_multiple(clue, clue.params);
}

namespace {

/// So many times the decay that is due, beyond what is due: none, twice, once a microbatch, its sign turned, or without
/// its learning rate. Any other is another weight_decay.
bool is_other_form(const Clue& clue, const Spec& adamw, const Multiple& c) {
  const double wd = adamw.number("weight_decay");
  if (clue.path().starts_with("state/") || wd == 0) return true;
  const double microbatches = static_cast<double>(clue.gradients.size());
  for (std::int64_t step = 0; step < clue.row; ++step) {
    const double lr = schedule_value(adamw.args.at("lr"), step), times = -c.value / (lr * wd);
    for (double known : {-2.0, -1.0, 1.0, microbatches - 1, 1 / lr, 1 / lr - 1})
      if (std::fabs(times - known) <= c.room / (lr * wd)) return true;
  }
  return false;
}

}  // namespace

void explain_decay(const Clue& clue, Causes& causes) {
  const Node* decaying = clue.node("adamw");
  const Spec* link = find_op(clue.reading.plan().spec, "add_decayed_weights");
  const Spec* adamw = decaying ? decaying->spec : nullptr;
  if ((!link && !adamw) || clue.params.size() != clue.observed.size()) return;
  const double wd = (link ? link : adamw)->number("weight_decay");
  if (auto c = common_multiple(clue, clue.params)) {
    add_cause(causes, is_about(*c, 2 * wd), "sign");
    add_cause(causes, !adamw || is_other_form(clue, *adamw, *c), "decay-form");
  }
  if (!adamw || !clue.is_update()) return;
  for (std::int64_t step = 0; step < clue.row; ++step) {
    const double lr = schedule_value(adamw->args.at("lr"), step);
    Numbers moved;
    for (std::size_t i = 0; i < clue.params.size(); ++i) moved.push_back(clue.expected[i] + lr * wd * clue.params[i]);
    const std::optional<Multiple> c = common_multiple(clue, moved);
    add_cause(causes, c && is_about(*c, lr * wd), "decay-form");
  }
}

void explain_leaf(const Clue& clue, Causes& causes) {
  const Column* next = leaf_column(clue.reading, clue.leaf_index + 1);
  const std::size_t outside = leaves_outside(clue);
  add_cause(causes, clue.is_update() && next && next->size == 0 && outside == 1, "empty");
  add_cause(causes, clue.is_update() && all_of(clue.observed, 0) && has_empty_leaf(clue.reading) && outside > 1,
            "empty");
  bool unmoved = clue.observed == clue.before && !all_of(clue.before, 0);
  bool silent = !clue.gradients.empty() && all_of(clue.gradients.back(), 0);
  bool passes = clue.is_update() && !clue.gradients.empty() && clue.expected == clue.gradients.back();
  bool masked = find_op(clue.reading.plan().spec, "masked") != nullptr;
  add_cause(causes, gradient_is_missing(clue) || (silent && unmoved) || (masked && passes), "absent");
  add_cause(causes, explains_factor(clue, 2) && outside == 2 && clue.reading.updates().size() > 2, "tied");
  bool keeps = !clue.is_update() && !clue.is_accumulator();
  add_cause(causes, keeps && clue.observed == clue.before && !silent, "api-state");
  add_cause(causes, keeps && clue.observed == clue.before && !silent && !clue.path().starts_with("params/"),
            "backend-split");
  add_cause(causes, explains_factor(clue, -1), "sign");
}

void explain_hyper(const Clue& clue, Causes& causes) {
  const Spec& spec = clue.reading.plan().spec;
  if (const Node* adam = clue.adam()) {
    if (clue.path().find("/nu/") != std::string::npos) explain_decay_rate(clue, adam->spec->number("b2"), causes);
    if (clue.path().find("/mu/") != std::string::npos) explain_decay_rate(clue, adam->spec->number("b1"), causes);
  }
  for (Dtype dtype : {Dtype::bfloat16, Dtype::float16}) add_cause(causes, is_rounded_to(clue, dtype), "dtype");
  explain_scale(clue, spec, causes);
}

}  // namespace microstep
