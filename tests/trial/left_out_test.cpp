// What a port leaves out of its steps: state may be hidden, nothing else.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <regex>

#include "microstep/json/trace.hpp"
#include "microstep/train/setup.hpp"
#include "microstep/trial/check.hpp"
#include "microstep/trial/evidence.hpp"

namespace microstep {
namespace {

Plan plan_of(const char* spec) { return make_plan(parse_spec(spec), parse_spec("replay", OpKind::problem), {}); }

// All that is said of a run of a plan against its own large batch.
std::string problems_of(const Plan& plan, const std::function<Trace(const Plan&)>& port) {
  const Experiment experiment{"e", {{Role::accumulated, plan}, {Role::reference, large_batch_of(plan)}}};
  const auto checked = check_experiment(experiment, {}, [&](Role, const Plan& p) -> Answer { return port(p); });
  return fmt::format("{}", fmt::join(checked.problems, "\n"));
}

Trace run_of(const Plan& plan) { return std::get<Trace>(own_run(plan)); }

// Under a name that no reader knows.
Trace without(const Plan& plan, const std::string& section) {
  const std::string text = encode_trace(run_of(plan));
  return decode_trace(std::regex_replace(text, std::regex("\"" + section + "\":"), "\"raw\":"), "port", &plan);
}

// Adam alone has no accumulator, so that no contract looks at its updates.
TEST(LeftOut, UpdatesOfAllSteps) {
  for (const char* spec : {"adam(0.1)", "sgd(0.5)", "multi_steps(sgd(0.5), k=2)"}) {
    const Plan plan = plan_of(spec);
    EXPECT_EQ(problems_of(plan, run_of), "");
    const std::string said = problems_of(plan, [](const Plan& p) { return without(p, "updates"); });
    for (const char* role : {"accumulated", "reference"})
      EXPECT_NE(
          said.find(fmt::format("{}: the trace lacks updates/w, updates/b, updates/s, first in microstep 1", role)),
          std::string::npos)
          << spec << ": " << said;
  }
}

TEST(LeftOut, GradientsOfAllSteps) {
  const std::string said = problems_of(plan_of("adam(0.1)"), [](const Plan& p) { return without(p, "gradients"); });
  EXPECT_NE(said.find("the trace lacks gradients/w, gradients/b, gradients/s, first in microstep 1"), std::string::npos)
      << said;
}

// A gradient of zero that is left out would pass for one that is absent, and its update with it.
TEST(LeftOut, ZerosOfOneStep) {
  Plan plan = plan_of("sgd(0.5)");
  for (GivenGradient& given : plan.given)
    for (std::size_t i = 0; i < given.gradient.leaf_count(); ++i) std::ranges::fill(given.gradient.values(i), 0.0);
  EXPECT_EQ(problems_of(plan, run_of), "");
  const std::string said = problems_of(plan, [](const Plan& p) {
    Trace trace = run_of(p);
    for (const char* path : {"gradients/b", "updates/b"})
      trace.presence(2, *trace.schema().find_column(path)) = Presence::absent;
    return trace;
  });
  EXPECT_NE(said.find("the trace lacks gradients/b, updates/b, first in microstep 2"), std::string::npos) << said;
}

TEST(LeftOut, WhatHasNoGradientMayBe) {
  Plan plan = plan_of("sgd(0.5)");
  for (GivenGradient& given : plan.given) given.gradient.mark(1, Presence::absent);
  const std::string said = problems_of(plan, [](const Plan& p) {
    Trace trace = run_of(p);
    for (std::int64_t row = 1; row < trace.rows(); ++row)
      trace.presence(row, *trace.schema().find_column("updates/b")) = Presence::absent;
    return trace;
  });
  EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace microstep
