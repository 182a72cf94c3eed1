#include "due_window.hpp"

namespace microstep {
namespace {

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

// The first that has a skip rule; only the outermost one leaves out microbatches as they come.
const Spec* skipping(const Spec& spec) {
  const std::vector<const Spec*> all = accumulators_of(spec);
  if (all.empty() || all[0]->op != "multi_steps" || all[0]->text("skip") == "never") return nullptr;
  return all[0];
}

Spec held(Spec spec) {
  for (Spec& inner : spec.of) inner = held(inner);
  if (spec.op == "multi_steps") spec.args["partial"] = Value("hold");
  return spec;
}

// The last window is there only because the end of the run flushes it.
bool ends_by_flush(const Plan& accumulated, const std::vector<std::vector<std::int64_t>>& all) {
  if (held(accumulated.spec) == accumulated.spec) return false;
  Plan plan = accumulated;
  plan.spec = held(accumulated.spec);
  std::vector<bool> skipped(plan.batches.size(), true);
  for (const auto& window : all)
    for (std::int64_t t : window) skipped[static_cast<std::size_t>(t)] = false;
  return windows(plan, skipped).size() < all.size();
}

}  // namespace

std::vector<Window> due_windows(const Plan& accumulated, const Plan& reference,
                                const std::vector<std::vector<std::int64_t>>& windows) {
  const bool ragged = weights_differ(accumulated, windows);
  Window due{lengths(windows), reference.loss == Loss::sum ? "sum" : ragged ? "weighted" : "mean"};
  due.skips_as = skipping(accumulated.spec);
  if (!ends_by_flush(accumulated, windows)) return {due};
  Window flushed = due;
  flushed.flush = true;
  const std::vector<const Spec*> accumulators = accumulators_of(accumulated.spec);
  if (windows.size() > 1)
    flushed.k = lengths({windows.begin(), windows.end() - 1});
  else if (accumulators.size() == 1)
    flushed.k = accumulators[0]->args.at("k");
  return {flushed, due};
}

}  // namespace microstep
