// Hypotheses on what the window's gradients became: the sum, the mean of means, one of them only, ...
#include <algorithm>
#include <cmath>

#include "clue.hpp"

namespace microstep {
namespace {

/// sum(c g) over the window, c from the hypothesis.
Numbers combined(const Clue& clue, const std::vector<double>& shares) {
  Numbers result(clue.observed.size(), 0.0);
  for (std::size_t t = 0; t < clue.gradients.size(); ++t)
    for (std::size_t i = 0; i < result.size() && shares[t] != 0; ++i) result[i] += shares[t] * clue.gradients[t][i];
  return result;
}

enum class Reduction { mean, sum, weighted };

Reduction declared(const Clue& clue) {
  const Node* accumulator = clue.node("multi_steps");
  if (!accumulator) return Reduction::sum;
  const std::string& reduce = accumulator->spec->text("reduce");
  return reduce == "sum" ? Reduction::sum : reduce == "weighted" ? Reduction::weighted : Reduction::mean;
}

std::vector<double> shares_of(const Clue& clue, Reduction reduction) {
  double total = 0;
  for (double w : clue.weights) total += w;
  std::vector<double> shares;
  for (double w : clue.weights)
    shares.push_back(reduction == Reduction::sum        ? 1.0
                     : reduction == Reduction::weighted ? w / total
                                                        : 1.0 / static_cast<double>(clue.weights.size()));
  return shares;
}

bool weights_differ(const Clue& clue) {
  return std::ranges::adjacent_find(clue.weights, std::ranges::not_equal_to{}) != clue.weights.end();
}

std::vector<double> only(const Clue& clue, std::size_t t, double share) {
  std::vector<double> shares(clue.gradients.size(), 0.0);
  shares[t] = share;
  return shares;
}

/// By what a column may multiply what it holds; an update holds nothing.
std::vector<double> decays_of(const Clue& clue) {
  std::vector<double> decays = {0};
  if (clue.is_update()) return decays;
  if (clue.path().starts_with("params/")) return {1};
  const auto add = [&](const auto& self, const Spec& spec) -> void {
    for (const char* name : {"b1", "b2", "momentum", "decay"})
      if (auto value = spec.args.find(name); value != spec.args.end())
        if (const double* number = std::get_if<double>(&value->second.data)) decays.push_back(*number);
    for (const Spec& inner : spec.of) self(self, inner);
  };
  add(add, clue.reading.plan().spec);
  return decays;
}

bool is_second_moment(const Clue& clue) { return clue.path().find("/nu/") != std::string::npos; }

/// The column answers to the reduced gradient, less what it held before: in proportion, or with its square.
bool explains_reduced(const Clue& clue, const Numbers& right, const Numbers& wrong) {
  const int power = is_second_moment(clue) ? 2 : 1;
  for (double decay : decays_of(clue)) {
    Numbers hypothesis;
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (right[i] == 0 && wrong[i] != 0) return false;
      const double kept = decay * clue.before[i], share = right[i] == 0 ? 1 : wrong[i] / right[i];
      hypothesis.push_back(kept + (clue.expected[i] - kept) * std::pow(share, power));
    }
    if (explains(clue, hypothesis)) return true;
  }
  return false;
}

/// What was due of the window's gradients, and whether the column shows another combination of them.
struct Reduced {
  const Clue& clue;
  Reduction reduction = declared(clue);
  Numbers right = combined(clue, shares_of(clue, reduction));

