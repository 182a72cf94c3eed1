#include "microstep/bound/transition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "decay_in_place.hpp"
#include "microstep/train/recorder.hpp"
#include "microstep/train/run.hpp"

namespace microstep {
namespace {

using A = Balls<Wide>;

bool is_open(const State<Ball>& state) { return state.op == "multi_steps" && state.count("mini_step") != 0; }

// An accumulator of zeros does not tell whether its leaf has had a gradient in the open window: what the step before
// left does, `was_open` of its window. Where the row's own window is another one, that is of no use.
Presence presence_of_zeros(Presence carried, bool was_open, bool is_open) {
  if (carried != Presence::dense) return is_open && !was_open ? Presence::dense : carried;
  return was_open && !is_open ? Presence::zero : carried;
}

// Copies observed rows into trees; columns are found by path once. What a row does not show is left as it is: the balls
// that the step before gave.
class RowReader {
 public:
  /// needed: per column whether a step cannot be made without it.
  RowReader(const Envelope& observed, const Schema& wanted, const std::vector<bool>& needed) : observed_(observed) {
    for (std::size_t i = 0; i < wanted.columns().size(); ++i) columns_.push_back(found(wanted.columns()[i], i));
    for (const std::string& path : wanted.count_paths()) counts_.push_back(observed.schema().find_count(path));
    check_given(wanted, needed);
  }

  void read(std::int64_t row, std::size_t first_column, Tree<Ball>& tree) const {
    for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
      if (!columns_[first_column + i]) continue;
      const std::size_t column = *columns_[first_column + i];
      const Presence presence = observed_.presence(row, column);
      if (is_missing(observed_, row, column)) continue;
      if (presence == Presence::absent && tree.presence(i) == Presence::absent) continue;
      tree.mark(i, presence);
      if (presence == Presence::dense) std::ranges::copy(observed_.numbers(row, column), tree.values(i).begin());
    }
  }

  void read(std::int64_t row, std::size_t& column, std::size_t& count, State<Ball>& state) const {
    const bool was_open = is_open(state);
    for (auto& [name, value] : state.counts) {
      const std::optional<std::size_t> own = counts_[count++];
      if (own && observed_.shows_count(row, *own)) value = observed_.count(row, *own);
    }
    for (auto& [name, slot] : state.slots) {
      const std::vector<Presence> carried = presences_of(slot);
      read(row, column, slot);
      if (name == "acc_grads") restore_zeros(slot, carried, was_open, is_open(state));
      column += slot.leaf_count();
    }
    for (auto& inner : state.of) read(row, column, count, inner);
  }

  bool shows(std::int64_t row, std::size_t column) const {
    return columns_[column] && !is_missing(observed_, row, *columns_[column]);
  }

 private:
  static std::vector<Presence> presences_of(const Tree<Ball>& tree) {
    std::vector<Presence> presences;
    for (std::size_t i = 0; i < tree.leaf_count(); ++i) presences.push_back(tree.presence(i));
    return presences;
  }

  static void restore_zeros(Tree<Ball>& acc, const std::vector<Presence>& carried, bool was_open, bool is_open) {
    auto is_zero = [](const Ball& ball) { return ball.value == 0 && ball.radius == 0; };
    for (std::size_t i = 0; i < acc.leaf_count(); ++i)
      if (acc.is_dense(i) && std::ranges::all_of(acc.values(i), is_zero))
        acc.mark(i, presence_of_zeros(carried[i], was_open, is_open));
  }

  // Most traces have their columns in the plan's own order.
  std::optional<std::size_t> found(const Column& wanted, std::size_t near) const {
    const auto& columns = observed_.schema().columns();
    const bool is_near = near < columns.size() && columns[near].path == wanted.path;
    const std::optional<std::size_t> column = is_near ? near : observed_.schema().find_column(wanted.path);
    if (!column || observed_.schema().columns()[*column].shape == wanted.shape) return column;
    throw Error("trace.shape",
                fmt::format("'{}' has shape {} in the trace and {} in the plan", wanted.path,
                            to_string(observed_.schema().columns()[*column].shape), to_string(wanted.shape)),
                wanted.path, "record the shapes that the plan declares");
  }

  void check_given(const Schema& wanted, const std::vector<bool>& needed) const {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!columns_[i] && needed[i] && !wanted.columns()[i].path.starts_with("state/"))
        throw Error("trace.not-shown", fmt::format("the trace does not show '{}'", wanted.columns()[i].path),
                    wanted.columns()[i].path, "record it in every microstep");
  }

  const Envelope& observed_;
  std::vector<std::optional<std::size_t>> columns_;
  std::vector<std::optional<std::size_t>> counts_;
};

// Params, gradients and the slots of the state; a leaf that is absent by the plan (masked out) need not be shown, nor
// need updates and the loss.
template <class B>
std::vector<bool> needed_columns(const Training<B>& start) {
  using V = typename B::Value;
  std::vector<bool> needed;
  auto add = [&](const Tree<V>& tree, bool read) {
    for (std::size_t i = 0; i < tree.leaf_count(); ++i) needed.push_back(read && tree.presence(i) != Presence::absent);
  };
  add(start.params, true);
  add(start.gradients, true);
  add(start.gradients, false);
  std::vector<const Tree<V>*> slots;
  std::vector<std::int64_t> counts;
  collect(start.state, slots, counts);
  for (const Tree<V>* slot : slots) add(*slot, true);
  needed.push_back(false);
  return needed;
}

