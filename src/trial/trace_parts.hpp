#pragma once
// A large trace, judged a part of each leaf at a time.
#include <functional>

#include "microstep/json/trace.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {

/// How many parts a trace of that size is judged in: 1 where it is small, or where the spec lets a number depend on
/// others of its step (a norm, a rule that skips), or on a weight that stands beside the leaves.
std::int64_t parts_for(const TraceSize& size, const Spec& spec);

/// Throws trace.too-large where a trace of that size, judged at once, does not fit.
void refuse_beyond(double available, const TraceSize& size, const std::string& source);

using JudgePart = std::function<TraceJudgement(const Part& part, bool with_causes)>;
/// All parts, by as many threads as there are processors, as one judgement: each contract as in the part where it does
/// worst. Where anything is broken, its causes are those of the part with the first number outside.
TraceJudgement judge_in_parts(std::int64_t count, const JudgePart& judge);

}  // namespace microstep
