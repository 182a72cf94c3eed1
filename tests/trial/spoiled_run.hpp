#pragma once
// Our own run of one spec, its trace changed, judged as that of a claim.
#include <gtest/gtest.h>

#include "microstep/json/trace.hpp"
#include "microstep/train/run.hpp"
#include "microstep/train/setup.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {

inline DumpedTrace dumped_run(std::string_view actual, const PlanOptions& options = {.windows = 4}) {
  const Plan plan = make_plan(parse_spec(actual), parse_spec("replay", OpKind::problem), options);
  DumpedTrace dumped;
  dumped.trace = run(plan);
  for (const auto& batch : plan.batches) {
    double weight = 0;
    for (std::int64_t i : batch) weight += plan.given[static_cast<std::size_t>(i)].weight;
    dumped.weights.push_back(weight);
  }
  return dumped;
}

inline TraceJudgement judged_as(std::string_view claim, const DumpedTrace& dumped) {
  return judge_trace(encode_dumped_trace(dumped), "run", parse_spec(claim));
}

inline const Verdict& verdict_on(const TraceJudgement& judgement, std::string_view id) {
  return *std::ranges::find(judgement.contracts, id, &Verdict::contract);
}

inline std::span<double> numbers_of(DumpedTrace& dumped, std::string_view path, std::int64_t row) {
  return dumped.trace.numbers(row, dumped.trace.schema().find_column(path).value());
}

}  // namespace microstep
