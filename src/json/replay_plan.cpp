#include <fmt/format.h>

#include "microstep/data/error.hpp"
#include "microstep/json/trace.hpp"
#include "trace_paths.hpp"

namespace microstep {
namespace {

LayoutPointer layout_of(const Trace& trace, std::string_view section) {
  std::vector<Leaf> leaves;
  for (const auto& [name, index] : section_columns(trace.schema(), section)) {
    const Column& column = trace.schema().columns()[index];
    leaves.push_back({name, column.shape, column.dtype});
  }
  return make_layout(std::move(leaves));
}

Tree<double> tree_of(const Trace& trace, std::int64_t row, std::string_view section, const LayoutPointer& layout) {
  Tree<double> tree(layout, Presence::absent);
  for (const auto& [name, index] : section_columns(trace.schema(), section)) {
    std::optional<std::size_t> leaf = layout->find(name);
    tree.mark(*leaf, trace.presence(row, index));
    if (tree.is_dense(*leaf)) std::ranges::copy(trace.numbers(row, index), tree.values(*leaf).begin());
  }
  return tree;
}

// Where the dumped trace says what the plan has in that place.
std::string place_in_trace(std::string_view id, std::string_view place) {
  constexpr std::string_view given = "/given/", batches = "/batches/";
  if (place.starts_with(given))
    return fmt::format("#/steps/{}/{}", place.substr(given.size()), id == "plan.weight" ? "weight" : "gradients");
  if (place.starts_with(batches)) return fmt::format("#/steps/{}", place.substr(batches.size()));
  return place == "/params" ? "#/initial/params" : "#/steps";
}

void check_as_dumped(const Plan& plan) {
  try {
    check(plan);
  } catch (const Error& error) {
    throw Error(error.id(), error.message(), place_in_trace(error.id(), error.place()), error.next());
  }
}

}  // namespace

Plan replay_plan_of(const DumpedTrace& dumped, const Spec& spec) {
  const Trace& trace = dumped.trace;
  if (section_columns(trace.schema(), "gradients").empty())
    throw Error("json.no-gradients", "no step of the trace has gradients", "#/steps",
                "dump the gradient that reached the optimizer in each microstep");
  Plan plan;
  plan.spec = spec;
  plan.problem = parse_spec("replay", OpKind::problem);
  plan.params = tree_of(trace, 0, "params", layout_of(trace, "params"));
  plan.gradient_layout = layout_of(trace, "gradients");
  for (std::int64_t row = 1; row < trace.rows(); ++row) {
    auto index = static_cast<std::size_t>(row - 1);
    double weight = index < dumped.weights.size() ? dumped.weights[index] : 1.0;
    plan.given.push_back({tree_of(trace, row, "gradients", plan.gradient_layout), weight});
    plan.batches.push_back({row - 1});
  }
  plan.hyper_precision = dumped.hyper_precision;
  plan.flushes_subnormals = dumped.flushes_subnormals;
  plan.true_division = dumped.true_division;
  plan.running_mean = dumped.running_mean;
  check_as_dumped(plan);
  return plan;
}

}  // namespace microstep
