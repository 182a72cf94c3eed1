#pragma once
// Evidence made by hand: multi_steps over momentum with a schedule, k = 2, gradients 2, 4, 1, 3 on one number. By the
// definition: means 3 and 2; trace 3, then 2 + 3/2 = 3.5; updates 0, -3, 0, -3.5; params from 0: 0, -3, -3, -6.5.
#include <map>
#include <string>
#include <vector>

#include "microstep/judge/contract.hpp"

namespace microstep {

inline constexpr std::string_view hand_spec = "multi_steps(sgd([[0, 1], [9, 0.5]], momentum=0.5), k=2)";

inline Plan hand_plan(std::string_view spec = hand_spec, std::size_t microsteps = 4) {
  Plan plan;
  plan.spec = parse_spec(spec);
  plan.problem = parse_spec("replay", OpKind::problem);
  plan.gradient_layout = make_layout({{"w", {1}, Dtype::float32}});
  plan.params = filled(plan.gradient_layout, 0.0);
  for (double g : {2.0, 4.0, 1.0, 3.0, 5.0, 7.0}) plan.given.push_back({filled(plan.gradient_layout, g), 1});
  for (std::size_t t = 0; t < microsteps; ++t) plan.batches.push_back({static_cast<std::int64_t>(t)});
  return plan;
}

using Rowwise = std::map<std::string, std::vector<double>>;

/// One number a column and row; loss is left out.
inline Envelope hand_trace(const Rowwise& columns, const std::map<std::string, std::vector<std::int64_t>>& counts) {
  std::vector<Column> schema;
  std::vector<std::string> count_paths;
  for (const auto& [path, values] : columns) schema.push_back({path, {1}, Dtype::float32});
  for (const auto& [path, values] : counts) count_paths.push_back(path);
  Envelope trace(std::make_shared<const Schema>(schema, count_paths));
  for (std::size_t row = 0; row < columns.at("params/w").size(); ++row) {
    trace.append_row();
    std::size_t i = 0;
    for (const auto& [path, values] : columns) {
      trace.presence(static_cast<std::int64_t>(row), i) = Presence::dense;
      trace.numbers(static_cast<std::int64_t>(row), i++)[0] = exactly(values[row]);
    }
    i = 0;
    for (const auto& [path, values] : counts) trace.count(static_cast<std::int64_t>(row), i++) = values[row];
  }
  return trace;
}

inline Envelope hand_run() {
  return hand_trace({{"params/w", {0, 0, -3, -3, -6.5}},
                     {"gradients/w", {0, 2, 4, 1, 3}},
                     {"updates/w", {0, 0, -3, 0, -3.5}},
                     {"state/acc_grads/w", {0, 2, 0, 1, 0}},
                     {"state/of[0]/trace/w", {0, 0, 3, 3, 3.5}}},
                    {{"state/mini_step", {0, 1, 0, 1, 0}},
                     {"state/gradient_step", {0, 0, 1, 1, 2}},
                     {"state/of[0]/count", {0, 0, 1, 1, 2}}});
}

/// What the reference, the momentum on 3 and 2, gives.
inline Envelope hand_reference() {
  return hand_trace({{"params/w", {0, -3, -6.5}},
                     {"gradients/w", {0, 3, 2}},
                     {"updates/w", {0, -3, -3.5}},
                     {"state/trace/w", {0, 3, 3.5}}},
                    {{"state/count", {0, 1, 2}}});
}

/// The same as multi_steps with k = 1.
inline Envelope hand_single() {
  return hand_trace(
      {{"params/w", {0, -3, -6.5}},
       {"gradients/w", {0, 3, 2}},
       {"updates/w", {0, -3, -3.5}},
       {"state/acc_grads/w", {0, 0, 0}},
       {"state/of[0]/trace/w", {0, 3, 3.5}}},
      {{"state/mini_step", {0, 0, 0}}, {"state/gradient_step", {0, 1, 2}}, {"state/of[0]/count", {0, 1, 2}}});
}

inline Ball& at(Envelope& trace, std::string_view path, std::int64_t row) {
  return trace.numbers(row, trace.schema().find_column(path).value())[0];
}

/// The experiment and all that was seen of it; every contract that can holds.
struct Hand {
  Experiment experiment{"hand", {}};
  Evidence evidence;

  Hand() {
    Plan plan = hand_plan(), reference = large_batch_of(plan), single = reference;
    single.spec = checked(Spec{"multi_steps", {{"k", Value(1)}}, {reference.spec}});
    experiment.plans = {{Role::accumulated, plan},
                        {Role::reference, reference},
                        {Role::interrupted, plan},
                        {Role::permuted, plan},
                        {Role::single, single}};
    evidence.windows = {{0, 1}, {2, 3}};
    evidence.observed = {{Role::accumulated, hand_run()},
                         {Role::interrupted, hand_run()},
                         {Role::reference, hand_reference()},
                         {Role::single, hand_single()}};
    evidence.expected = {{Role::accumulated, hand_run()}, {Role::single, hand_single()}};
    evidence.against_reference = evidence.against_permuted = Semantics{};
  }
  Hand(const Hand&) = delete;

  Envelope& run() { return evidence.observed[Role::accumulated]; }
  Verdict judge(std::string_view id) {
    evidence.experiment = &experiment;
    return contract(id).judge(evidence);
  }
};

}  // namespace microstep
