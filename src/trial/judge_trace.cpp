#include "microstep/trial/judge_trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "masks.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/json/trace.hpp"
#include "microstep/judge/contract.hpp"
#include "microstep/trial/evidence.hpp"
#include "trace_causes.hpp"

namespace microstep {
namespace {

Spec spec_of(const DumpedTrace& dumped, const std::optional<Spec>& given, const std::string& source) {
  if (given) return *given;
  if (!dumped.spec.empty()) return parse_spec(dumped.spec);
  throw Error("trace.no-spec", "neither the trace nor the command says which optimizer it is of", source,
              "add \"spec\": \"...\" to the file, or --spec '...'");
}

DumpedTrace read_trace(const std::string& text, const std::string& source) {
  DumpedTrace dumped = decode_dumped_trace(text, source);
  if (dumped.trace.microsteps() == 0)
    throw Error("trace.empty", "the trace has no microstep", source, "record at least one step");
  return dumped;
}

bool is_broken(const Verdict& verdict) { return verdict.outcome == Outcome::broken; }
bool is_broken_form(const Verdict& verdict) { return is_broken(verdict) && verdict.contract.starts_with("form."); }

Faithfulness faithfulness_of(const Trace& trace, const Evidence& evidence) {
  Faithfulness result;
  if (auto expected = evidence.expected.find(Role::accumulated); expected != evidence.expected.end())
    result = faithfulness(trace, expected->second, false);
  else
    result.reason = evidence.undecidable.at(Role::accumulated);
  const Plan& plan = evidence.experiment->plans.at(Role::accumulated);
  if (result.infinite > 0 && plan.hyper_precision == HyperPrecision::undeclared)
    result.reason += "; the trace may say more: state its hyper_precision";
  if (result.reason.empty()) result.reason = evidence.ambiguous;
  if (result.reason.empty() && evidence.windows.empty()) result.reason = "no window closes";
  if (result.reason.empty() && result.judged == 0) result.reason = "the trace has no number to judge";
  if (!result.reason.empty() && result.outcome == Outcome::holds) result.outcome = Outcome::undecidable;
  return result;
}

void conclude(TraceJudgement& judgement) {
  auto form = std::ranges::find_if(judgement.contracts, is_broken_form);
  if (form != judgement.contracts.end() && judgement.faithful.outcome != Outcome::broken) {
    judgement.faithful.outcome = Outcome::broken;
    judgement.faithful.reason = fmt::format("{} is broken: {}", form->contract, form->evidence);
  }
  judgement.outcome =
      std::ranges::any_of(judgement.contracts, is_broken) ? Outcome::broken : judgement.faithful.outcome;
}

}  // namespace

TraceJudgement judge_trace(const std::string& text, const std::string& source, const std::optional<Spec>& spec) {
  DumpedTrace dumped = in_file(source, [&] { return read_trace(text, source); });
  TraceJudgement result;
  result.plan = in_file(source, [&] { return replay_plan_of(dumped, spec_of(dumped, spec, source)); });
  note_foreign_states(dumped.empty_states, result.plan.spec, dumped.trace);
  result.microsteps = dumped.trace.microsteps();
  result.warnings = unmatched_globs(result.plan.spec, result.plan.params.layout());
  const std::vector<bool> skipped = in_file(source, [&] { return skipped_microsteps(result.plan); });
  const Experiment experiment{
      "judge", {{Role::accumulated, result.plan}, {Role::reference, large_batch_of(result.plan, skipped)}}};
  auto recorded = [&](const Plan& plan) -> Answer {
    if (plan.spec == result.plan.spec && plan.batches == result.plan.batches) return dumped.trace;
    return Skipped{"a dumped trace shows one run only"};
  };
  Gathering gathering;
  gathering.bitwise = false;
  const Evidence evidence = gather(experiment, recorded, gathering);
  result.contracts = judge_all(evidence);
  result.faithful = faithfulness_of(dumped.trace, evidence);
  if (auto expected = evidence.expected.find(Role::accumulated); expected != evidence.expected.end())
    result.hidden = hidden_state(expected->second, dumped.trace.schema());
  conclude(result);
  if (result.outcome != Outcome::broken) return result;
  TraceCauses found = causes_of_trace(evidence, dumped.trace, result.faithful, result.contracts);
  result.causes = std::move(found.causes);
  result.explained_by = std::move(found.explained_by);
  result.explained_state = found.explained_state;
  return result;
}

}  // namespace microstep
