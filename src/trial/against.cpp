// An accumulated run and a large-batch run, both dumped by loops of one's own: what is their difference?
#include <fmt/format.h>

#include <algorithm>

#include "accumulation.hpp"
#include "dumped.hpp"
#include "hull_step.hpp"
#include "microstep/golden/file.hpp"
#include "repair.hpp"
#include "window_gradients.hpp"

namespace microstep {
namespace {

// Of the two runs that are named to people.
constexpr const char* names[] = {"the accumulated run", "the large-batch run"};

Spec reference_spec(const Spec& own, const DumpedTrace& other, const std::optional<Spec>& given,
                    const std::string& source) {
  const Spec spec = given ? *given : other.spec.empty() ? without_accumulators(own) : parse_spec(other.spec);
  if (holds_accumulator(spec))
    throw Error("spec.accumulates", "the large-batch run has no accumulator",
                given ? to_string(spec) : source + "#/spec",
                "give it without: --against-spec '" + to_string(without_accumulators(spec)) + "'");
  return spec;
}

bool has_gradients(const Trace& trace) {
  for (std::size_t i = 0; i < trace.schema().columns().size(); ++i)
    for (std::int64_t row = 1; trace.schema().columns()[i].path.starts_with("gradients/") && row < trace.rows(); ++row)
      if (trace.presence(row, i) != Presence::absent) return true;
  return false;
}

void set(Against& result, Answered answer, std::string reason) {
  if (result.answer >= answer) return;
  result.answer = answer;
  result.reason = std::move(reason);
}

void demand(Against& result, const std::string& what) {
  if (std::ranges::find(result.record, what) == result.record.end()) result.record.push_back(what);
}

bool lacks_gradients(const DumpedTrace& own, const DumpedTrace& other, Against& result) {
  for (const auto& [dumped, name] : {std::pair(&own, names[0]), std::pair(&other, names[1])}) {
    if (has_gradients(dumped->trace)) continue;
    set(result, Answered::undecidable, fmt::format("{} records no gradients", name));
    demand(result, fmt::format("the gradients of every step of {}", name));
  }
  return !result.record.empty();
}

std::string first_place(const Faithfulness& found) {
  if (!found.first) return found.reason;
  const Place& place = *found.first;
  return fmt::format("first in its microstep {}, {}{}", place.microstep, place.path,
                     place.shape.empty() ? "" : index_text(place.shape, place.index));
}

// True where one of the traces is not its spec's, or may not be.
bool note_faithfulness(const TraceJudgement& judgement, const char* name, Against& result) {
  const Faithfulness& found = judgement.faithful;
  if (found.outcome == Outcome::broken) {
    set(result, Answered::semantic,
        fmt::format("{} is not that of {}, {}", name, to_string(judgement.plan.spec), first_place(found)));
    result.causes.insert(result.causes.end(), judgement.causes.begin(), judgement.causes.end());
  }
  if (found.outcome == Outcome::undecidable) {
    set(result, Answered::undecidable, fmt::format("of {}: {}", name, found.reason));
    if (!judgement.hidden.empty())
      demand(result, fmt::format("{}, and all other state, in every step of {}", judgement.hidden, name));
  }
  return found.outcome != Outcome::holds;
}

bool reduces_by(const Spec& spec, std::string_view reduction) {
  return std::ranges::any_of(accumulators_of(spec), [&](const Spec* a) { return reduction_of(*a) == reduction; });
}

// What the large batch's gradient is of a window's is asked of the gradients: here it is what the accumulators make.
void decide_specs(Plan plan, const Windows& windows, const std::vector<bool>& skipped, Against& result) {
  if (!reduces_by(plan.spec, "weighted"))
    for (GivenGradient& given : plan.given) given.weight = 1;
  Plan reference = large_batch_of(plan, skipped);
  reference.spec = result.against_spec;
  const bool only_sums = !reduces_by(plan.spec, "mean") && !reduces_by(plan.spec, "weighted");
  reference.loss = only_sums ? Loss::sum : Loss::mean;
  const Semantics found = decide({plan, reference, windows});
  result.not_compared = found.unpaired;
  if (found.verdict == Sameness::undecidable) set(result, Answered::undecidable, found.reason);
  if (found.verdict != Sameness::different) return;
  set(result, Answered::semantic, "the two specs are other computations on the recorded gradients");
  result.causes = causes_against(plan, reference, windows, found).causes;
  if (!found.differences.empty()) result.first = found.differences.front();
}

std::string place_of(const Difference& d) {
  return d.is_count || d.shape.empty() ? d.path : d.path + index_text(d.shape, d.index);
}

void compare_starts(const TwoRuns& runs, Against& result) {
  const std::optional<Difference> found = first_difference(runs, 0);
  if (!found) return;
  set(result, Answered::undecidable,
      fmt::format("the runs start apart, at {}, so that their gradients are not taken at the same point",
                  place_of(*found)));
  demand(result, "both runs from the same params and state");
}

void demand_closer(const TwoRuns& runs, const WindowAnswer& window, Against& result) {
  if (!window.same_params)
    demand(result, fmt::format("the large-batch run again from the params and state that the accumulated run has after "
                               "its microstep {}, so that both gradients are taken at the same point",
                               runs.own_row(window.window - 1)));
  if (window.gap && window.gap->dtype != Dtype::float64)
    demand(result, "both runs with gradients that are computed and recorded in float64");
}

void note_gap(const TwoRuns& runs, const LeafGap& leaf, WindowAnswer& window, Against& result) {
  const GradientGap& gap = leaf.largest;
  const std::string where = fmt::format("window {}, {}", gap.window, gap.path);
  if (!window.gap || gap.relative > window.gap->relative) window.gap = gap;
  if (leaf.gap == Gap::absent) {
    set(result, Answered::semantic, where + " is absent in one of the runs");
    result.causes = {"absent"};
  }
  if (leaf.gap == Gap::fault && result.answer != Answered::semantic) {
    set(result, Answered::semantic, fmt::format("{}: the large batch's gradient is {}", where, leaf.words));
    result.causes = {leaf.cause};
    result.first =
        Difference{gap.window,      runs.own_row(gap.window), gap.path, gap.shape, gap.dtype, gap.index, false,
                   gap.accumulated, exactly(gap.large_batch)};
  }
  if (leaf.gap != Gap::blind) return;
  window.answer = Answered::undecidable;
  set(result, Answered::undecidable,
      fmt::format("{}: the gradients are as far apart as those of {} would be{}", where, leaf.words,
                  leaf.factor ? fmt::format("; each number is {:.4g} times what is due", *leaf.factor) : ""));
}

void compare_window(const TwoRuns& runs, const WindowGradients& gradients, std::int64_t number, Against& result) {
  WindowAnswer& window = result.windows.emplace_back();
  window.window = number;
  window.same_params = !first_difference(runs, number - 1, true);
  for (const LeafGap& leaf : gradients.gaps(static_cast<std::size_t>(number) - 1, runs.other)) {
    note_gap(runs, leaf, window, result);
    window.within_rounding = window.within_rounding && leaf.gap == Gap::none;
    if (leaf.gap == Gap::fault || leaf.gap == Gap::absent) window.answer = Answered::semantic;
  }
  if (window.answer == Answered::undecidable) demand_closer(runs, window, result);
  const bool apart = (window.gap && window.gap->relative != 0) || first_difference(runs, number);
  if (window.answer == Answered::same && apart) window.answer = Answered::explained;
}

void step_hulls(const TwoRuns& runs, const WindowGradients& gradients, Against& result) {
  const HullSteps found = hull_steps(runs, gradients);
  if (found.outside) {
    set(result, Answered::semantic,
        fmt::format("window {}, {}: no gradient between those of both runs gives both numbers", found.outside->window,
                    place_of(*found.outside)));
    result.first = found.outside;
    result.causes = {"formula"};
  }
  if (found.wide_path.empty() || result.answer == Answered::semantic) return;
  set(result, Answered::undecidable,
      fmt::format("window {}, {}: what lies between both gradients gives anything", found.wide_window,
                  found.wide_path));
  demand_closer(runs, result.windows[static_cast<std::size_t>(found.wide_window) - 1], result);
}

void compare_runs(const TwoRuns& runs, Against& result) {
  compare_starts(runs, result);
  if (result.answer == Answered::undecidable) return;
  const WindowGradients gradients(runs.plan, runs.trace, runs.windows);
  for (std::int64_t window = 1; window <= std::ssize(runs.windows); ++window) {
    if (result.answer == Answered::semantic) return;
    compare_window(runs, gradients, window, result);
  }
  if (result.answer == Answered::semantic) return;
  step_hulls(runs, gradients, result);
  for (const WindowAnswer& window : result.windows)
    if (window.answer == Answered::explained) set(result, Answered::explained, "");
}

void note_left_over(const Plan& plan, const Windows& windows, Against& result) {
  const auto last = windows.empty() ? 0 : windows.back().back() + 1,
             all = static_cast<std::int64_t>(plan.batches.size());
  if (last < all)
    result.not_compared.push_back(fmt::format("microsteps {} to {}, which fill no window", last + 1, all));
}

void compare_faithful(const DumpedTrace& own, const DumpedTrace& other, const std::string& source, Against& result) {
  const Plan &plan = result.accumulated->plan, &other_plan = result.large_batch->plan;
  const std::vector<bool> skipped = skipped_microsteps(plan);
  const Windows all = windows(plan, skipped);
  refuse_other_windows(all.size(), other.trace.microsteps(), source);
  decide_specs(plan, all, skipped, result);
  note_left_over(plan, all, result);
  if (result.answer != Answered::same) return;
  const PairedPaths paths = paired_paths(plan, other_plan);
  compare_runs({plan, own.trace, other_plan, other.trace, all, paths}, result);
}

}  // namespace

std::string_view to_string(Answered answer) {
  constexpr std::string_view words[] = {"same", "explained", "undecidable", "semantic"};
  return words[static_cast<int>(answer)];
}

Against judge_against(const TraceFile& accumulated, const TraceFile& large_batch, const std::optional<Spec>& spec,
                      const std::optional<Spec>& against_spec) {
  const auto read = [](const TraceFile& file) {
    return in_file(file.source, [&] { return read_dump(file.text, file.source); });
  };
  DumpedTrace own = read(accumulated), other = read(large_batch);
  Against result;
  result.spec = in_file(accumulated.source, [&] { return spec_of(own, spec, accumulated.source); });
  const auto other_spec = [&] { return reference_spec(result.spec, other, against_spec, large_batch.source); };
  result.against_spec = against_spec ? other_spec() : in_file(large_batch.source, other_spec);
  if (lacks_gradients(own, other, result)) return result;
  refuse_broken_form(own, accumulated.source);
  refuse_broken_form(other, large_batch.source);
  refuse_other_leaves(own, other, large_batch.source);
  result.accumulated = judge_dump(own, accumulated.source, result.spec, spec.has_value());
  result.large_batch = judge_dump(other, large_batch.source, result.against_spec, against_spec.has_value());
  const bool first = note_faithfulness(*result.accumulated, names[0], result);
  if (note_faithfulness(*result.large_batch, names[1], result) || first) return result;
  try {
    compare_faithful(own, other, large_batch.source, result);
  } catch (const Undecidable& reason) {
    set(result, Answered::undecidable, reason.what());
  }
  return result;
}

}  // namespace microstep
