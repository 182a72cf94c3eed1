#include "own_fault.hpp"

#include <algorithm>

#include "microstep/scalar/balls.hpp"

namespace microstep {
namespace {

using Rounding = Balls<Wide>;

/// One number before the microstep, and the input that leads from it to what was due.
struct Step {
  Rounding in;
  Ball before, input;
  double k, taken;

  Ball part(const Ball& x, double divisor) const { return in.divide(x, exactly(divisor)); }
};

double length_of(const Node& node, const Beat& last) {
  if (!node.is_multi_steps()) return static_cast<double>(node.spec->integer("k"));
  return schedule_value(node.spec->args.at("k"), last.gradient_step);
}

Step step_at(const Reading& reading, const Node& node, const Finding& number) {
  const Beat& last = node.beats[static_cast<std::size_t>(number.row - 1)];
  const bool opens = node.beats[static_cast<std::size_t>(number.row)].opens;
  const bool mean = node.is_multi_steps() && node.spec->text("reduce") == "mean";
  const auto in = Rounding::rounding(reading.rows().schema().columns()[number.where].dtype);
  const double taken = static_cast<double>(last.mini_step) + 1;
  const Ball before = number_at(reading.rows(), number.row - 1, number.where, number.index);
  const Ball kept = opens ? exactly(0) : before;
  const Ball moved = in.subtract(number.expected, kept);
  const Ball input = mean ? in.add(kept, in.multiply(moved, exactly(taken))) : moved;
  return {in, before, input, length_of(node, last), taken};
}

/// What a faulty accumulator makes of one input.
using Makes = Ball (*)(const Step&);

struct Match {
  /// Of the whole column.
  bool is_made = true;
  /// In some place where it is wrong the right input of a right accumulator could not be the same.
  bool is_told_apart = false;
};

Match match(const Reading& reading, const Node& node, const Finding& found, Makes makes) {
  const std::int64_t size = reading.rows().schema().columns()[found.where].size;
  const std::size_t mirror = *reading.expected_column(found.where);
  Finding number = found;
  Match result;
  for (number.index = 0; number.index < size; ++number.index) {
    number.observed = number_at(reading.rows(), found.row, found.where, number.index);
    number.expected = number_at(*reading.expected(), found.row, mirror, number.index);
    const Ball made = makes(step_at(reading, node, number));
    result.is_made = result.is_made && overlap(number.observed, made);
    const bool apart = !overlap(number.observed, number.expected) && !overlap(made, number.expected);
    result.is_told_apart = result.is_told_apart || apart;
  }
  return result;
}

bool is_made_by(const Reading& reading, const Node& node, const Finding& found, Makes makes) {
  const Match result = match(reading, node, found, makes);
  return result.is_made && result.is_told_apart;
}

Ball keeps_all(const Step& s) { return s.in.add(s.before, s.input); }

constexpr Makes faults[] = {
    keeps_all,
    [](const Step& s) { return s.before; },
    [](const Step& s) { return s.input; },
    [](const Step& s) { return s.in.add(s.before, s.part(s.in.subtract(s.input, s.before), s.taken)); },
};

/// Of a window's first input a k-th is what another factor of the link before it makes as well; so it is of each, where
/// it was of the first.
constexpr Makes late_faults[] = {
    [](const Step& s) { return s.part(s.input, s.k); },
    [](const Step& s) { return s.in.add(s.before, s.part(s.input, s.k)); },
};

bool opened_right(const Reading& reading, const Node& node, const Finding& found) {
  std::int64_t first = found.row;
  while (first > 1 && !node.beats[static_cast<std::size_t>(first)].opens) --first;
  return first < found.row && !BallCheck(reading).first_outside(first, found.where);
}

}  // namespace

bool is_own_fault(const Reading& reading, const Node& node, const Finding& found) {
  if (found.row < 1) return false;
  auto is_made = [&](Makes makes) { return is_made_by(reading, node, found, makes); };
  return std::ranges::any_of(faults, is_made) ||
         (opened_right(reading, node, found) && std::ranges::any_of(late_faults, is_made));
}

bool replaces_what_was_left(const Reading& reading, const Node& node, const Finding& found) {
  const bool opens = found.row > 0 && node.beats[static_cast<std::size_t>(found.row)].opens;
  return opens && node.is_multi_steps() && node.spec->text("reduce") != "sum" &&
         first_nonzero(reading.rows(), found.row - 1, found.where) &&
         match(reading, node, found, [](const Step& s) {
           return s.in.add(s.before, s.in.subtract(s.input, s.before));
         }).is_made;
}

bool keeps_all_before(const Reading& reading, const Node& node, const Finding& found) {
  return found.row > 0 && is_made_by(reading, node, found, keeps_all);
}

}  // namespace microstep
