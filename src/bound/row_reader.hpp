#pragma once
// From observed rows to the trees of a step.
#include <fmt/format.h>

#include <algorithm>

#include "microstep/data/error.hpp"
#include "microstep/data/state.hpp"
#include "microstep/data/trace.hpp"

namespace microstep {

template <class C>
bool is_open(const State<BasicBall<C>>& state) {
  return state.op == "multi_steps" && state.count("mini_step") != 0;
}

// An accumulator of zeros does not tell whether its leaf has had a gradient in the open window: what the step before
// left does, `was_open` of its window. Where the row's own window is another one, that is of no use.
inline Presence presence_of_zeros(Presence carried, bool was_open, bool is_open) {
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

  template <class C>
  void read(std::int64_t row, std::size_t first_column, Tree<BasicBall<C>>& tree) const {
    for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
      if (!columns_[first_column + i]) continue;
      const std::size_t column = *columns_[first_column + i];
      const Presence presence = observed_.presence(row, column);
      if (is_missing(observed_, row, column)) continue;
      if (presence == Presence::absent && tree.presence(i) == Presence::absent) continue;
      tree.mark(i, presence);
      if (presence == Presence::dense) take(observed_.numbers(row, column), tree.values(i));
    }
  }

  template <class C>
  void read(std::int64_t row, std::size_t& column, std::size_t& count, State<BasicBall<C>>& state) const {
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
  template <class C>
  static C as_centre(Wide x) {
    if constexpr (std::is_same_v<C, Wide>)
      return x;
    else
      return wide::to_double(x);
  }

  template <class C>
  static void take(std::span<const Ball> numbers, std::span<BasicBall<C>> values) {
    std::ranges::transform(numbers, values.begin(), [](const Ball& x) {
      return BasicBall<C>{static_cast<C>(x.value), x.radius};
    });
  }

  template <class S>
  static std::vector<Presence> presences_of(const Tree<S>& tree) {
    std::vector<Presence> presences;
    for (std::size_t i = 0; i < tree.leaf_count(); ++i) presences.push_back(tree.presence(i));
    return presences;
  }

  template <class S>
  static void restore_zeros(Tree<S>& acc, const std::vector<Presence>& carried, bool was_open, bool is_open) {
    auto is_zero = [](const S& ball) { return ball.value == 0 && ball.radius == 0; };
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

}  // namespace microstep
