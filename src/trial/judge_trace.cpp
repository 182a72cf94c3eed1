#include "microstep/trial/judge_trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dumped.hpp"
#include "masks.hpp"
#include "memory.hpp"
#include "microstep/bound/transition.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/judge/contract.hpp"
#include "microstep/trial/evidence.hpp"
#include "tensor_files.hpp"
#include "trace_causes.hpp"
#include "trace_parts.hpp"

namespace microstep {
namespace {

// What is wrong with a spec out of the file is the file's.
std::vector<std::string> unmatched_in(const Plan& plan, bool is_given, const std::string& source) {
  const auto unmatched = [&] { return unmatched_globs(plan.spec, plan.params.layout()); };
  return is_given ? unmatched() : in_file(source, unmatched);
}

bool is_broken(const Verdict& verdict) { return verdict.outcome == Outcome::broken; }
bool is_broken_form(const Verdict& verdict) { return is_broken(verdict) && verdict.contract.starts_with("form."); }

// Which fact of the loop, were it stated, would leave less in infinite balls: the precision of 1-b^t, or, for gradients
// that are not finite, the form of a window's mean.
std::string fact_to_state(const Plan& plan, const Trace& trace, std::int64_t infinite) {
  auto leaves_less = [&](bool precision, bool form) {
    Plan stated = plan;
    if (precision) stated.hyper_precision = HyperPrecision::float64;
    if (form) stated.running_mean = true;
    return faithfulness(trace, transitions(stated, embedded(trace)), false).infinite < infinite;
  };
  const bool precise = plan.hyper_precision != HyperPrecision::undeclared;
  if (!precise && leaves_less(true, false)) return "hyper_precision";
  if (!plan.running_mean && leaves_less(false, true)) return "running_mean";
  return !precise && !plan.running_mean && leaves_less(true, true) ? "hyper_precision and running_mean" : "";
}

Faithfulness faithfulness_of(const Trace& trace, const Evidence& evidence) {
  Faithfulness result;
  if (auto expected = evidence.expected.find(Role::accumulated); expected != evidence.expected.end())
    result = faithfulness(trace, expected->second, false);
  else
    result.reason = evidence.undecidable.at(Role::accumulated);
  const Plan& plan = evidence.experiment->plans.at(Role::accumulated);
  if (result.infinite > 0)
    if (const std::string fact = fact_to_state(plan, trace, result.infinite); !fact.empty())
      result.reason += "; the trace may say more: state its " + fact;
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

// Whether a gradient was skipped is left open: nothing is judged without it.
void leave_open(TraceJudgement& judgement, const std::string& what) {
  judgement.outcome = judgement.faithful.outcome = Outcome::undecidable;
  judgement.faithful.reason = fmt::format(
      "it is not certain in the declared dtype {}, and the trace does not tell; record mini_step and gradient_step of "
      "the accumulator after every microstep",
      what);
  judgement.rounding = rounding_in(judgement.faithful);
  for (const Contract& contract : contracts()) {
    const bool needs_a_run = std::ranges::any_of(
        contract.needs, [](Role role) { return role != Role::accumulated && role != Role::reference; });
    Verdict& verdict = judgement.contracts.emplace_back();
    verdict.contract = contract.id;
    verdict.outcome = needs_a_run ? Outcome::not_applicable : Outcome::undecidable;
    verdict.evidence = needs_a_run ? "a dumped trace shows one run only" : "it is not certain " + what;
  }
}

// The plans are of the part that was read; what is said of it names the number by its place in the whole leaf.
void place_in_leaves(Semantics& semantics, const Schema& schema) {
  for (Difference& difference : semantics.differences) {
    const auto column = schema.find_column(difference.path);
    if (!column || !schema.columns()[*column].part) continue;
    difference.shape = schema.columns()[*column].leaf_shape();
    difference.first = schema.columns()[*column].first();
  }
}

Evidence evidence_of(const Experiment& experiment, const Trace& trace) {
  const Plan& own = experiment.plans.at(Role::accumulated);
  auto recorded = [&](const Plan& plan) -> Answer {
    if (plan.spec == own.spec && plan.batches == own.batches) return trace;
    return Skipped{"a dumped trace shows one run only"};
  };
  const Plan& reference = experiment.plans.at(Role::reference);
  const bool is_its_own_large_batch = reference.spec == own.spec && reference.batches == own.batches;
  Gathering gathering;
  gathering.bitwise = false;
  gathering.decisions = !is_its_own_large_batch;
  Evidence evidence = gather(experiment, recorded, gathering);
  if (is_its_own_large_batch)
    evidence.against_reference =
        Semantics{Sameness::same, static_cast<std::int64_t>(evidence.windows.size()), {}, {}, {}, 0};
  if (evidence.against_reference) place_in_leaves(*evidence.against_reference, trace.schema());
  return evidence;
}

void judge_steps(TraceJudgement& result, const Trace& trace, const std::vector<bool>& skipped, bool with_causes) {
  const Experiment experiment{
      "judge", {{Role::accumulated, result.plan}, {Role::reference, large_batch_of(result.plan, skipped)}}};
  const Evidence evidence = evidence_of(experiment, trace);
  result.contracts = judge_all(evidence);
  result.faithful = faithfulness_of(trace, evidence);
  result.rounding = rounding_in(result.faithful);
  if (auto expected = evidence.expected.find(Role::accumulated); expected != evidence.expected.end())
    result.hidden = hidden_state(expected->second, trace.schema());
  conclude(result);
  if (result.outcome != Outcome::broken || !with_causes) return;
  TraceCauses found = causes_of_trace(evidence, trace, result.faithful, result.contracts);
  result.causes = std::move(found.causes);
  result.explained_by = std::move(found.explained_by);
  result.explained_state = found.explained_state;
  result.never_cleared = found.never_cleared;
}

DumpedTrace read_part(const Document& document, const Part& part, const std::string& source) {
  DumpedTrace dumped = read_dumped_trace(document, part);
  if (dumped.trace.microsteps() == 0)
    throw Error("trace.empty", "the trace has no microstep", source, "record at least one step");
  return dumped;
}

}  // namespace

Spec spec_of(const DumpedTrace& dumped, const std::optional<Spec>& given, const std::string& source) {
  if (given) return *given;
  if (!dumped.spec.empty()) return parse_spec(dumped.spec);
  throw Error("trace.no-spec", "neither the trace nor the command says which optimizer it is of", source,
              "add \"spec\": \"...\" to the file, or --spec '...'");
}

DumpedTrace read_dump(const std::string& text, const std::string& source) {
  return read_part(parse_dumped_trace(text, source, tensors_beside(source)), {}, source);
}

TraceJudgement judge_dump(DumpedTrace& dumped, const std::string& source, const Spec& spec, bool is_given,
                          bool with_causes) {
  TraceJudgement result;
  result.plan = in_file(source, [&] { return replay_plan_of(dumped, spec); });
  note_foreign_states(dumped.empty_states, result.plan.spec, dumped.trace);
  result.microsteps = dumped.trace.microsteps();
  result.warnings = unmatched_in(result.plan, is_given, source);
  if (can_skip(spec)) result.plan.shown = shown_passing(result.plan, embedded(dumped.trace));
  std::vector<bool> skipped;
  try {
    skipped = in_file(source, [&] { return skipped_microsteps(result.plan); });
  } catch (const Undecidable& reason) {
    leave_open(result, reason.what());
    return result;
  }
  in_file(source, [&] { judge_steps(result, dumped.trace, skipped, with_causes); });
  return result;
}

TraceJudgement judge_trace(const std::string& text, const std::string& source, const std::optional<Spec>& spec,
                           std::int64_t parts) {
  const Document document = in_file(source, [&] { return parse_dumped_trace(text, source, tensors_beside(source)); });
  DumpedTrace head;
  if (const auto named = document.find("spec")) head.spec = in_file(source, [&] { return named->text(); });
  const Spec own = in_file(source, [&] { return spec_of(head, spec, source); });
  const TraceSize size = in_file(source, [&] { return size_of(document); });
  auto judge = [&](const Part& part, bool with_causes) {
    DumpedTrace dumped = in_file(source, [&] { return read_part(document, part, source); });
    return judge_dump(dumped, source, own, spec.has_value(), with_causes);
  };
  if (parts == 0) parts = parts_for(size, own);
  if (parts == 1) refuse_beyond(available_memory(), size, source);
  return parts == 1 ? judge({}, true) : judge_in_parts(parts, judge);
}

}  // namespace microstep
