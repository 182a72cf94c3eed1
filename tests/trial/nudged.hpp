#pragma once
// A golden with one number that another machine may as well have made.
#include <cmath>
#include <limits>
#include <optional>

#include "microstep/bound/transition.hpp"
#include "microstep/golden/golden.hpp"

namespace microstep {

/// One number of the last params is the number of its dtype on the other side of the exact one, where that is as right:
/// nothing follows from it any more. None where no number has such a neighbour.
inline std::optional<Golden> nudged(Golden golden) {
  Trace& trace = golden.traces.at(Role::accumulated);
  const Plan& plan = golden.plans.at(Role::accumulated);
  const Envelope balls = transitions(plan, embedded(trace), rounding_of(plan));
  const std::int64_t last = trace.rows() - 1;
  for (std::size_t c = 0; c < trace.schema().columns().size(); ++c) {
    const Column& column = trace.schema().columns()[c];
    const auto own = balls.schema().find_column(column.path);
    if (!column.path.starts_with("params/") || !own || trace.presence(last, c) != Presence::dense) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(column.size); ++i) {
      double& x = trace.numbers(last, c)[i];
      const std::uint64_t bits = bits_of(column.dtype, x);
      for (const double other : {from_bits(column.dtype, bits + 1), from_bits(column.dtype, bits - 1)})
        if (x != 0 && contains(balls.numbers(last, *own)[i], other)) {
          x = other;
          return golden;
        }
    }
  }
  return std::nullopt;
}

}  // namespace microstep
