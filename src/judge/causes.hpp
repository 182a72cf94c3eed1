#pragma once
// Which known classes of faults would make such a number. Ids are the classes of the public reports, in lower case.
#include <string>
#include <vector>

#include "finding.hpp"

namespace microstep {

using Causes = std::vector<std::string>;

/// Why a number of a held microstep moved.
Causes causes_of_movement(const Reading& reading, const Finding& finding);
/// A counter that tells where a schedule is read and nothing else.
bool is_of_schedule(const Reading& reading, const Finding& finding);
/// What moves where the inner sleeps are its counters and no number.
bool moves_counts_alone(const Reading& reading);
/// Why a counter is off: in units of microsteps, by one, or otherwise.
Causes causes_of_count(const Reading& reading, const Finding& finding);
/// Why an accumulator, or what the inner made of it, is outside of its ball.
Causes causes_of_value(const Reading& reading, const Finding& finding);
/// The sum, one microbatch only, another divisor, ...: the number is what another reduction of its window would make.
bool is_other_reduction(const Reading& reading, const Finding& finding);
/// How many numbers of the column, and of it where it is next outside, an explanation must fit.
std::size_t numbers_that_tell(const Reading& reading, const Finding& finding);
/// Behind an accumulator that is not seen to be wrong: it may be that of another reduction, or of another learning rate.
bool is_by_one_factor(const Reading& reading, const Finding& finding);
/// The same behind one that is seen to be right.
bool is_other_factor(const Reading& reading, const Finding& finding);
/// The first number of the trace outside of its ball, from that row on; state before updates before params.
std::optional<Finding> first_unfaithful(const Reading& reading, std::int64_t first_row);
/// From all paths in which two runs differ; never empty for a difference.
Causes causes_of_difference(const Reading& reading, const Semantics& semantics);
/// Why something of a closed window, or of a microbatch that was skipped, is left.
Causes causes_of_nonfinite(const Reading& reading, const Finding& finding);
/// A microbatch up to that row was skipped or not finite, or an accumulator was not finite before it.
bool is_after_nonfinite(const Reading& reading, std::int64_t row);

}  // namespace microstep
