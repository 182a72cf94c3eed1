#pragma once
// From trees to the flat rows of a trace.
#include <vector>

#include "microstep/data/state.hpp"
#include "microstep/data/trace.hpp"

namespace microstep {

/// Columns and count paths of a run: params, gradients, updates, the state's slots (state/of[0]/mu/w), loss.
template <class S>
Schema schema_of(const Tree<S>& params, const Tree<S>& gradients, const Tree<S>& updates, const State<S>& state,
                 Dtype loss_dtype);

/// The slots of a state in the order of the columns, and its counts in the order of the count paths.
template <class S>
void collect(const State<S>& state, std::vector<const Tree<S>*>& slots, std::vector<std::int64_t>& counts);

/// Writes rows of one run. A: the arithmetic, for A::number.
template <class A>
class Recorder {
 public:
  using V = typename A::Value;
  Recorder(const Tree<V>& params, const Tree<V>& gradients, const State<V>& state, Dtype loss_dtype,
           std::int64_t microsteps);

  /// Row 0 has no updates: pass nullptr for gradients and updates.
  void record(const Tree<V>& params, const Tree<V>* gradients, const Tree<V>* updates, const State<V>& state,
              const V* loss);
  const Schema& schema() const { return rows_.schema(); }
  Rows<typename A::Number> take() { return std::move(rows_); }

 private:
  std::size_t write(const Tree<V>* tree, std::size_t first_column, std::size_t leaves);
  void note_deviations(const Tree<V>& tree, std::size_t first_column);
  void learn_update_dtypes(const Tree<V>& updates, std::size_t first_column);
  bool was_present(std::size_t column) const;

  Rows<typename A::Number> rows_;
  // By first column of a tree: a layout that was found to be as declared.
  std::vector<LayoutPointer> known_;
  std::vector<const Tree<V>*> slots_;
  std::vector<std::int64_t> counts_;
};

}  // namespace microstep