  bool to(const Numbers& wrong) const {
    return clue.is_accumulator() ? explains(clue, wrong) : explains_reduced(clue, right, wrong);
  }
  bool by(const std::vector<double>& shares) const { return to(combined(clue, shares)); }
};

/// One gradient only, or all but one; nothing at all.
Tellings tell_parts(const Clue& clue) {
  Tellings tellings;
  const std::size_t n = clue.gradients.size();
  if (n == 0) return tellings;
  const Reduced reduced{clue};
  const bool is_empty = clue.observed == Numbers(clue.observed.size(), 0.0);
  tell(tellings, clue.is_accumulator() && is_empty, "boundary", "nothing");
  if (n < 2) return tellings;
  const double share = 1 / static_cast<double>(n);
  const std::pair<const char*, std::size_t> places[] = {{"first", 0}, {"last", n - 1}};
  for (const auto& [name, t] : places) {
    tell(tellings, reduced.by(only(clue, t, 1)), "boundary", std::string(name) + " only");
    tell(tellings, reduced.by(only(clue, t, share)), "boundary", std::string(name) + " only, divided");
    std::vector<double> out(n, share);
    out[t] = 0;
    tell(tellings, reduced.by(out), "boundary", std::string("all but the ") + name);
  }
  return tellings;
}

/// Of the whole window, which may go on.
double length_of_window(const Clue& clue) { return static_cast<double>(clue.reading.window_length(clue.row)); }

Numbers scaled(Numbers numbers, double factor) {
  for (double& x : numbers) x *= factor;
  return numbers;
}

/// The column, or what of it answers to the reduced gradient.
bool is_times(const Reduced& reduced, double factor) {
  const double own = is_second_moment(reduced.clue) ? factor * factor : factor;
  return explains_factor(reduced.clue, own) ||
         (!reduced.clue.is_accumulator() && reduced.to(scaled(reduced.right, factor)));
}

/// All of them by another reduction, or with a power of the window's length.
Tellings tell_reductions(const Clue& clue) {
  Tellings tellings;
  if (clue.gradients.empty()) return tellings;
  const Reduced reduced{clue};
  auto is = [&](Reduction other) { return other != reduced.reduction && reduced.by(shares_of(clue, other)); };
  tell(tellings, weights_differ(clue) && is(Reduction::weighted), "token-weight", "weighted");
  if (reduced.reduction == Reduction::weighted) tell(tellings, is(Reduction::mean), "token-weight", "mean");
  if (reduced.reduction == Reduction::sum) tell(tellings, is(Reduction::mean), "sum-mean", "mean");
  tell(tellings, is(Reduction::sum), "sum-mean", "sum");
  for (double length : {static_cast<double>(clue.gradients.size()), length_of_window(clue)}) {
    if (length < 2) continue;
    tell(tellings, is_times(reduced, length), "sum-mean", "multiplied");
    tell(tellings, is_times(reduced, 1 / length), "sum-mean", "divided");
  }
  return tellings;
}

/// The first window had nothing to leave out: of that leaf, all was right when it ended.
bool began_right(const Clue& clue) {
  std::int64_t row = 1;
  while (row < clue.row && !clue.reading.closes(row)) ++row;
  return row < clue.row && !BallCheck(clue.reading).first_outside(row, clue.column);
}

/// All gradients since the start, of an accumulator that no window clears: by what the window's are divided, or by the
/// number of all. It shows in the second window.
Tellings tell_leftovers(const Clue& clue) {
  Tellings tellings;
  constexpr std::int64_t last_looked_at = 3;
  if (clue.gradients.empty() || clue.reading.window_of(clue.row) > last_looked_at || !began_right(clue))
    return tellings;
  const Reduced reduced{clue};
  const Taken earlier = taken_in(clue, 1, clue.reading.first_row_of_window(clue.row));
  const bool weighted = reduced.reduction == Reduction::weighted, sums = reduced.reduction == Reduction::sum;
  double window = 0, before = 0;
  for (double w : clue.weights) window += weighted ? w : 1;
  Numbers all = reduced.right;
  for (std::size_t t = 0; t < earlier.gradients.size(); ++t) {
    const double weight = weighted ? earlier.weights[t] : 1;
    before += weight;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += weight / (sums ? 1 : window) * earlier.gradients[t][i];
  }
  tell(tellings, reduced.to(all), "boundary", "all since the start");
  tell(tellings, !sums && reduced.to(scaled(all, window / (window + before))), "boundary", "mean since the start");
  return tellings;
}

/// The leaf's accumulator is shown, and was right until the last gradient of the window came in.
bool is_accumulated_right(const Clue& clue) {
  BallCheck check(clue.reading);
  bool shown = false;
  for (const Node& node : clue.reading.nodes())
    for (std::size_t column : node.columns)
      for (std::int64_t row = clue.reading.first_row_of_window(clue.row); row < clue.row; ++row) {
        if (!node.is_multi_steps() || row < 1) continue;
        if (!clue.reading.rows().schema().columns()[column].path.ends_with("/" + clue.leaf)) continue;
        if (is_missing(clue.reading.rows(), row, column) || check.first_outside(row, column)) return false;
        shown = true;
      }
  return shown;
}

/// By how much the leaf moves, in place of where it is.
Clue movement_of(Clue clue) {
  for (std::size_t i = 0; i < clue.before.size() && clue.path().starts_with("params/"); ++i) {
    clue.observed[i] -= clue.before[i];
    clue.expected[i] -= clue.before[i];
  }
  return clue;
}

bool is_same_factor(const Factor& one, const Clue& clue) {
  const auto other = common_factor(movement_of(clue));
  return other && std::fabs(one.value - other->value) <= one.room + other->room;
}

}  // namespace

bool is_one_factor(const Clue& clue) {
  if (clue.path().starts_with("state/")) return false;
  const auto factor = common_factor(movement_of(clue));
  if (!factor) return false;
  const auto& columns = clue.is_update() ? clue.reading.updates() : clue.reading.params();
  for (std::size_t column : columns)
    if (auto found = BallCheck(clue.reading).first_outside(clue.row, column))
      if (auto other = clue_of(clue.reading, *found); other && !is_same_factor(*factor, *other)) return false;
  const auto next = next_of(clue);
  return !next || is_same_factor(*factor, *next);
}

bool is_factor_behind(const Clue& clue) { return is_accumulated_right(clue) && is_one_factor(clue); }

void explain_reduction(const Clue& clue, Causes& causes) {
  if (!clue.reading.has_accumulator() || clue.is_behind_adam()) return;
  for (auto* tellings_of : {tell_parts, tell_reductions, tell_leftovers}) {
    for (const Telling& telling : consistent(clue, tellings_of)) add_cause(causes, true, telling.cause);
    if (!causes.empty()) return;
  }
}

}  // namespace microstep
