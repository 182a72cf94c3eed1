#pragma once
// The second question: is a float trace faithful to its spec? Every recorded number against its one-step ball.
#include <optional>
#include <string>

#include "microstep/data/trace.hpp"
#include "microstep/judge/verdict.hpp"

namespace microstep {

struct Faithfulness {
  /// holds, broken, or undecidable where no ball could be made.
  Outcome outcome = Outcome::holds;
  /// The first number outside its ball, in the order of microsteps and, within one, counts, state, updates, params.
  std::optional<Place> first;
  /// Numbers outside their balls, and numbers judged.
  std::int64_t outside = 0;
  std::int64_t judged = 0;
  /// Of both those that are counts.
  std::int64_t counts_outside = 0;
  std::int64_t counts_judged = 0;
  /// Numbers in an infinitely wide ball, which nothing could leave, that are not its centre. One that is not finite
  /// where none is due is no such: which of NaN and infinity it is may hang on the form of a formula.
  std::int64_t infinite = 0;
  /// Numbers whose ball has radius 0, where any difference is semantic.
  std::int64_t exact = 0;
  /// The largest distance from a centre as a share of the radius, over the numbers inside; its path.
  double largest_share = 0;
  std::string largest_path;
  /// The same over all numbers, those outside too (infinite off a ball of radius 0), and its place, such as
  /// `microstep 4, params/w[1]`.
  double max_ratio = 0;
  std::string max_place;
  /// Why it is undecidable.
  std::string reason;
  /// The first count or leaf that a row lacks, in words; empty for none.
  std::string missing;
};

/// A carried ball that shows nothing of its leaf: infinite, or as wide as the leaf's largest number, so that twice the
/// leaf, or none, would lie in it too.
bool is_as_wide_as_itself(const Envelope& balls, std::int64_t row, std::size_t column);

/// A path of the spec's state that the trace does not show at all; empty for none.
std::string hidden_state(const Envelope& expected, const Schema& observed);

/// observed and expected: rows of the same microsteps; columns are matched by path. An absent or zero expected leaf
/// allows zeros only; paths that expected does not have are not judged, nor are numbers that a row of observed lacks.
/// Where anything is hidden or missing, a ball that shows nothing makes it undecidable; an infinitely wide one always
/// does, of a number that is not its centre. with_start: row 0 too.
Faithfulness faithfulness(const Trace& observed, const Envelope& expected, bool with_start);

}  // namespace microstep
