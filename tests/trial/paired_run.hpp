#pragma once
// Our own runs of a spec and of its large batch, as two loops would dump them.
#include <gtest/gtest.h>

#include "trial/spoiled_run.hpp"

namespace microstep {

struct PairedRun {
  Plan plan, large;
  DumpedTrace own, other;

  explicit PairedRun(std::string_view spec, const PlanOptions& options = {.windows = 3, .examples = 3})
      : plan(make_plan(parse_spec(spec), parse_spec("replay", OpKind::problem), options)), large(large_batch_of(plan)) {
    run_own();
    run_large();
  }
  void run_own() {
    own = DumpedTrace{};
    own.trace = run(plan);
    own.spec = to_string(plan.spec);
    for (const auto& batch : plan.batches) {
      own.weights.push_back(0);
      for (std::int64_t i : batch) own.weights.back() += plan.given[static_cast<std::size_t>(i)].weight;
    }
  }
  /// The other run anew, on its plan as it now is.
  void run_large() {
    other = DumpedTrace{};
    other.trace = run(large);
    other.spec = to_string(large.spec);
  }
  /// The gradient of each window is given by itself, so that it can be another one.
  void give_gradients() {
    const Trace trace = other.trace;
    for (std::size_t window = 0; window < large.batches.size(); ++window) {
      GivenGradient given{filled(large.gradient_layout, 0.0), 1};
      for (std::size_t leaf = 0; leaf < large.params.leaf_count(); ++leaf) {
        const auto column = trace.schema().find_column("gradients/" + large.params.leaf(leaf).name).value();
        std::ranges::copy(trace.numbers(static_cast<std::int64_t>(window) + 1, column),
                          given.gradient.values(leaf).begin());
      }
      large.batches[window] = {std::ssize(large.given)};
      large.given.push_back(std::move(given));
    }
    large.loss = Loss::mean;
  }
  std::span<double> gradient(std::size_t window, std::size_t leaf) {
    return large.given[static_cast<std::size_t>(large.batches[window][0])].gradient.values(leaf);
  }
  /// Of the accumulated run.
  std::span<const double> microgradient(std::int64_t microstep, std::size_t leaf) const {
    const auto column = own.trace.schema().find_column("gradients/" + plan.params.leaf(leaf).name).value();
    return own.trace.numbers(microstep, column);
  }

  Against judged(const std::optional<Spec>& against_spec = std::nullopt) const {
    return judge_against({encode_dumped_trace(own), "own"}, {encode_dumped_trace(other), "other"}, std::nullopt,
                         against_spec);
  }
};

inline std::string words_of(const Against& found) { return std::string(to_string(found.answer)) + ": " + found.reason; }

}  // namespace microstep
