// Is what is off a clip at another place? Where a clip was at work, and no other factor is it.
#include <algorithm>
#include <cmath>

#include "clue.hpp"

namespace microstep {
namespace {

/// The largest magnitude of what came in, or its joint norm.
double size_of_gradients(const Reading& reading, std::int64_t row, bool joint) {
  double largest = 0, squares = 0;
  for (std::size_t column : reading.gradients()) {
    if (reads_as_zero(reading.rows(), row, column)) continue;
    for (const Ball& number : reading.rows().numbers(row, column)) {
      const double x = static_cast<double>(number.value);
      largest = std::max(largest, std::fabs(x));
      squares += x * x;
    }
  }
  return joint ? std::sqrt(squares) : largest;
}

double numbers_of_gradients(const Reading& reading) {
  std::int64_t count = 0;
  for (std::size_t column : reading.gradients()) count += reading.rows().schema().columns()[column].size;
  return static_cast<double>(count);
}

/// A gradient of the window is beyond the bound.
bool clips(const Reading& reading, std::int64_t last, const Spec& clip) {
  const bool joint = clip.op == "clip_by_global_norm";
  const double bound = clip.number(joint ? "max_norm" : "max_delta");
  for (std::int64_t row = reading.first_row_of_window(last); row <= last; ++row)
    if (row > 0 && size_of_gradients(reading, row, joint) > bound) return true;
  return false;
}

/// All is brought to the bound as the joint norm of what came in is.
bool is_clipped_as_it_came(const Clue& clue, const Spec& clip) {
  auto factor = clip.op == "clip_by_global_norm" ? common_factor(clue) : std::nullopt;
  if (!factor) return false;
  const double due = clip.number("max_norm") / size_of_gradients(clue.reading, clue.row, true);
  // The norm of n numbers: n squares and sums, a root; its quotient counts twice.
  const double operations = numbers_of_gradients(clue.reading) + 3;
  return std::fabs(factor->value - due) <= factor->room + operations * clue.unit * due;
}

/// It was at work in an earlier window, which is right.
bool clipped_before(const Clue& clue, const Spec& clip) {
  const Reading& reading = clue.reading;
  for (std::int64_t row = 1; row < reading.first_row_of_window(clue.row); ++row)
    if (reading.emits(row) && clips(reading, row, clip)) return true;
  return false;
}

}  // namespace

// How Adam answers to what is clipped is not asked here.
void explain_clip(const Clue& clue, Causes& causes) {
  const Spec* clip = find_op(clue.reading.plan().spec, "clip");
  if (!clip || clue.is_behind_adam() || !clips(clue.reading, clue.row, *clip) || clipped_before(clue, *clip)) return;
  add_cause(causes, !is_constant_factor(clue) || is_clipped_as_it_came(clue, *clip), "clip-place");
}

}  // namespace microstep
