#include <algorithm>
#include <functional>

#include "microstep/bound/semantics.hpp"
#include "microstep/bound/transition.hpp"
#include "microstep/train/run.hpp"

namespace microstep {
namespace {

bool accumulates(const Spec& spec) { return op_rule(spec.op).accumulates || std::ranges::any_of(spec.of, accumulates); }

// A window that the end of the run drops was not skipped: it is held instead while skips are looked for.
Spec without_drop(Spec spec) {
  for (Spec& inner : spec.of) inner = without_drop(inner);
  if (spec.op == "multi_steps" && spec.text("partial") == "drop") spec.args["partial"] = Value("hold");
  return spec;
}

// All but the first `count` accumulators, in pre-order, hold what the end of the run would flush.
Spec held_from(Spec spec, std::size_t& count) {
  if (spec.op == "multi_steps") {
    if (count == 0)
      spec.args["partial"] = Value("hold");
    else
      --count;
  }
  for (Spec& inner : spec.of) inner = held_from(inner, count);
  return spec;
}

using BallState = State<Ball>;
using BallTraining = Training<Balls<Wide>>;

// One multi_steps and the microsteps that wait in it.
struct Accumulator {
  const Spec* spec;
  const BallState* state;
  /// Another accumulator stands in a chain with it, or with what it lies in.
  bool in_company;
  std::vector<std::size_t> waiting = {};
  std::int64_t mini_step = 0, gradient_step = 0;

  void note() {
    mini_step = state->count("mini_step");
    gradient_step = state->count("gradient_step");
  }
  bool emits() const { return state->count("gradient_step") != gradient_step; }
  bool moved() const { return emits() || state->count("mini_step") != mini_step; }
};

// From the outermost inwards; each is fed with what the one before it emits.
void find_accumulators(const Spec& spec, const BallState& state, bool in_company, std::vector<Accumulator>& found) {
  if (spec.op == "multi_steps") found.push_back({&spec, &state, in_company});
  in_company = in_company || std::ranges::count_if(spec.of, accumulates) > 1;
  for (std::size_t i = 0; i < spec.of.size(); ++i) find_accumulators(spec.of[i], state.of[i], in_company, found);
}

std::vector<Accumulator> accumulators_of(const Spec& spec, const BallState& state) {
  std::vector<Accumulator> found;
  find_accumulators(spec, state, false, found);
  for (Accumulator& accumulator : found) accumulator.note();
  return found;
}

bool at_rest(const BallState& state) {
  if (state.op == "multi_steps" && state.count("mini_step") != 0) return false;
  if (state.op == "apply_every" && state.count("count") != 0) return false;
  return std::ranges::all_of(state.of, at_rest);
}

[[noreturn]] void refuse_windows(const Spec& spec) {
  throw Error("plan.no-common-windows",
              "a microbatch is skipped inside of several accumulators, which then do not become empty together",
              to_string(spec), "keep one accumulator, or let only the outermost one skip");
}

// What comes out of an accumulator that these microsteps went into; it may skip them, or drop all that it holds.
std::vector<std::size_t> passed_on(Accumulator& accumulator, bool takes, const std::vector<std::size_t>& entering,
                                   const std::function<void(std::size_t)>& skip) {
  auto leave_out = [&](const std::vector<std::size_t>& microsteps) {
    if (accumulator.in_company && !microsteps.empty()) refuse_windows(*accumulator.spec);
    for (std::size_t t : microsteps) skip(t);
  };
  if (takes)
    accumulator.waiting.insert(accumulator.waiting.end(), entering.begin(), entering.end());
  else
    leave_out(entering);
  if (accumulator.state->count("mini_step") != 0) return {};
  if (!accumulator.emits()) leave_out(accumulator.waiting);
  const std::vector<std::size_t> leaving = std::exchange(accumulator.waiting, {});
  return accumulator.emits() ? leaving : std::vector<std::size_t>{};
}

// The run over balls whose counters show what was skipped, and where all accumulators are empty.
class SkipRun {
 public:
  explicit SkipRun(const Plan& plan)
      : plan_(plan),
        arithmetic_(Balls<Wide>::semantics(narrowest_dtype(plan.params.layout()))),
        training_(arithmetic_, plan),
        accumulators_(accumulators_of(plan.spec, training_.state)),
        skips_{std::vector<bool>(plan.batches.size(), false), std::vector<std::size_t>(plan.batches.size())} {
    for (std::size_t t = 0; t < plan.batches.size(); ++t) step(t);
  }

  const Skips& skips() const { return skips_; }
  const Windows& windows() const { return windows_; }

 private:
  void step(std::size_t t) {
    for (Accumulator& accumulator : accumulators_) accumulator.note();
    const std::vector<bool> takes = t + 1 == plan_.batches.size() ? taken_at_the_end() : std::vector<bool>{};
    training_.step();
    std::vector<std::size_t> entering = {t};
    for (std::size_t i = 0; i < accumulators_.size(); ++i)
      entering = passed_on(accumulators_[i], takes.empty() ? accumulators_[i].moved() : takes[i], entering,
                           [&](std::size_t at) {
                             skips_.skipped[at] = true;
                             skips_.by[at] = i;
                           });
    open_.push_back(static_cast<std::int64_t>(t));
    if (at_rest(training_.state)) close();
  }

  void close() {
    std::erase_if(open_, [&](std::int64_t t) { return skips_.skipped[static_cast<std::size_t>(t)]; });
    if (!open_.empty()) windows_.push_back(std::exchange(open_, {}));
  }

  // A skipped last microbatch may let the window before it out: the counters move though it was not taken. Each
  // accumulator is asked while it and those within hold what they have.
  std::vector<bool> taken_at_the_end() const {
    std::vector<bool> taken;
    Plan end = plan_;
    end.batches = {plan_.batches.back()};
    if (!end.shown.empty()) end.shown = {plan_.shown.back()};
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      std::size_t before = i;
      end.spec = held_from(plan_.spec, before);
      BallTraining training(arithmetic_, end);
      training.params = training_.params;
      training.state = training_.state;
      const std::vector<Accumulator> own = accumulators_of(end.spec, training.state);
      training.step();
      taken.push_back(own[i].moved());
    }
    return taken;
  }

  const Plan& plan_;
  Balls<Wide> arithmetic_;
  BallTraining training_;
  std::vector<Accumulator> accumulators_;
  Skips skips_;
  std::vector<std::int64_t> open_;
  Windows windows_;
};

}  // namespace

std::vector<bool> skipped_microsteps(const Plan& plan) { return skips_of(plan).skipped; }

Skips skips_of(const Plan& whole) {
  if (!can_skip(whole.spec)) return {};
  Plan plan = whole;
  plan.spec = without_drop(whole.spec);
  const SkipRun run(plan);
  if (windows(whole, run.skips().skipped) != run.windows()) refuse_windows(whole.spec);
  return run.skips();
}

}  // namespace microstep
