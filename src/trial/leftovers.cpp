// A loop that never clears its accumulator: each window begins with all gradients since the start. Its steps are those
// of the declared spec over a first gradient that holds the earlier ones, too.
#include <algorithm>
#include <cmath>

#include "hypothesis.hpp"
#include "microstep/bound/transition.hpp"
#include "microstep/judge/faithful.hpp"
#include "microstep/train/problem.hpp"

namespace microstep {
namespace {

using Arithmetic = Balls<Wide>;

// What counts, and by what each window's result is divided, beside its own number of microbatches or weight.
enum class Divisor { own, of_all };

struct Beginning {
  bool takes_part = false, opens = false;
  double weight = 1;
  // What is due of the window, over what there is since the start.
  double share = 1;
};

bool has_accumulator_that(const Spec& spec, const std::string& reduce) {
  return (spec.op == "multi_steps" && spec.text("reduce") == reduce) ||
         std::ranges::any_of(spec.of, [&](const Spec& inner) { return has_accumulator_that(inner, reduce); });
}

Dtype narrowest_sum(const Spec& spec, Dtype dtype) {
  if (spec.op == "multi_steps" && spec.text("acc_dtype") != "same") {
    const Dtype own = *dtype_from_name(spec.text("acc_dtype"));
    if (facts(own).unit_roundoff > facts(dtype).unit_roundoff) dtype = own;
  }
  for (const Spec& inner : spec.of) dtype = narrowest_sum(inner, dtype);
  return dtype;
}

// Per microstep. Skipped ones take no part; whatever comes after the last window is one more.
std::vector<Beginning> beginnings(const Plan& plan, Windows windows, Divisor divisor) {
  const bool weighted = has_accumulator_that(plan.spec, "weighted");
  std::vector<Beginning> all(plan.batches.size());
  auto& rest = windows.emplace_back();
  for (std::int64_t t = windows.size() < 2 ? 0 : windows[windows.size() - 2].back() + 1; t < std::ssize(all); ++t)
    rest.push_back(t);
  double before = 0;
  for (const auto& window : windows) {
    double own = 0;
    for (std::int64_t t : window) {
      const auto at = static_cast<std::size_t>(t);
      all[at] = {true, t == window.front() && before > 0, weighted ? batch_weight(plan, plan.batches[at]) : 1.0, 1};
      own += all[at].weight;
    }
    for (std::int64_t t : window)
      if (divisor == Divisor::of_all) all[static_cast<std::size_t>(t)].share = own / (own + before);
    before += own;
  }
  return all;
}

// A gradient that is divided, or weighted, before it is added is rounded once more.
Ball added(const Arithmetic& in, const Ball& sum, const Ball& gradient, double weight) {
  const Ball own{gradient.value * Wide(weight),
                 2 * in.unit() * std::fabs(static_cast<double>(gradient.value) * weight)};
  return in.add(sum, own);
}

// Every window's first gradient of the leaf takes in what came before.
void take_in_earlier(Envelope& rows, std::size_t column, const std::vector<Beginning>& all, const Arithmetic& in) {
  const auto size = static_cast<std::size_t>(rows.schema().columns()[column].size);
  std::vector<Ball> sum(size, exactly(0));
  bool any = false;
  for (std::int64_t row = 1; row < rows.rows() && row <= std::ssize(all); ++row) {
    const Beginning& here = all[static_cast<std::size_t>(row - 1)];
    if (!here.takes_part) continue;
    const bool present = rows.presence(row, column) == Presence::dense;
    auto numbers = rows.numbers(row, column);
    for (std::size_t i = 0; i < size; ++i) {
      const Ball own = present ? numbers[i] : exactly(0), left = sum[i];
      sum[i] = added(in, left, own, here.weight);
      Ball begun = here.opens ? added(in, own, left, 1 / here.weight) : own;
      if (here.share != 1) begun = in.multiply(begun, exactly(here.share));
      if (present || (any && here.opens)) numbers[i] = begun;
    }
    if (any && here.opens) rows.presence(row, column) = Presence::dense;
    any = any || present;
  }
}

}  // namespace

bool is_never_cleared(const Plan& plan, const Windows& windows, const Trace& trace, const Envelope& declared,
                      std::int64_t first_wrong) {
  Plan other = plan;
  other.running_mean = false;
  const Arithmetic in = rounding_of(other).at(narrowest_sum(plan.spec, rounding_of(other).dtype()));
  const bool divides = has_accumulator_that(plan.spec, "mean") || has_accumulator_that(plan.spec, "weighted");
  for (Divisor divisor : {Divisor::own, Divisor::of_all}) {
    if (divisor == Divisor::of_all && !divides) continue;
    Envelope observed = embedded(trace);
    const std::vector<Beginning> all = beginnings(plan, windows, divisor);
    for (std::size_t column = 0; column < observed.schema().columns().size(); ++column)
      if (observed.schema().columns()[column].path.starts_with("gradients/"))
        take_in_earlier(observed, column, all, in);
    try {
      const Envelope balls = transitions(other, observed);
      if (faithfulness(trace, balls, false).outcome != Outcome::holds) continue;
      if (are_told_apart(trace, declared, balls, {{"boundary"}, plan.spec}, first_wrong)) return true;
    } catch (const Undecidable&) {  // an earlier gradient may decide whether one is skipped
    }
  }
  return false;
}

}  // namespace microstep
