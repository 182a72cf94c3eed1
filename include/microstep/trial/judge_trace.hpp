#pragma once
// A trace that anyone's loop dumped, judged without the program that made it.
#include <optional>
#include <string>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/judge/faithful.hpp"
#include "microstep/judge/verdict.hpp"

namespace microstep {

struct TraceJudgement {
  Plan plan;
  Faithfulness faithful;
  std::vector<Verdict> contracts;
  std::int64_t microsteps = 0;
  /// What in the spec has no effect, such as a mask that matches no leaf.
  std::vector<std::string> warnings;
};

/// text: a file of schema microstep/trace/1. spec: in place of the one in the file. Throws json.*, spec.*,
/// trace.no-spec where neither says one, trace.empty without a microstep.
TraceJudgement judge_trace(const std::string& text, const std::string& source, const std::optional<Spec>& spec);

}  // namespace microstep
