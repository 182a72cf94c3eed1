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
  /// Numbers whose ball has radius 0, where any difference is semantic.
  std::int64_t exact = 0;
  /// The largest distance from a centre as a share of the radius, over the numbers inside; its path.
  double largest_share = 0;
  std::string largest_path;
  /// Why it is undecidable.
  std::string reason;
};

/// observed and expected: rows of the same microsteps; columns are matched by path. An absent or zero expected leaf
/// allows zeros only; paths that expected does not have are not judged. with_start: row 0 too.
Faithfulness faithfulness(const Trace& observed, const Envelope& expected, bool with_start);

}  // namespace microstep
