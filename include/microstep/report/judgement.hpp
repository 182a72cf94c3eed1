#pragma once
// A judged trace, and contracts, as text for people and as JSON (schemas microstep/judge/1, microstep/contracts/1).
#include <span>
#include <string>

#include "microstep/judge/contract.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {

std::string text_report(const TraceJudgement& judgement);
std::string json_report(const TraceJudgement& judgement);

/// `path[index] is 0.5 (bits) where 0.25 (bits) was due, 3 radii off, microstep 2`.
std::string place_in_words(const Place& place);

std::string text_catalogue(std::span<const Contract> contracts);
std::string json_catalogue(std::span<const Contract> contracts);

}  // namespace microstep
