#include "hypothesis.hpp"

#include "accumulation.hpp"
#include "microstep/bound/transition.hpp"
#include "microstep/judge/faithful.hpp"

namespace microstep {
namespace {

bool differ(const Plan& plan, const Spec& spec, const Spec& other_spec, const Windows& windows) {
  Plan own = plan, other = plan;
  own.spec = spec;
  other.spec = other_spec;
  Pairing pairing{own, other, windows};
  pairing.reference_windows = windows;
  return decide(pairing).verdict != Sameness::same;
}

// The accumulators alone, which give what they have made of a window.
Spec reductions_of(const Spec& spec) {
  std::vector<std::string> reduce;
  for (const Spec* accumulator : accumulators_of(spec)) reduce.push_back(reduction_of(*accumulator));
  return skeleton_of(spec, reduce, {"scale", {{"factor", Value(1)}}, {}});
}

// What is made of a window is another number, though the inner may make the same of both, as a clip does.
bool is_another_computation(const Plan& plan, const Spec& spec, const Windows& windows) {
  return differ(plan, plan.spec, spec, windows) || differ(plan, reductions_of(plan.spec), reductions_of(spec), windows);
}

}  // namespace

std::string ambiguity(const Plan& plan, const Trace& trace, const Windows& windows) {
  const std::vector<Spec> others = other_reductions(plan.spec);
  if (!others.empty() && windows.empty()) return "no window closes";
  for (const Spec& other : others)
    if (held_against(plan, other, trace) != Outcome::broken && is_another_computation(plan, other, windows))
      return "what it shows is that of " + to_string(other) + " as well";
  return {};
}

Outcome held_against(const Plan& plan, const Spec& spec, const Trace& trace) {
  Plan other = plan;
  other.spec = spec;
  try {
    return faithfulness(trace, transitions(other, embedded(trace)), false).outcome;
  } catch (const Undecidable&) {
    return Outcome::undecidable;
  }
}

std::optional<Envelope> balls_that_hold(const Plan& plan, const Spec& spec, const Trace& trace) {
  Plan other = plan;
  other.spec = spec;
  try {
    Envelope balls = transitions(other, embedded(trace));
    if (faithfulness(trace, balls, false).outcome == Outcome::holds) return balls;
  } catch (const Undecidable&) {
  } catch (const Error&) {  // what cannot run on these leaves explains nothing
  }
  return std::nullopt;
}

std::vector<Spec> other_reductions(const Spec& spec) {
  std::vector<Spec> specs;
  if (spec.op == "multi_steps")
    for (const char* reduce : {"mean", "sum", "weighted"}) {
      if (spec.text("reduce") == reduce) continue;
      specs.push_back(spec);
      specs.back().args["reduce"] = reduce;
    }
  for (std::size_t i = 0; i < spec.of.size(); ++i)
    for (const Spec& inner : other_reductions(spec.of[i])) {
      specs.push_back(spec);
      specs.back().of[i] = inner;
    }
  return specs;
}

}  // namespace microstep
