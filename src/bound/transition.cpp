#include "microstep/bound/transition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/train/recorder.hpp"
#include "microstep/train/run.hpp"

namespace microstep {
namespace {

using A = Balls<Wide>;

// Copies observed rows into trees; columns are found by path once.
class RowReader {
 public:
  RowReader(const Envelope& observed, const Schema& wanted) : observed_(observed) {
    for (const Column& column : wanted.columns()) columns_.push_back(observed.schema().find_column(column.path));
    for (const std::string& path : wanted.count_paths()) counts_.push_back(observed.schema().find_count(path));
    check_state(wanted);
  }

  void read(std::int64_t row, std::size_t first_column, Tree<Ball>& tree) const {
    for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
      std::size_t column = *columns_[first_column + i];
      Presence presence = observed_.presence(row, column);
      if (presence == Presence::absent && tree.presence(i) == Presence::absent) continue;
      tree.mark(i, presence);
      if (presence == Presence::dense) std::ranges::copy(observed_.numbers(row, column), tree.values(i).begin());
    }
  }

  void read(std::int64_t row, std::size_t& column, std::size_t& count, State<Ball>& state) const {
    for (auto& [name, value] : state.counts) value = observed_.count(row, *counts_[count++]);
    for (auto& [name, slot] : state.slots) {
      read(row, column, slot);
      column += slot.leaf_count();
    }
    for (auto& inner : state.of) read(row, column, count, inner);
  }

 private:
  void check_state(const Schema& wanted) const {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!columns_[i] && wanted.columns()[i].path != "loss") missing(wanted.columns()[i].path);
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (!counts_[i]) missing(wanted.count_paths()[i]);
  }

  [[noreturn]] static void missing(const std::string& path) {
    throw Error("trace.hidden-state", fmt::format("the trace does not show '{}'", path), path,
                "record it, or judge only what needs no state");
  }

  const Envelope& observed_;
  std::vector<std::optional<std::size_t>> columns_;
  std::vector<std::optional<std::size_t>> counts_;
};

}  // namespace

Balls<Wide> rounding_of(const Plan& plan) {
  return A::rounding(narrowest_dtype(plan.params.layout()), plan.hyper_precision, plan.flushes_subnormals);
}

Balls<Wide> semantics_of(const Plan& plan) { return A::semantics(narrowest_dtype(plan.params.layout())); }

Envelope transitions(const Plan& plan, const Envelope& observed, const A& arithmetic) {
  Training<A> start(arithmetic, plan);
  auto transformation = build<A>(plan.spec);
  Recorder<A> recorder(start.params, start.gradients, start.state, Dtype::float64, observed.microsteps());
  Schema wanted = schema_of(start.params, start.gradients, start.gradients, start.state, Dtype::float64);
  RowReader reader(observed, wanted);
  std::size_t leaves = start.params.leaf_count();
  recorder.record(start.params, nullptr, nullptr, start.state, nullptr);
  Tree<Ball>& params = start.params;
  State<Ball> state = start.state;
  for (std::int64_t row = 1; row < observed.rows() && row <= static_cast<std::int64_t>(plan.batches.size()); ++row) {
    std::size_t column = 3 * leaves, count = 0;
    reader.read(row - 1, 0, params);
    reader.read(row - 1, column, count, state);
    Tree<Ball> gradients(plan.gradient_layout, Presence::absent);
    reader.read(row, leaves, gradients);
    Tree<Ball> updates = gradients;
    bool last = row == static_cast<std::int64_t>(plan.batches.size());
    const auto& batch = plan.batches[static_cast<std::size_t>(row - 1)];
    transformation->update(arithmetic, updates, state, params, {batch_weight(plan, batch), last});
    apply_updates(arithmetic, params, updates);
    recorder.record(params, &gradients, &updates, state, nullptr);
  }
  return recorder.take();
}

}  // namespace microstep