// A state leaf that is absent by the plan is a column only where the trace has it.
SchemaPointer without_hidden(const SchemaPointer& declared, const std::vector<bool>& needed, const Schema& observed) {
  if (*declared == observed) return declared;
  std::vector<Column> columns;
  for (std::size_t i = 0; i < declared->columns().size(); ++i) {
    const Column& column = declared->columns()[i];
    if (needed[i] || !column.path.starts_with("state/") || observed.find_column(column.path)) columns.push_back(column);
  }
  return std::make_shared<const Schema>(std::move(columns), declared->count_paths());
}

Dtype loss_dtype(const Plan& plan) { return plan.params.leaf_count() > 0 ? plan.params.leaf(0).dtype : Dtype::float32; }

// What was added to the params: the recorded updates where they are shown and could be right. The last rounding of an
// update may be left out where its making and the addition are one fused step.
void take_recorded(const RowReader& reader, std::int64_t row, std::size_t first_column, Tree<Ball>& updates) {
  Tree<Ball> recorded = updates;
  reader.read(row, first_column, recorded);
  for (std::size_t i = 0; i < updates.leaf_count(); ++i) {
    if (!updates.is_dense(i) || !recorded.is_dense(i)) continue;
    const double u = facts(updates.leaf(i).dtype).unit_roundoff;
    for (std::size_t j = 0; j < updates.values(i).size(); ++j) {
      Ball &due = updates.values(i)[j], given = recorded.values(i)[j];
      if (!overlap(given, due)) continue;
      given.radius = std::max(given.radius, std::min(due.radius, u * std::fabs(static_cast<double>(given.value))));
      due = given;
    }
  }
}

// Leaves that decay and whose update is not shown: a loop may have decayed them by themselves.
std::vector<bool> moved_unseen(const RowReader& reader, std::int64_t row, std::size_t first_column,
                               std::vector<bool> decayed, const Tree<Ball>& updates) {
  for (std::size_t i = 0; i < decayed.size(); ++i)
    decayed[i] = decayed[i] && updates.is_dense(i) && !reader.shows(row, first_column + i);
  return decayed;
}

bool any_of(const std::vector<bool>& flags) { return std::ranges::find(flags, true) != flags.end(); }

template <class S>
bool has_all_leaves(const Tree<S>& tree) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    if (tree.presence(i) == Presence::absent) return false;
  return true;
}

}  // namespace

Balls<Wide> rounding_of(const Plan& plan) {
  return A::rounding(narrowest_dtype(plan.params.layout()), plan.hyper_precision, plan.flushes_subnormals,
                     plan.true_division, plan.running_mean);
}

Balls<Wide> semantics_of(const Plan& plan) {
  return A::semantics(narrowest_dtype(plan.params.layout()), plan.running_mean);
}

Envelope transitions(const Plan& plan, const Envelope& observed, const A& arithmetic) {
  Training<A> start(arithmetic, plan);
  auto transformation = build<A>(plan.spec);
  Recorder<A> recorder(start.params, start.gradients, start.state, loss_dtype(plan), observed.microsteps());
  const RowReader reader(observed, recorder.schema(), needed_columns(start));
  const std::vector<Passing> shown = shown_passing(plan, observed);
  std::size_t leaves = start.params.leaf_count();
  const std::vector<bool> decayed = decayed_leaves(plan.spec, start.params.layout());
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
    const Passing* passing = shown.empty() ? nullptr : &shown[static_cast<std::size_t>(row - 1)];
    transformation->update(arithmetic, updates, state, params,
                           {batch_weight(plan, batch), last, nullptr, nullptr, passing});
    Tree<Ball> added = updates;
    take_recorded(reader, row, 2 * leaves, added);
    const std::vector<bool> moved = moved_unseen(reader, row, 2 * leaves, decayed, added);
    const Tree<Ball> before = any_of(moved) ? params : Tree<Ball>();
    apply_updates(arithmetic, params, added);
    if (any_of(moved)) allow_decay_in_place(arithmetic, moved, before, params);
    recorder.record(params, &gradients, &updates, state, nullptr);
  }
  return recorder.take();
}

SchemaPointer declared_columns(const Plan& plan, const Envelope& observed) {
  using P = Plain<double>;
  Training<P> training(P{plan.hyper_precision}, plan);
  Recorder<P> recorder(training.params, training.gradients, training.state, loss_dtype(plan), 1);
  recorder.record(training.params, nullptr, nullptr, training.state, nullptr);
  const std::vector<bool> needed = needed_columns(training);
  const RowReader reader(observed, recorder.schema(), needed);
  bool all_present = false;
  while (!training.done() && !all_present) {
    training.step();
    recorder.record(training.params, &training.gradients, &training.updates, training.state, nullptr);
    all_present = has_all_leaves(training.updates);
  }
  return without_hidden(recorder.take().schema_pointer(), needed, observed.schema());
}

}  // namespace microstep
