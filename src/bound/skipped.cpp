#include <algorithm>

#include "microstep/bound/semantics.hpp"
#include "microstep/train/run.hpp"

namespace microstep {
namespace {

bool can_skip(const Spec& spec) {
  if (spec.op == "multi_steps" && spec.text("skip") != "never") return true;
  return std::ranges::any_of(spec.of, can_skip);
}

// A window that the end of the run drops was not skipped: it is held instead while skips are looked for.
Spec without_drop(Spec spec) {
  for (Spec& inner : spec.of) inner = without_drop(inner);
  if (spec.op == "multi_steps" && spec.text("partial") == "drop") spec.args["partial"] = Value("hold");
  return spec;
}

using BallState = State<Ball>;

// One multi_steps and the microsteps that wait in it.
struct Accumulator {
  const BallState* state;
  std::vector<std::size_t> waiting = {};
  std::int64_t mini_step = 0, gradient_step = 0;

  void note() {
    mini_step = state->count("mini_step");
    gradient_step = state->count("gradient_step");
  }
};

// From the outermost inwards; each is fed with what the one before it emits.
void find_accumulators(const BallState& state, std::vector<Accumulator>& found) {
  if (state.op == "multi_steps") found.push_back({&state});
  for (const BallState& inner : state.of) find_accumulators(inner, found);
}

bool state_moved(const Accumulator& a) {
  return a.state->count("mini_step") != a.mini_step || a.state->count("gradient_step") != a.gradient_step;
}

void leave_out(const std::vector<std::size_t>& microsteps, std::vector<bool>& skipped) {
  for (std::size_t t : microsteps) skipped[t] = true;
}

// What comes out of an accumulator that these microsteps went into; it may skip them, or drop all that it holds.
std::vector<std::size_t> passed_on(Accumulator& accumulator, const std::vector<std::size_t>& entering,
                                   std::vector<bool>& skipped) {
  auto& waiting = accumulator.waiting;
  const std::int64_t mini_step = accumulator.state->count("mini_step");
  const bool emits = accumulator.state->count("gradient_step") != accumulator.gradient_step;
  if (!state_moved(accumulator)) {
    leave_out(entering, skipped);
    return {};
  }
  waiting.insert(waiting.end(), entering.begin(), entering.end());
  if (mini_step != 0) return {};
  if (!emits) leave_out(waiting, skipped);
  std::vector<std::size_t> leaving;
  std::swap(leaving, waiting);
  return emits ? leaving : std::vector<std::size_t>{};
}

using BallTraining = Training<Balls<Wide>>;

// A skipped last microbatch may let the window before it out: the counters move though it was not taken. Asked again
// without the end of the run.
bool takes_last(const Plan& plan, BallTraining& training, const Balls<Wide>& arithmetic) {
  BallState state = training.state;
  const Tree<Ball> params = training.params;
  std::vector<Accumulator> accumulators;
  find_accumulators(state, accumulators);
  accumulators[0].note();
  training.step();
  Tree<Ball> updates = training.gradients;
  build<Balls<Wide>>(plan.spec)->update(arithmetic, updates, state, params, {1, false});
  return state_moved(accumulators[0]);
}

}  // namespace

std::vector<bool> skipped_microsteps(const Plan& whole) {
  if (!can_skip(whole.spec)) return {};
  Plan plan = whole;
  plan.spec = without_drop(whole.spec);
  const auto arithmetic = Balls<Wide>::semantics(narrowest_dtype(plan.params.layout()));
  BallTraining training(arithmetic, plan);
  std::vector<bool> skipped(plan.batches.size(), false);
  std::vector<Accumulator> accumulators;
  find_accumulators(training.state, accumulators);
  for (std::size_t t = 0; t < skipped.size(); ++t) {
    for (Accumulator& accumulator : accumulators) accumulator.note();
    std::vector<std::size_t> entering = {t};
    if (t + 1 < skipped.size()) {
      training.step();
    } else if (!takes_last(plan, training, arithmetic)) {
      skipped[t] = true;
      entering.clear();
    }
    for (Accumulator& accumulator : accumulators) entering = passed_on(accumulator, entering, skipped);
  }
  return skipped;
}

}  // namespace microstep
