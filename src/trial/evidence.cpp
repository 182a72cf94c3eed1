#include "microstep/trial/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hypothesis.hpp"
#include "microstep/bound/transition.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/judge/faithful.hpp"
#include "microstep/train/run.hpp"

namespace microstep {
namespace {

Plan permuted(Plan plan, const Windows& windows) {
  std::vector<std::vector<std::int64_t>> batches = plan.batches;
  for (const auto& window : windows)
    for (std::size_t i = 0; i < window.size(); ++i)
      plan.batches[static_cast<std::size_t>(window[i])] =
          batches[static_cast<std::size_t>(window[window.size() - 1 - i])];
  return plan;
}

Plan single(const Plan& reference) {
  Plan plan = reference;
  plan.spec = checked(Spec{"multi_steps", {{"k", Value(1)}}, {reference.spec}});
  return plan;
}

Plan clean(Plan plan, const std::vector<bool>& skipped) {
  std::vector<std::vector<std::int64_t>> batches;
  for (std::size_t t = 0; t < plan.batches.size(); ++t)
    if (!skipped[t]) batches.push_back(plan.batches[t]);
  plan.batches = std::move(batches);
  plan.interruptions.clear();
  return plan;
}

// Where no step can be made since shapes do not fit: the columns as observed, each leaf in the shape of its param.
SchemaPointer with_shapes_of(const Plan& plan, const Schema& observed) {
  std::vector<Column> columns = observed.columns();
  for (Column& column : columns) {
    std::size_t longest = 0;
    for (const Leaf& leaf : plan.params.layout().leaves()) {
      if (!column.path.ends_with('/' + leaf.name) || leaf.name.size() < longest) continue;
      longest = leaf.name.size();
      column.shape = leaf.shape;
    }
  }
  return std::make_shared<const Schema>(std::move(columns), observed.count_paths());
}

// What the expected rows declare; a state leaf that is absent by the plan (masked out) only where the trace has it.
SchemaPointer declared_by(const Envelope& expected, const Schema& observed) {
  if (expected.schema() == observed) return expected.schema_pointer();
  std::vector<Column> columns;
  for (std::size_t i = 0; i < expected.schema().columns().size(); ++i) {
    const Column& column = expected.schema().columns()[i];
    bool hidden = column.path.starts_with("state/") && expected.presence(0, i) == Presence::absent;
    if (!hidden || observed.find_column(column.path)) columns.push_back(column);
  }
  return std::make_shared<const Schema>(std::move(columns), expected.schema().count_paths());
}

// The run itself, interrupted or on its microbatches in another order, declares the same.
bool declares_the_same(const Evidence& evidence, Role role, const Envelope& observed) {
  auto accumulated = evidence.observed.find(Role::accumulated);
  return (role == Role::interrupted || role == Role::permuted) && evidence.declared.contains(Role::accumulated) &&
         accumulated->second.schema() == observed.schema();
}

void add_answer(Evidence& evidence, Role role, const Plan& plan, const Answer& answer, const Gathering& gathering) {
  if (const auto* skipped = std::get_if<Skipped>(&answer)) evidence.skipped[role] = skipped->reason;
  if (const auto* errored = std::get_if<Errored>(&answer))
    evidence.errored[role] = errored->id + ": " + errored->message;
  const auto* trace = std::get_if<Trace>(&answer);
  if (!trace) return;
  Envelope& observed = evidence.observed[role] = embedded(*trace);
  if (!gathering.expected) return;
  try {
    if (role == Role::accumulated || (role == Role::single && !gathering.bitwise)) {
      const Envelope& expected = evidence.expected[role] = transitions(plan, observed);
      evidence.declared[role] = declared_by(expected, observed.schema());
    } else if (declares_the_same(evidence, role, observed)) {
      evidence.declared[role] = evidence.declared.at(Role::accumulated);
    } else {
      evidence.declared[role] = declared_columns(plan, observed);
    }
  } catch (const Undecidable& reason) {
    evidence.undecidable[role] = reason.what();
  } catch (const Error& error) {
    if (!error.id().starts_with("trace.")) throw;
    evidence.undecidable[role] = error.message();
    if (error.id() == "trace.shape") evidence.declared[role] = with_shapes_of(plan, observed.schema());
  }
}

// Where a foreign trace first leaves the balls of its spec, or why no step of it could be judged.
std::string unfaithful_place(const Evidence& evidence, const Trace& trace) {
  auto expected = evidence.expected.find(Role::accumulated);
  if (expected == evidence.expected.end()) return evidence.undecidable.at(Role::accumulated);
  const Faithfulness found = faithfulness(trace, expected->second, false);
  if (!found.first) return found.missing.empty() ? found.reason : found.missing;
  const Place& place = *found.first;
  return fmt::format("{}{} in microstep {}", place.path,
                     place.shape.empty() ? "" : index_text(place.shape, place.first + place.index), place.microstep);
}

std::string ambiguity_of(const Evidence& evidence, const Plan& plan, const Trace& trace) {
  auto expected = evidence.expected.find(Role::accumulated);
  if (expected == evidence.expected.end() || !evidence.unfaithful.empty()) return {};
  const std::string hidden = hidden_state(expected->second, trace.schema());
  const std::string why = hidden.empty() ? std::string() : ambiguity(plan, trace, evidence.windows);
  return why.empty() ? why : fmt::format("the trace hides {}, and {}", hidden, why);
}

// The accumulated plan against all that it is compared with, in one run of it.
void add_decisions(Evidence& evidence, const Gathering& gathering) {
  const auto& plans = evidence.experiment->plans;
  const std::pair<Role, std::optional<Semantics>*> wanted[] = {{Role::reference, &evidence.against_reference},
                                                               {Role::permuted, &evidence.against_permuted},
                                                               {Role::clean, &evidence.against_clean}};
  std::vector<Pairing> pairings;
  for (const auto& [role, slot] : wanted) {
    if (!plans.contains(role)) continue;
    Pairing& pairing = pairings.emplace_back(Pairing{plans.at(Role::accumulated), plans.at(role), evidence.windows});
    pairing.transformation = gathering.transformation;
    if (role == Role::reference) continue;
    pairing.reference_windows = role == Role::permuted ? evidence.windows : windows(plans.at(role));
    pairing.reference_transformation = gathering.transformation;
  }
  std::vector<Semantics> decisions = decide(pairings);
  auto next = decisions.begin();
  for (const auto& [role, slot] : wanted)
    if (plans.contains(role)) *slot = std::move(*next++);
}

}  // namespace

Experiment experiment_of(const std::string& id, const Plan& accumulated) {
  Experiment experiment{id, {{Role::accumulated, accumulated}}};
  const std::vector<bool> skipped = skipped_microsteps(accumulated);
  const Windows emitted = windows(accumulated, skipped);
  const Plan& reference = experiment.plans[Role::reference] = large_batch_of(accumulated, skipped);
  Plan& interrupted = experiment.plans[Role::interrupted] = accumulated;
  interrupted.interruptions.resize(accumulated.batches.size());
  std::iota(interrupted.interruptions.begin(), interrupted.interruptions.end(), 1);
  experiment.plans[Role::permuted] = permuted(accumulated, emitted);
  experiment.plans[Role::single] = single(reference);
  if (std::ranges::find(skipped, true) != skipped.end()) experiment.plans[Role::clean] = clean(accumulated, skipped);
  return experiment;
}

Evidence gather(const Experiment& experiment, const Producer& producer, const Gathering& gathering) {
  Evidence evidence;
  evidence.experiment = &experiment;
  evidence.bitwise = gathering.bitwise;
  const Plan& accumulated = experiment.plans.at(Role::accumulated);
  Skips skips = skips_of(accumulated);
  evidence.skipped_microsteps = std::move(skips.skipped);
  evidence.skipped_by = std::move(skips.by);
  evidence.windows = windows(accumulated, evidence.skipped_microsteps);
  for (const auto& [role, plan] : experiment.plans) {
    Answer answer = producer(plan);
    add_answer(evidence, role, plan, answer, gathering);
    const auto* trace = std::get_if<Trace>(&answer);
    if (role != Role::accumulated || !trace || gathering.bitwise || !gathering.expected) continue;
    evidence.unfaithful = unfaithful_place(evidence, *trace);
    evidence.ambiguous = ambiguity_of(evidence, plan, *trace);
  }
  if (!gathering.decisions) return evidence;
  add_decisions(evidence, gathering);
  return evidence;
}

}  // namespace microstep
