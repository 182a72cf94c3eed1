#include "microstep/train/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"
#include "microstep/scalar/plain.hpp"

namespace microstep {
namespace {

template <class S>
void add_columns(const Tree<S>& tree, const std::string& prefix, std::vector<Column>& columns) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    columns.push_back({prefix + "/" + tree.leaf(i).name, tree.leaf(i).shape, tree.leaf(i).dtype});
}

template <class S>
void add_state(const State<S>& state, const std::string& prefix, std::vector<Column>& columns,
               std::vector<std::string>& counts) {
  for (const auto& [name, value] : state.counts) counts.push_back(fmt::format("{}/{}", prefix, name));
  for (const auto& [name, slot] : state.slots) add_columns(slot, fmt::format("{}/{}", prefix, name), columns);
  for (std::size_t i = 0; i < state.of.size(); ++i)
    add_state(state.of[i], fmt::format("{}/of[{}]", prefix, i), columns, counts);
}

}  // namespace

template <class S>
Schema schema_of(const Tree<S>& params, const Tree<S>& gradients, const Tree<S>& updates, const State<S>& state,
                 Dtype loss_dtype) {
  std::vector<Column> columns;
  std::vector<std::string> counts;
  add_columns(params, "params", columns);
  add_columns(gradients, "gradients", columns);
  add_columns(updates, "updates", columns);
  add_state(state, "state", columns, counts);
  columns.push_back({"loss", {}, loss_dtype});
  return Schema(std::move(columns), std::move(counts));
}

template <class S>
void collect(const State<S>& state, std::vector<const Tree<S>*>& slots, std::vector<std::int64_t>& counts) {
  for (const auto& [name, value] : state.counts) counts.push_back(value);
  for (const auto& [name, slot] : state.slots) slots.push_back(&slot);
  for (const auto& inner : state.of) collect(inner, slots, counts);
}

template <class A>
Recorder<A>::Recorder(const Tree<V>& params, const Tree<V>& gradients, const State<V>& state, Dtype loss_dtype,
                      std::int64_t microsteps)
    : rows_(std::make_shared<const Schema>(schema_of(params, gradients, gradients, state, loss_dtype))),
      known_(rows_.schema().columns().size() + 1) {
  rows_.reserve(microsteps + 1);
}

template <class A>
void Recorder<A>::record(const Tree<V>& params, const Tree<V>* gradients, const Tree<V>* updates, const State<V>& state,
                         const V* loss) {
  rows_.append_row();
  std::size_t leaves = params.leaf_count();
  std::size_t column = write(&params, 0, leaves);
  column = write(gradients, column, leaves);
  if (updates) learn_update_dtypes(*updates, column);
  column = write(updates, column, leaves);
  slots_.clear();
  counts_.clear();
  collect(state, slots_, counts_);
  for (const Tree<V>* slot : slots_) column = write(slot, column, slot->leaf_count());
  if (loss) {
    rows_.presence(rows_.rows() - 1, column) = Presence::dense;
    rows_.numbers(rows_.rows() - 1, column)[0] = A::number(*loss);
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) rows_.count(rows_.rows() - 1, i) = counts_[i];
}

template <class A>
std::size_t Recorder<A>::write(const Tree<V>* tree, std::size_t first_column, std::size_t leaves) {
  if (!tree) return first_column + leaves;
  note_deviations(*tree, first_column);
  std::int64_t row = rows_.rows() - 1;
  for (std::size_t i = 0; i < leaves; ++i) {
    rows_.presence(row, first_column + i) = tree->presence(i);
    if (!tree->is_dense(i)) continue;
    auto to = rows_.numbers(row, first_column + i);
    auto from = tree->values(i);
    for (std::size_t j = 0; j < to.size() && j < from.size(); ++j) to[j] = A::number(from[j]);
  }
  return first_column + leaves;
}

template <class A>
void Recorder<A>::note_deviations(const Tree<V>& tree, std::size_t first_column) {
  if (tree.layout_pointer() == known_[first_column]) return;
  bool as_declared = true;
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    const Column& column = rows_.schema().columns()[first_column + i];
    const Leaf& leaf = tree.leaf(i);
    as_declared = as_declared && leaf.dtype == column.dtype && leaf.shape == column.shape;
    if (tree.presence(i) == Presence::absent) continue;
    if (leaf.dtype != column.dtype)
      rows_.deviations.push_back(
          {Deviation::Kind::dtype, rows_.microsteps(), column.path,
           fmt::format("{} where {} was declared", to_string(leaf.dtype), to_string(column.dtype))});
    if (leaf.shape != column.shape)
      rows_.deviations.push_back(
          {Deviation::Kind::shape, rows_.microsteps(), column.path,
           fmt::format("{} where {} was declared", to_string(leaf.shape), to_string(column.shape))});
  }
  if (as_declared) known_[first_column] = tree.layout_pointer();
}

// The dtype of an update shows when the leaf has its first one; the widths do not change.
template <class A>
void Recorder<A>::learn_update_dtypes(const Tree<V>& updates, std::size_t first_column) {
  std::vector<std::size_t> learnt;
  for (std::size_t i = 0; i < updates.leaf_count(); ++i) {
    bool differs = updates.leaf(i).dtype != rows_.schema().columns()[first_column + i].dtype;
    if (differs && updates.presence(i) != Presence::absent && !was_present(first_column + i)) learnt.push_back(i);
  }
  if (learnt.empty()) return;
  std::vector<Column> columns = rows_.schema().columns();
  for (std::size_t i : learnt) columns[first_column + i].dtype = updates.leaf(i).dtype;
  std::ranges::fill(known_, nullptr);
  rows_.replace_schema(std::make_shared<const Schema>(std::move(columns), rows_.schema().count_paths()));
}

template <class A>
bool Recorder<A>::was_present(std::size_t column) const {
  for (std::int64_t row = 0; row < rows_.rows(); ++row)
    if (rows_.presence(row, column) != Presence::absent) return true;
  return false;
}

template class Recorder<Plain<float>>;
template class Recorder<Plain<double>>;
template class Recorder<Plain<Wide>>;
template class Recorder<Emulated<double>>;
template class Recorder<Balls<Wide>>;
template class Recorder<Balls<double>>;

}  // namespace microstep
