// Which microsteps make a window: the counters of all accumulators of the spec are followed without any numbers.
#include <algorithm>

#include "microstep/data/plan.hpp"

namespace microstep {
namespace {

// The counters of one node; the same tree as the spec.
struct Phase {
  std::int64_t mini_step = 0;
  std::int64_t gradient_step = 0;
  std::vector<Phase> of;
};

Phase start(const Spec& spec) {
  Phase phase;
  for (const Spec& inner : spec.of) phase.of.push_back(start(inner));
  return phase;
}

// The accumulator that leaves out what is skipped: the outermost one that has a rule, nullptr for none.
const Spec* skipping(const Spec& spec) {
  if (spec.op == "multi_steps" && spec.text("skip") != "never") return &spec;
  for (const Spec& inner : spec.of)
    if (const Spec* found = skipping(inner)) return found;
  return nullptr;
}

// Moves the counters as the engine moves them. last: no microstep follows, so that partial windows end.
class Follower {
 public:
  explicit Follower(const Spec& spec) : spec_(spec), skipping_(skipping(spec)), phase_(start(spec)) {}

  /// Of a microstep that is skipped the accumulators around the one that skips it take note, and no other.
  void step(bool last, bool skips) {
    last_ = last;
    skips_ = skips;
    if (!skips || skipping_) advance(spec_, phase_);
  }
  /// Every accumulator is empty again, none of them by dropping what it held.
  bool at_rest() const { return !dropped_ && rests(phase_); }

 private:
  static bool rests(const Phase& phase) { return phase.mini_step == 0 && std::ranges::all_of(phase.of, rests); }
  static bool flushes(const Spec& spec) { return spec.text("partial").starts_with("flush"); }

  void advance(const Spec& spec, Phase& phase) {
    if (spec.op == "multi_steps") return advance_multi_steps(spec, phase);
    if (spec.op == "apply_every") phase.mini_step = (phase.mini_step + 1) % spec.integer("k");
    for (std::size_t i = 0; i < spec.of.size(); ++i) advance(spec.of[i], phase.of[i]);
  }

  void advance_multi_steps(const Spec& spec, Phase& phase) {
    if (skips_ && &spec == skipping_) return end_skipped(spec, phase);
    auto k = static_cast<std::int64_t>(schedule_value(spec.args.at("k"), phase.gradient_step));
    if (++phase.mini_step >= k || (last_ && flushes(spec))) return emit(spec, phase);
    if (!last_ || spec.text("partial") != "drop") return;
    phase.mini_step = 0;
    dropped_ = true;
  }

  void emit(const Spec& spec, Phase& phase) {
    phase.mini_step = 0;
    ++phase.gradient_step;
    advance(spec.of[0], phase.of[0]);
  }

  // Only a window that is flushed moves.
  void end_skipped(const Spec& spec, Phase& phase) {
    if (last_ && phase.mini_step > 0 && flushes(spec)) emit(spec, phase);
  }

  const Spec& spec_;
  const Spec* skipping_;
  Phase phase_;
  bool last_ = false, skips_ = false;
  bool dropped_ = false;
};

}  // namespace

std::vector<std::vector<std::int64_t>> windows(const Plan& plan, const std::vector<bool>& skipped) {
  std::vector<std::vector<std::int64_t>> result;
  std::vector<std::int64_t> open;
  Follower follower(plan.spec);
  for (std::size_t t = 0; t < plan.batches.size(); ++t) {
    const bool last = t + 1 == plan.batches.size(), skips = t < skipped.size() && skipped[t];
    if (!skips) open.push_back(static_cast<std::int64_t>(t));
    follower.step(last, skips);
    if (open.empty() || !follower.at_rest()) continue;
    result.push_back(std::move(open));
    open = {};
  }
  return result;
}

Spec without_accumulators(const Spec& spec) {
  if (spec.op == "multi_steps") return without_accumulators(spec.of[0]);
  if (spec.op == "apply_every") return Spec{"chain", {}, {}};
  Spec result = spec;
  result.of.clear();
  for (const Spec& inner : spec.of) {
    Spec reduced = without_accumulators(inner);
    if (spec.op == "chain" && reduced.op == "chain")
      result.of.insert(result.of.end(), reduced.of.begin(), reduced.of.end());
    else
      result.of.push_back(std::move(reduced));
  }
  if (spec.op == "chain" && result.of.size() == 1) return Spec(result.of[0]);
  return result;
}

Plan large_batch_of(const Plan& plan, const std::vector<bool>& skipped) {
  Plan reference = plan;
  reference.spec = without_accumulators(plan.spec);
  reference.interruptions.clear();
  reference.shown.clear();
  reference.batches.clear();
  for (const auto& window : windows(plan, skipped)) {
    std::vector<std::int64_t> batch;
    for (std::int64_t t : window) batch.insert(batch.end(), plan.batches[t].begin(), plan.batches[t].end());
    reference.batches.push_back(std::move(batch));
  }
  return reference;
}

}  // namespace microstep
