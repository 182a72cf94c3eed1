#pragma once
// Recorded, verified and compared folders of goldens, as text and as JSON (schemas microstep/record/1, verify/1,
// diff/2).
#include <string>
#include <vector>

#include "microstep/trial/diff.hpp"
#include "microstep/trial/record.hpp"
#include "microstep/trial/verify.hpp"

namespace microstep {

std::string text_report(const std::vector<Recorded>& recorded);
std::string json_report(const std::vector<Recorded>& recorded);
std::string text_report(const VerifiedFolder& verified);
std::string json_report(const VerifiedFolder& verified);
std::string text_report(const Accepted& accepted);
std::string json_report(const Accepted& accepted);
/// all: rounding by experiment too, and not by leaf alone.
std::string text_report(const FolderDiff& diff, bool all = false);
std::string json_report(const FolderDiff& diff);

}  // namespace microstep
