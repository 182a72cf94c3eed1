// What the counters that a trace shows tell of its skips.
#include <fmt/format.h>

#include <algorithm>

#include "microstep/bound/transition.hpp"

namespace microstep {
namespace {

struct Step {
  const Envelope& observed;
  std::int64_t row;
  bool is_last;

  std::optional<std::int64_t> count(const std::string& path, std::int64_t at) const {
    const auto index = observed.schema().find_count(path);
    if (!index || !observed.shows_count(at, *index)) return std::nullopt;
    return observed.count(at, *index);
  }
  std::optional<bool> moves(const std::string& path) const {
    const auto before = count(path, row - 1), after = count(path, row);
    return before && after ? std::optional(*before != *after) : std::nullopt;
  }
};

bool is_longer_than_one(const Spec& multi_steps) {
  const double* k = std::get_if<double>(&multi_steps.args.at("k").data);
  return k && *k > 1;
}

// A gradient that is taken moves mini_step, or closes the window and moves gradient_step. At the end of the run a
// window that waits is flushed, or dropped, whether the last gradient is taken or not: dropped it leaves no trace.
std::optional<bool> passes(const Spec& multi_steps, const std::string& path, const Step& step) {
  const auto counts = step.moves(path + "/mini_step"), emits = step.moves(path + "/gradient_step");
  if (multi_steps.text("skip") == "window_not_finite") return emits;
  const bool drops = step.is_last && multi_steps.text("partial") == "drop";
  const bool flushes = step.is_last && multi_steps.text("partial").starts_with("flush");
  if (flushes && step.count(path + "/mini_step", step.row - 1) != 0) return std::nullopt;
  if (emits == true) return true;
  if (drops) return emits;
  if (counts == true || emits == false) return counts;
  return counts == false && !flushes && is_longer_than_one(multi_steps) ? counts : std::nullopt;
}

Passing passing(const Spec& spec, const std::string& path, const Step& step) {
  Passing result;
  if (spec.op == "multi_steps" && spec.text("skip") != "never") result.passes = passes(spec, path, step);
  for (std::size_t i = 0; i < spec.of.size(); ++i)
    result.of.push_back(passing(spec.of[i], fmt::format("{}/of[{}]", path, i), step));
  return result;
}

}  // namespace

bool can_skip(const Spec& spec) {
  if (spec.op == "multi_steps" && spec.text("skip") != "never") return true;
  return std::ranges::any_of(spec.of, can_skip);
}

std::vector<Passing> shown_passing(const Plan& plan, const Envelope& observed) {
  std::vector<Passing> shown;
  if (!can_skip(plan.spec)) return shown;
  const auto last = static_cast<std::int64_t>(plan.batches.size());
  for (std::int64_t row = 1; row < observed.rows(); ++row)
    shown.push_back(passing(plan.spec, "state", {observed, row, row == last}));
  return shown;
}

}  // namespace microstep
