#pragma once
// What the numbers of a float trace are to the exact steps, in one word, with the place that comes closest to leaving.
#include <optional>
#include <string>
#include <string_view>

#include "microstep/judge/faithful.hpp"

namespace microstep {

enum class RoundingKind : std::uint8_t { exact, rounding, undecidable, semantic };
std::string_view to_string(RoundingKind kind);

struct Rounding {
  /// exact: each number is the centre of its ball; rounding: each lies in it; semantic: one does not.
  RoundingKind verdict = RoundingKind::exact;
  /// The largest |recorded - exact| / radius over all numbers; none where no ball could be made.
  std::optional<double> max_ratio = 0;
  /// Where, such as `microstep 4, params/w[1]`; empty where it is 0 or none.
  std::string path;
};

/// What was found of the numbers alone; a form that is broken is none of theirs.
Rounding rounding_in(const Faithfulness& found);

/// Both together: the graver verdict, the larger ratio.
Rounding both(const Rounding& a, const Rounding& b);

}  // namespace microstep
