#include "microstep/bound/transition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "decay_in_place.hpp"
#include "microstep/train/recorder.hpp"
#include "microstep/train/run.hpp"
#include "row_reader.hpp"

namespace microstep {
namespace {

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
template <class S>
void take_recorded(const RowReader& reader, std::int64_t row, std::size_t first_column, Tree<S>& updates) {
  Tree<S> recorded = updates;
  reader.read(row, first_column, recorded);
  for (std::size_t i = 0; i < updates.leaf_count(); ++i) {
    if (!updates.is_dense(i) || !recorded.is_dense(i)) continue;
    const double u = facts(updates.leaf(i).dtype).unit_roundoff;
    for (std::size_t j = 0; j < updates.values(i).size(); ++j) {
      S &due = updates.values(i)[j], given = recorded.values(i)[j];
      if (!overlap(given, due)) continue;
      given.radius = std::max(given.radius, std::min(due.radius, u * std::fabs(static_cast<double>(given.value))));
      due = given;
    }
  }
}

// Leaves that decay and whose update is not shown: a loop may have decayed them by themselves.
template <class S>
std::vector<bool> moved_unseen(const RowReader& reader, std::int64_t row, std::size_t first_column,
                               std::vector<bool> decayed, const Tree<S>& updates) {
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

bool is_narrow(const Layout& layout) {
  return std::ranges::none_of(layout.leaves(), [](const Leaf& leaf) { return leaf.dtype == Dtype::float64; });
}

bool keeps_float64(const Spec& spec) {
  if (spec.op == "multi_steps" && (spec.text("acc_dtype") == "float64" || spec.text("reduce") == "weighted"))
    return true;
  return std::ranges::any_of(spec.of, keeps_float64);
}

// A centre in double is exact enough for dtypes up to float32.
bool fits_double(const Plan& plan) {
  return plan.problem.op == "replay" && is_narrow(plan.params.layout()) && is_narrow(*plan.gradient_layout) &&
         !keeps_float64(plan.spec);
}

template <class C>
Balls<C> rounding_by(const Plan& plan) {
  return Balls<C>::rounding(narrowest_dtype(plan.params.layout()), plan.hyper_precision, plan.flushes_subnormals,
                            plan.true_division, plan.running_mean);
}

// One microstep after the other, each from what was observed of the one before.
template <class C>
class Stepper {
 public:
  using A = Balls<C>;
  using V = BasicBall<C>;
  Stepper(const Plan& plan, const Envelope& observed, const A& arithmetic)
      : plan_(plan),
        observed_(observed),
        arithmetic_(arithmetic),
        start_(arithmetic, plan),
        transformation_(build<A>(plan.spec)),
        recorder_(start_.params, start_.gradients, start_.state, loss_dtype(plan), observed.microsteps()),
        reader_(observed, recorder_.schema(), needed_columns(start_)),
        shown_(shown_passing(plan, observed)),
        decayed_(decayed_leaves(plan.spec, start_.params.layout())) {}

  Envelope all() {
    recorder_.record(start_.params, nullptr, nullptr, start_.state, nullptr);
    for (std::int64_t row = 1; row < observed_.rows() && row <= last_row(); ++row) step(row);
    return recorder_.take();
  }

 private:
  std::int64_t last_row() const { return static_cast<std::int64_t>(plan_.batches.size()); }

  void step(std::int64_t row) {
    const std::size_t leaves = start_.params.leaf_count();
    std::size_t column = 3 * leaves, count = 0;
    Tree<V>& params = start_.params;
    State<V>& state = start_.state;
    reader_.read(row - 1, 0, params);
    reader_.read(row - 1, column, count, state);
    Tree<V> gradients(plan_.gradient_layout, Presence::absent);
    reader_.read(row, leaves, gradients);
    Tree<V> updates = gradients;
    const auto& batch = plan_.batches[static_cast<std::size_t>(row - 1)];
    const Passing* passing = shown_.empty() ? nullptr : &shown_[static_cast<std::size_t>(row - 1)];
    transformation_->update(arithmetic_, updates, state, params,
                            {batch_weight(plan_, batch), row == last_row(), nullptr, nullptr, passing});
    move(row, 2 * leaves, updates);
    recorder_.record(params, &gradients, &updates, state, nullptr);
  }

  void move(std::int64_t row, std::size_t first_column, const Tree<V>& updates) {
    Tree<V>& params = start_.params;
    Tree<V> added = updates;
    take_recorded(reader_, row, first_column, added);
    const std::vector<bool> moved = moved_unseen(reader_, row, first_column, decayed_, added);
    const Tree<V> before = any_of(moved) ? params : Tree<V>();
    apply_updates(arithmetic_, params, added);
    if (any_of(moved)) allow_decay_in_place(arithmetic_, moved, before, params);
  }

  const Plan& plan_;
  const Envelope& observed_;
  const A arithmetic_;
  Training<A> start_;
  TransformationPointer<A> transformation_;
  Recorder<A> recorder_;
  const RowReader reader_;
  const std::vector<Passing> shown_;
  const std::vector<bool> decayed_;
};

}  // namespace

Balls<Wide> rounding_of(const Plan& plan) { return rounding_by<Wide>(plan); }

Balls<Wide> semantics_of(const Plan& plan) {
  return Balls<Wide>::semantics(narrowest_dtype(plan.params.layout()), plan.running_mean);
}

Envelope transitions(const Plan& plan, const Envelope& observed, const Balls<Wide>& arithmetic) {
  return Stepper<Wide>(plan, observed, arithmetic).all();
}

Envelope transitions(const Plan& plan, const Envelope& observed) {
  if (fits_double(plan)) return Stepper<double>(plan, observed, rounding_by<double>(plan)).all();
  return Stepper<Wide>(plan, observed, rounding_of(plan)).all();
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
