#pragma once
// A column that is outside of its balls, beside everything that could have made it so. A hypothesis is what the column
// would hold under one kind of fault; it names the cause if it explains every number of the column.
#include <functional>

#include "causes.hpp"

namespace microstep {

using Numbers = std::vector<double>;

struct Clue {
  const Reading& reading;
  std::int64_t row;
  std::size_t column;
  /// The leaf's name and its place among the params.
  std::string leaf;
  std::size_t leaf_index;
  /// What is in the column, what ought to be, and what was there before.
  Numbers observed, expected, before;
  std::vector<bool> outside;
  /// Of the expected balls, the observed one's added.
  Numbers radius;
  /// The params before the microstep; empty where the trace hides them.
  Numbers params;
  /// Gradients of the leaf since the window began, one row each; absent ones are zeros.
  std::vector<Numbers> gradients;
  std::vector<double> weights;
  /// Unit roundoff of the narrowest dtype that the run has anywhere.
  double unit = 0;

  const std::string& path() const { return reading.rows().schema().columns()[column].path; }
  bool is_update() const { return path().starts_with("updates/"); }
  bool is_accumulator() const;
  /// The node with an op that begins so whose state has the leaf; the first one where no state tells.
  const Node* node(std::string_view op) const;
  /// Adam's, of either form.
  const Node* adam() const;
  /// An update or param that Adam makes of the reduced gradient: another factor of that gradient is not another factor
  /// of this.
  bool is_behind_adam() const;
  /// The column of that slot for the same leaf, of the first node that has it.
  std::optional<Numbers> slot(std::string_view name, std::int64_t at_row) const;
};

/// Gradients of the leaf, one row each, and the weights of their microbatches.
struct Taken {
  std::vector<Numbers> gradients;
  std::vector<double> weights;
};
/// In the rows from first to before end, but for skipped ones.
Taken taken_in(const Clue& clue, std::int64_t first, std::int64_t end);

/// None for a count, or a column without balls.
std::optional<Clue> clue_of(const Reading& reading, const Finding& finding);

/// The radius of a hypothesis' ball: its roundings where it is that far from what was due, and those of working it out.
double room_of(const Clue& clue, std::size_t index, double hypothesis, double more = 0);
/// Every number of the column lies in the ball of the hypothesis; more: roundings of its formula beside those that any
/// has.
bool explains(const Clue& clue, const Numbers& hypothesis, double more = 0);
/// The expected column times one factor.
bool explains_factor(const Clue& clue, double factor);

/// What the largest number is of what was due, if all are; how far rounding may move that.
struct Factor {
  double value, room;
};
std::optional<Factor> common_factor(const Clue& clue);
/// The same one in the next window: another hyper-parameter's. A clip depends on what it clips.
bool is_constant_factor(const Clue& clue);

/// The column in the next microstep that emits, if it is outside of its balls there too.
std::optional<Clue> next_of(const Clue& clue);

/// A cause and which hypothesis names it.
struct Telling {
  const char* cause;
  std::string hypothesis;
  bool operator==(const Telling&) const = default;
};
using Tellings = std::vector<Telling>;
void tell(Tellings& tellings, bool applies, const char* cause, std::string hypothesis);
/// Those that explain the same slot, or the updates, of every other leaf that is outside, and the column where it next
/// is: another hyper-parameter may look like one of them in one place, but not in all. Proportions tell nothing of 0.
Tellings consistent(const Clue& clue, Tellings (*tellings_of)(const Clue& clue));

/// The first spec, from outside, whose op begins so.
const Spec* find_op(const Spec& spec, std::string_view prefix);

/// What is there beyond what was due: one multiple of the params, of which at least two numbers tell.
bool is_multiple_of_params(const Clue& clue);

/// Of an update, or of how far a param moves: one factor in each leaf and in the next window. Another learning rate
/// does that as well as another reduction.
bool is_one_factor(const Clue& clue);
/// The same behind an accumulator that is seen to be right up to the window's last gradient.
bool is_factor_behind(const Clue& clue);

// Each adds the causes whose hypotheses explain the clue.
void explain_reduction(const Clue& clue, Causes& causes);
void explain_formula(const Clue& clue, Causes& causes);
void explain_decay(const Clue& clue, Causes& causes);
void explain_leaf(const Clue& clue, Causes& causes);
void explain_hyper(const Clue& clue, Causes& causes);
void explain_clip(const Clue& clue, Causes& causes);

void add_cause(Causes& causes, bool applies, const char* cause);

}  // namespace microstep
