#include "repair.hpp"

#include <algorithm>

#include "microstep/data/error.hpp"

namespace microstep {
namespace {

bool holds_accumulator(const Spec& spec) {
  return op_rule(spec.op).accumulates || std::ranges::any_of(spec.of, holds_accumulator);
}

// The window lengths as a number, or as a schedule in the emitted step.
Value lengths(const std::vector<std::vector<std::int64_t>>& windows) {
  std::vector<Value> schedule;
  double before = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    auto length = static_cast<double>(windows[i].size());
    if (length == before) continue;
    before = length;
    schedule.push_back(Value(std::vector<Value>{Value(static_cast<double>(i)), Value(length)}));
  }
  if (schedule.size() <= 1) return Value(before);
  return Value(std::move(schedule));
}

bool weights_differ(const Plan& plan, const std::vector<std::vector<std::int64_t>>& windows) {
  auto weight = [&](std::int64_t t) {
    const auto& batch = plan.batches[static_cast<std::size_t>(t)];
    if (plan.problem.op != "replay") return static_cast<double>(batch.size());
    double sum = 0;
    for (std::int64_t i : batch) sum += plan.given[static_cast<std::size_t>(i)].weight;
    return sum;
  };
  for (const auto& window : windows)
    for (std::int64_t t : window)
      if (weight(t) != weight(window[0])) return true;
  return false;
}

Spec accumulated_over(const Spec& inner, const Value& k, const std::string& reduce) {
  Spec spec{"multi_steps", {{"k", k}, {"reduce", reduce}}, {inner}};
  return checked(spec);
}

Spec chained(std::vector<Spec> links) {
  if (links.size() == 1) return links[0];
  return Spec{"chain", {}, std::move(links)};
}

std::vector<Spec> links_of(const Spec& spec) { return spec.op == "chain" ? spec.of : std::vector<Spec>{spec}; }

// The accumulator of the outermost chain, as a position among its links.
std::optional<std::size_t> accumulator_position(const std::vector<Spec>& links) {
  for (std::size_t i = 0; i < links.size(); ++i)
    if (holds_accumulator(links[i])) return i;
  return std::nullopt;
}

// What stays outside is run in every microstep, before or behind the accumulator.
struct Outside {
  Spec link;
  bool before;
};

std::vector<Outside> outside_links(const Spec& spec) {
  std::vector<Spec> links = links_of(spec);
  auto position = accumulator_position(links);
  std::vector<Outside> outside;
  for (std::size_t i = 0; position && i < links.size(); ++i)
    if (i != *position && !holds_accumulator(links[i])) outside.push_back({links[i], i < *position});
  return outside;
}

// The repaired spec with one link left where it was.
Spec with_link_outside(const Spec& reference, const Outside& outside, const Value& k, const std::string& reduce) {
  std::vector<Spec> inner = links_of(reference);
  auto found = std::ranges::find(inner, outside.link);
  if (found != inner.end()) inner.erase(found);
  Spec accumulator =
      accumulated_over(inner.empty() ? Spec{"scale", {{"factor", Value(1)}}, {}} : chained(inner), k, reduce);
  return outside.before ? chained({outside.link, accumulator}) : chained({accumulator, outside.link});
}

// The first accumulator met from outside, nullptr for none.
const Spec* outermost_accumulator(const Spec& spec) {
  if (op_rule(spec.op).accumulates) return &spec;
  for (const Spec& inner : spec.of)
    if (const Spec* found = outermost_accumulator(inner)) return found;
  return nullptr;
}

std::string reduction_of(const Spec& accumulator) {
  return accumulator.op == "multi_steps" ? accumulator.text("reduce") : "sum";
}

void add(std::vector<std::string>& causes, const std::string& cause) {
  if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(cause);
}

}  // namespace

std::string cause_of_link(const Spec& link) {
  static const std::vector<std::pair<std::string, std::string>> classes = {
      {"clip", "clip-place"}, {"clip_by_global_norm", "clip-place"}, {"scale_by_schedule", "schedule-count"}};
  for (const auto& [op, cause] : classes)
    if (link.op == op) return cause;
  return "micro-state";
}

Repair repair(const Plan& accumulated, const Plan& reference, const std::vector<std::vector<std::int64_t>>& windows,
              const std::function<bool(const Spec&)>& same) {
  Repair result;
  if (windows.empty()) return result;
  const Value k = lengths(windows);
  const bool ragged = weights_differ(accumulated, windows);
  const std::string reduce = reference.loss == Loss::sum ? "sum" : ragged ? "weighted" : "mean";
  const Spec equivalent = accumulated_over(reference.spec, k, reduce);
  if (!same(equivalent)) return result;
  result.equivalent = equivalent;
  const Spec inner = without_accumulators(accumulated.spec);
  if (inner != reference.spec && !same(accumulated_over(inner, k, reduce))) add(result.causes, "formula");
  for (const Outside& outside : outside_links(accumulated.spec))
    if (!same(with_link_outside(reference.spec, outside, k, reduce))) add(result.causes, cause_of_link(outside.link));
  const Spec* accumulator = outermost_accumulator(accumulated.spec);
  if (!accumulator) return result;
  const std::string used = reduction_of(*accumulator);
  if (used != reduce && !same(accumulated_over(reference.spec, k, used)))
    add(result.causes, used == "sum" || reduce == "sum" ? "sum-mean" : "token-weight");
  if (accumulator->op == "multi_steps" && accumulator->text("partial") == "flush_by_k") {
    Spec by_k = accumulated_over(reference.spec, accumulator->args.at("k"), reduce);
    by_k.args["partial"] = "flush_by_k";
    if (!same(by_k)) add(result.causes, "partial-window");
  }
  std::ranges::sort(result.causes);
  return result;
}

}  // namespace microstep
