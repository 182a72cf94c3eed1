// What is printed is read back as it was.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "microstep/json/plan.hpp"
#include "microstep/train/run.hpp"
#include "property/law.hpp"
#include "property/runs.hpp"

namespace microstep::property {
namespace {

PlanLimits everything() {
  PlanLimits limits;
  limits.spec.accumulators = Accumulators::anywhere;
  limits.spec.depth = 5;
  limits.spec.k = 2147483647;
  limits.most_microsteps = 4;
  limits.mixed_dtypes = true;
  limits.ragged = true;
  limits.absent = 0.2;
  limits.frozen = 0.1;
  limits.special = {0.05, 0.05, 0.05, 0.05, 0.05, 0.05};
  limits.precisions = {HyperPrecision::undeclared, HyperPrecision::leaf, HyperPrecision::float32,
                       HyperPrecision::float64};
  return limits;
}

Ruling is_read_back(const Plan& plan) {
  const std::string printed = to_string(plan.spec);
  const Spec read = parse_spec(printed);
  if (read != plan.spec) return broken(printed + " is read as " + to_string(read));
  return to_string(read) == printed ? holds() : broken(printed + " is printed anew as " + to_string(read));
}

RC_GTEST_PROP(Language, ReadsBackWhatItPrints, ()) { obey("parse-of-print", everything(), is_read_back); }

Ruling survives_json(const Plan& plan) {
  const std::string text = encode_plan(plan);
  const Plan back = decode_plan(text);
  if (back.spec != plan.spec || back.batches != plan.batches) return broken("spec or batches changed");
  if (*back.gradient_layout != *plan.gradient_layout || back.params.layout() != plan.params.layout())
    return broken("layouts changed");
  return encode_plan(back) == text ? holds() : broken("other bytes");
}

RC_GTEST_PROP(Language, KeepsPlansInJson, ()) { obey("plans-in-json", everything(), survives_json); }

Ruling states_survive_json(const Plan& plan) {
  using A = Emulated<double>;
  Training<A> training(A{Dtype::float64, plan.hyper_precision}, plan);
  while (!training.done()) {
    training.step();
    const State<double> back = decode_state(encode_state(training.state));
    if (const auto found = state_difference("state", training.state, back)) return broken(*found);
  }
  return holds();
}

RC_GTEST_PROP(Language, KeepsStatesInJson, ()) { obey("states-in-json", everything(), states_survive_json); }

}  // namespace
}  // namespace microstep::property
