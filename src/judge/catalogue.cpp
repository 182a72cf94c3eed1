#include <fmt/format.h>

#include "contracts.hpp"
#include "finding.hpp"
#include "microstep/data/error.hpp"
#include "microstep/judge/contract.hpp"
#include "reading.hpp"

namespace microstep {
namespace {

using enum Role;

std::vector<Contract> emission_contracts() {
  return {
      {"emission.every_k",
       "An update comes out of the accumulator on the last microstep of every window that the plan names, and on no "
       "other.",
       "optax.MultiSteps, optax.apply_every; reports of class BOUNDARY such as open-instruct#1498",
       {accumulated},
       emission_every_k},
      {"emission.silent_zero",
       "Between two emissions every update is zero, in the leaf's own shape and dtype.",
       "optax.MultiSteps returns zero updates on held microsteps; keras#19990",
       {accumulated},
       emission_silent_zero},
      {"emission.silent_params",
       "Between two emissions the parameters stay as they are, bit for bit, decay and averaging included.",
       "keras#19990 (decoupled decay ran in every microstep)",
       {accumulated},
       emission_silent_params},
      {"emission.counters",
       "The accumulator's own counters (mini_step and gradient_step, or count) are those that follow from k, the "
       "schedule of k and the skip rule alone.",
       "optax.MultiStepsState, optax.ApplyEvery",
       {accumulated},
       emission_counters},
  };
}

std::vector<Contract> reduction_contracts() {
  return {
      {"reduction.mean",
       "Where the mean is declared, the inner optimizer receives the mean of the window's gradients: not their sum, "
       "and not divided twice.",
       "optax.MultiSteps (running mean); reports of class SUM-MEAN such as nanoGPT#168",
       {accumulated},
       reduction_mean},
      {"reduction.sum",
       "Where the sum is declared, a window gives the sum of its gradients: nothing divides by k.",
       "optax.apply_every; reports of class SUM-MEAN such as TorchFort#46",
       {accumulated},
       reduction_sum},
      {"reduction.weighted",
       "Where the weighted mean is declared, every microbatch counts with its examples or tokens: sum(n g) / sum(n), "
       "not the mean of means.",
       "reports of class TOKEN-WEIGHT such as transformers#34191",
       {accumulated},
       reduction_weighted},
      {"reduction.large_batch",
       "After every window updates and parameters are those of one step on the whole window as one batch.",
       "the definition of gradient accumulation; asked for in accelerate#1970 and optax#1567",
       {accumulated, reference},
       reduction_large_batch},
      {"reduction.order_free",
       "The order of the microbatches inside a window does not matter.",
       "the sum and the mean are symmetric; report llm.c#412",
       {accumulated, permuted},
       reduction_order_free},
  };
}

std::vector<Contract> state_contracts() {
  return {
      {"state.inner_asleep",
       "Between two emissions the inner optimizer's state stays as it is, bit for bit: no moment, average or counter "
       "moves.",
       "optax.MultiSteps; reports of class MICRO-STATE such as dalle-mini#122 (apply_every behind Adam)",
       {accumulated},
       state_inner_asleep},
      {"state.accumulator_empty",
       "Nothing of a closed or dropped window, a NaN or infinity least of all, is left in the accumulator when the "
       "next one begins.",
       "optax.MultiSteps; reports espnet#3283 and open-instruct#1498",
       {accumulated},
       state_accumulator_empty},
      {"state.large_batch",
       "After every window the inner state, counters included, is that of one step on the whole window as one batch.",
       "levanter#973, dalle-mini#122: with Adam the parameters alone do not show it",
       {accumulated, reference},
       state_large_batch},
      {"state.count_once",
       "Every counter of the inner optimizer (bias correction, schedules) counts the emitted updates: one a window, "
       "from 0.",
       "reports of classes TIME-INDEX and SCHEDULE-COUNT such as keras#19990 and addons#2525",
       {accumulated},
       state_count_once},
      {"state.nonfinite_forgotten",
       "A microbatch or window that the skip rule leaves out changes nothing: the run goes on as if it had never been.",
       "optax.skip_not_finite; reports of class NONFINITE-SKIP such as espnet#3283, levanter#973",
       {accumulated},
       state_nonfinite_forgotten},
      {"state.resume",
       "A run whose state went through bytes into a fresh object after any microstep goes on bit for bit as one that "
       "was never interrupted.",
       "reports of class PERSIST such as OneTrainer#1465, diffusers#3467, speculators#899",
       {accumulated, interrupted},
       state_resume},
  };
}

std::vector<Contract> form_and_identity_contracts() {
  return {
      {"form.dtype",
       "Parameters, updates and every slot of the state keep the dtype that was declared for them.",
       "optax#377 and optax#1532, optax 0.2.8 (acc_grads in float32)",
       {accumulated},
       form_dtype},
      {"form.shape",
       "Parameters, updates and every slot of the state keep the shape of their leaf.",
       "chex.assert_trees_all_equal_shapes; numpy#9988 (a broadcast hid it)",
       {accumulated},
       form_shape},
      {"form.keys",
       "The keys of the state are those of the spec, and no leaf or counter comes or goes in a run.",
       "jax.lax.scan needs a carry of one structure; reports of class ABSENT",
       {accumulated},
       form_keys},
      {"identity.k1",
       "With k = 1 the accumulator is not there: the run is the inner optimizer's.",
       "optax.MultiSteps(every_k_schedule=1); bit for bit in one engine, up to rounding in a compiled library",
       {accumulated, reference, single},
       identity_k1},
  };
}

const std::vector<Contract>& table() {
  static const std::vector<Contract> rows = [] {
    std::vector<Contract> all;
    for (auto* family : {emission_contracts, reduction_contracts, state_contracts, form_and_identity_contracts})
      for (const Contract& row : family()) all.push_back(row);
    return all;
  }();
  return rows;
}

bool is_known(const Evidence& evidence, Role role) {
  if (evidence.observed.contains(role)) return true;
  if (role == reference) return evidence.against_reference.has_value();
  if (role == permuted) return evidence.against_permuted.has_value();
  return role == interrupted && evidence.errored.contains(role);
}

/// Why a needed run is not there; empty where all are.
std::string missing_run(const Evidence& evidence, const Contract& contract, bool always_one) {
  for (Role role : contract.needs) {
    if (is_known(evidence, role) || (role == single && always_one)) continue;
    if (auto why = evidence.skipped.find(role); why != evidence.skipped.end())
      return fmt::format("the {} run was skipped: {}", to_string(role), why->second);
    if (auto why = evidence.errored.find(role); why != evidence.errored.end())
      return fmt::format("the {} run failed: {}", to_string(role), why->second);
    return fmt::format("no {} run was made", to_string(role));
  }
  return {};
}

bool rests_on_decision(const Contract& contract) {
  return contract.examine == reduction_large_batch || contract.examine == reduction_order_free ||
         contract.examine == state_large_batch || contract.examine == state_nonfinite_forgotten;
}

/// What the contract would have had to look at and the trace lacks, in words; empty for nothing.
std::string gap_in(const Contract& contract, const Reading& reading) {
  if (contract.id.starts_with("form.")) return {};
  if (contract.examine == emission_silent_zero || contract.examine == emission_every_k) return reading.gap("updates/");
  if (contract.examine == emission_silent_params) return reading.gap("params/");
  if (contract.examine == emission_counters || contract.examine == state_count_once) return reading.gap("counts");
  if (contract.examine == state_inner_asleep)
    return reading.gap("state/").empty() ? reading.gap("counts") : reading.gap("state/");
  return reading.missing();
}

Verdict examine(const Contract& contract, const Evidence& evidence, const Reading* reading) {
  std::string why = missing_run(evidence, contract, reading && reading->always_one());
  Verdict verdict = why.empty() ? contract.examine(*reading) : not_applicable(std::move(why));
  if (verdict.outcome == Outcome::holds)
    if (std::string gap = gap_in(contract, *reading); !gap.empty()) verdict = undecidable(std::move(gap));
  if (verdict.outcome == Outcome::holds && !evidence.unfaithful.empty() && rests_on_decision(contract))
    verdict = decided_of_another("keeps", evidence);
  const bool says = verdict.outcome == Outcome::holds || verdict.outcome == Outcome::broken;
  if (says && !evidence.ambiguous.empty() && (contract.id.starts_with("reduction.") || rests_on_decision(contract)))
    verdict = undecidable(evidence.ambiguous);
  verdict.contract = contract.id;
  return verdict;
}

std::optional<Reading> reading_of(const Evidence& evidence) {
  if (!evidence.observed.contains(accumulated)) return std::nullopt;
  return std::optional<Reading>(std::in_place, evidence);
}

}  // namespace

std::span<const Contract> contracts() { return table(); }

const Contract& contract(std::string_view id) {
  std::vector<std::string_view> known;
  for (const Contract& row : table()) {
    if (row.id == id) return row;
    known.push_back(row.id);
  }
  std::string near = nearest_name(id, known);
  throw Error("contract.unknown", fmt::format("there is no contract '{}'", id), std::string(id),
              near.empty() ? "list them with: microstep contracts" : fmt::format("did you mean {}?", near));
}

Verdict Contract::judge(const Evidence& evidence) const {
  auto reading = reading_of(evidence);
  return microstep::examine(*this, evidence, reading ? &*reading : nullptr);
}

std::vector<Verdict> judge_all(const Evidence& evidence, std::span<const std::string_view> ids) {
  auto reading = reading_of(evidence);
  std::vector<Verdict> verdicts;
  verdicts.reserve(ids.empty() ? table().size() : ids.size());
  for (std::string_view id : ids) verdicts.push_back(examine(contract(id), evidence, reading ? &*reading : nullptr));
  if (ids.empty())
    for (const Contract& row : table()) verdicts.push_back(examine(row, evidence, reading ? &*reading : nullptr));
  return verdicts;
}

}  // namespace microstep
