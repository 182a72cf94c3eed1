#include "window_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "accumulation.hpp"
#include "gap_between.hpp"
#include "hypothesis.hpp"
#include "microstep/bound/transition.hpp"

namespace microstep {
namespace {

Spec identity() { return {"scale", {{"factor", Value(1)}}, {}}; }

// A narrower accumulator rounds more.
void keep_dtypes(Spec& skeleton, const std::vector<const Spec*>& from, std::size_t& passed) {
  if (skeleton.op == "multi_steps" && passed < from.size())
    if (const Spec& own = *from[passed++]; own.op == "multi_steps")
      skeleton.args["acc_dtype"] = own.args.at("acc_dtype");
  for (Spec& inner : skeleton.of) keep_dtypes(inner, from, passed);
}

// Gradients and params only: what the loop kept of its accumulator is not asked.
Envelope without_slots(const Trace& trace) {
  std::vector<Column> columns;
  std::vector<std::size_t> from;
  for (std::size_t i = 0; i < trace.schema().columns().size(); ++i) {
    const Column& column = trace.schema().columns()[i];
    if (!column.path.starts_with("params/") && !column.path.starts_with("gradients/")) continue;
    columns.push_back(column);
    from.push_back(i);
  }
  Envelope rows(std::make_shared<const Schema>(std::move(columns), trace.schema().count_paths()));
  for (std::int64_t row = 0; row < trace.rows(); ++row) {
    rows.append_row();
    for (std::size_t i = 0; i < from.size(); ++i) {
      rows.presence(row, i) = trace.presence(row, from[i]);
      std::ranges::transform(trace.numbers(row, from[i]), rows.numbers(row, i).begin(), exactly);
    }
    for (std::size_t i = 0; i < trace.schema().count_paths().size(); ++i) {
      rows.count(row, i) = trace.count(row, i);
      if (!trace.shows_count(row, i)) rows.hide_count(row, i);
    }
  }
  return rows;
}

bool sums(const Spec& spec) {
  for (const Spec* accumulator : accumulators_of(spec))
    if (reduction_of(*accumulator) != "sum") return false;
  return true;
}

bool weighs(const Spec& spec) {
  return std::ranges::any_of(accumulators_of(spec), [](const Spec* a) { return reduction_of(*a) == "weighted"; });
}

}  // namespace

Spec reduction_alone(const Spec& spec) {
  const std::vector<const Spec*> accumulators = accumulators_of(spec);
  if (accumulators.empty()) return identity();
  std::vector<std::string> reduce;
  for (const Spec* accumulator : accumulators) reduce.push_back(reduction_of(*accumulator));
  Spec skeleton = skeleton_of(spec, reduce, identity());
  std::size_t passed = 0;
  keep_dtypes(skeleton, accumulators, passed);
  return skeleton;
}

WindowGradients::WindowGradients(const Plan& plan, const Trace& trace, Windows windows)
    : plan_(plan), trace_(trace), windows_(std::move(windows)) {
  const Envelope rows = without_slots(trace);
  const Spec own = reduction_alone(plan.spec);
  for (const Leaf& leaf : plan.params.layout().leaves())
    gradients_.push_back(trace.schema().find_column("gradients/" + leaf.name));
  reduced_ = reduced_under(own, rows);
  for (const Spec& other : other_reductions(own)) {
    const bool is_weight = weighs(own) != weighs(other);
    others_.push_back({is_weight ? "token-weight" : "sum-mean", to_string(other), reduced_under(other, rows)});
  }
}

WindowGradients::Reduced WindowGradients::reduced_under(const Spec& spec, const Envelope& rows) const {
  Plan alone = plan_;
  alone.spec = spec;
  Reduced by{transitions(alone, rows, rounding_of(alone)), {}};
  for (const Leaf& leaf : plan_.params.layout().leaves())
    by.columns.push_back(by.rows.schema().find_column("updates/" + leaf.name).value());
  return by;
}

Presence WindowGradients::presence(std::size_t window, std::size_t leaf) const {
  bool shown = false;
  for (std::int64_t t : windows_[window])
    shown = shown || (gradients_[leaf] && trace_.presence(t + 1, *gradients_[leaf]) != Presence::absent);
  return shown ? reduced_.rows.presence(windows_[window].back() + 1, reduced_.columns[leaf]) : Presence::absent;
}

Ball WindowGradients::reduced_by(const Reduced& by, std::size_t window, std::size_t leaf, std::size_t index) const {
  const std::int64_t row = windows_[window].back() + 1;
  const std::size_t column = by.columns[leaf];
  return by.rows.presence(row, column) == Presence::dense ? by.rows.numbers(row, column)[index] : exactly(0);
}

Ball WindowGradients::reduced(std::size_t window, std::size_t leaf, std::size_t index) const {
  return reduced_by(reduced_, window, leaf, index);
}

double WindowGradients::gradient(std::int64_t microstep, std::size_t leaf, std::size_t index) const {
  const std::size_t column = gradients_[leaf].value();
  const bool dense = trace_.presence(microstep + 1, column) == Presence::dense;
  return dense ? trace_.numbers(microstep + 1, column)[index] : 0;
}

// How much of each gradient is in the reduced one. Of accumulators that reduce in several ways, as of a mean.
std::vector<double> WindowGradients::shares(std::size_t window) const {
  const std::vector<std::int64_t>& microsteps = windows_[window];
  if (sums(plan_.spec)) return std::vector<double>(microsteps.size(), 1);
  std::vector<double> shares;
  double total = 0;
  for (std::int64_t t : microsteps) {
    shares.push_back(weighs(plan_.spec) ? plan_.given[static_cast<std::size_t>(t)].weight : 1);
    total += shares.back();
  }
  for (double& share : shares) share /= total;
  return shares;
}

void WindowGradients::add_other_reductions(std::size_t window, std::size_t leaf,
                                           std::vector<KnownFault>& faults) const {
  for (const Other& other : others_)
    faults.push_back({other.cause, "the reduction of " + other.words, [this, &other, window, leaf](std::size_t i) {
                        return reduced_by(other.by, window, leaf, i).value;
                      }});
  const auto n = static_cast<double>(windows_[window].size());
  double examples = 0;
  for (std::int64_t t : windows_[window]) examples += plan_.given[static_cast<std::size_t>(t)].weight;
  for (const double times : {n, examples})
    for (const double factor : {times, 1 / times})
      if (times != 1)
        faults.push_back(
            {"sum-mean", fmt::format("{:.4g} times the window's", factor),
             [this, factor, window, leaf](std::size_t i) { return Wide(factor) * reduced(window, leaf, i).value; }});
  for (const auto& [other, words] :
       {std::pair(window - 1, "the window before"), std::pair(window + 1, "the window behind")})
    if (other < windows_.size())
      faults.push_back(
          {"boundary", words, [this, other, leaf](std::size_t i) { return reduced(other, leaf, i).value; }});
}

// Without a microbatch, or without one example of it.
void WindowGradients::add_parts(std::size_t window, std::size_t leaf, std::vector<KnownFault>& faults) const {
  const std::vector<double> all = shares(window);
  for (std::size_t j = 0; j < all.size(); ++j) {
    const std::int64_t t = windows_[window][j];
    const double share = all[j], weight = plan_.given[static_cast<std::size_t>(t)].weight;
    auto without = [this, window, leaf, t](double part, double divisor) {
      return [this, window, leaf, t, part, divisor](std::size_t i) {
        return (reduced(window, leaf, i).value - Wide(part) * Wide(gradient(t, leaf, i))) / Wide(divisor);
      };
    };
    const std::string name = fmt::format("all but microstep {}", t + 1);
    faults.push_back({"boundary", name + ", divided as if it were there", without(share, 1)});
    if (share < 1) faults.push_back({"boundary", name, without(share, 1 - share)});
    if (weight > 1)
      faults.push_back({"boundary", fmt::format("one of the {} examples of microstep {} less", weight, t + 1),
                        without(share / weight, 1)});
  }
}

std::vector<KnownFault> WindowGradients::faults(std::size_t window, std::size_t leaf) const {
  std::vector<KnownFault> all;
  add_other_reductions(window, leaf, all);
  add_parts(window, leaf, all);
  return all;
}

LeafGap WindowGradients::gap_of(std::size_t window, std::size_t leaf, const Trace& other) const {
  const Leaf& own = plan_.params.leaf(leaf);
  const auto column = other.schema().find_column("gradients/" + own.name);
  const auto row = static_cast<std::int64_t>(window) + 1;
  const Presence here = presence(window, leaf), there = column ? other.presence(row, *column) : Presence::absent;
  LeafGap result;
  result.largest = {row, "gradients/" + own.name, own.shape, own.dtype, 0, {}, 0, 0, 0};
  if ((here == Presence::absent) != (there == Presence::absent)) result.gap = Gap::absent;
  if (here == Presence::absent || there == Presence::absent) return result;
  result.largest.dtype = other.schema().columns()[*column].dtype;
  const std::vector<double> zeros(static_cast<std::size_t>(own.size), 0.0);
  const std::span<const double> seen = there == Presence::dense ? other.numbers(row, *column) : std::span(zeros);
  GapBetween between([&](std::size_t i) { return reduced(window, leaf, i); }, seen, result);
  if (between.is_none()) return result;
  between.hold_against(faults(window, leaf));
  return result;
}

std::vector<LeafGap> WindowGradients::gaps(std::size_t window, const Trace& other) const {
  std::vector<LeafGap> all;
  for (std::size_t leaf = 0; leaf < plan_.params.leaf_count(); ++leaf)
    if (plan_.params.presence(leaf) != Presence::absent) all.push_back(gap_of(window, leaf, other));
  return all;
}

}  // namespace microstep
