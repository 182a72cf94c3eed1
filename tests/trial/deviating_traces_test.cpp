// Traces of ports that do odd things with shapes, dtypes and keys: gathered, judged and checked without a crash, and
// never green.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "microstep/json/protocol.hpp"
#include "microstep/judge/contract.hpp"
#include "microstep/train/setup.hpp"
#include "microstep/trial/check.hpp"
#include "microstep/trial/evidence.hpp"

namespace microstep {
namespace {

// Our own answer to a plan as a port writes it, with a pattern replaced in every row or in the last step.
struct Edit {
  const char* name;
  const char* pattern;
  const char* replacement;
  bool everywhere;
  const char* broken;  // the contract that says so; empty: only the check as a whole does
};

constexpr Edit edits[] = {
    {"params_shape_at_the_end", R"("params":\{"w":(\[[^\]]*\]))", R"("params":{"w":{"shape":[3,2],"values":$1})", false,
     "form.shape"},
    {"params_shape_always", R"("params":\{"w":(\{"dtype":"float32","shape":\[2,3\],"values")?)",
     R"("params":{"w":{"shape":[1],"values":[1]},"x":$1)", true, "form.shape"},
    {"params_dtype_at_the_end", R"("params":\{"w":(\[[^\]]*\]))", R"("params":{"w":{"dtype":"float64","values":$1})",
     false, "form.dtype"},
    {"slot_shape_at_the_end", R"("mu":\{"w":(\[[^\]]*\]))", R"("mu":{"w":{"shape":[3,2],"values":$1})", false,
     "form.shape"},
    {"slot_shape_always", R"("mu":\{"w":(\[[^\]]*\]))", R"("mu":{"w":{"shape":[3,2],"values":$1})", true, "form.shape"},
    {"slot_with_fewer_numbers", R"("mu":\{"w":\[[^\]]*\])", R"("mu":{"w":{"shape":[1],"values":[0]})", true,
     "form.shape"},
    {"slot_dtype_always", R"("mu":\{"w":(\[[^\]]*\]))", R"("mu":{"w":{"dtype":"float64","values":$1})", true,
     "form.dtype"},
    {"update_shape_at_the_end", R"("updates":\{"w":\[[^\]]*\])", R"("updates":{"w":{"shape":[1],"values":[0]})", false,
     "form.shape"},
    {"gradient_shape_at_the_end", R"("gradients":\{"w":\[[^\]]*\])", R"("gradients":{"w":{"shape":[1],"values":[0]})",
     false, "form.shape"},
    {"slot_lost_at_the_end", R"("nu":\{)", R"("other":{)", false, "form.keys"},
    {"slot_renamed", R"("nu":\{)", R"("other":{)", true, ""},
    {"count_lost_at_the_end", R"("mini_step":)", R"("step":)", false, "form.keys"},
    {"count_renamed", R"("mini_step":)", R"("step":)", true, ""},
    {"leaf_lost_at_the_end", R"("b":\[)", R"("c":[)", false, ""},
    {"state_hidden", R"("state":\{)", R"("raw":{)", true, ""},
    {"state_hidden_at_the_end", R"("state":\{)", R"("raw":{)", false, "form.keys"},
    {"gradients_hidden", R"("gradients":\{)", R"("raw":{)", true, ""},
    {"params_hidden_at_the_end", R"("params":\{)", R"("raw":{)", false, "form.keys"},
    {"inner_states_hidden", R"("of":\[)", R"("raw":[)", true, ""},
    {"too_many_inner_states", R"("of":\[)",
     R"("of":[{"counts":{"count":3},"slots":{"mu":{"w":{"shape":[1],"values":[1]}}}},)", true, ""},
};

Experiment experiment() {
  PlanOptions options;
  options.examples = 1;
  const Spec problem = parse_spec("replay", OpKind::problem);
  return experiment_of("odd", make_plan(parse_spec("multi_steps(adam(0.25), k=2)"), problem, options));
}

Answer edited(const Edit& edit, const Plan& plan) {
  std::string text = encode_answer(1, own_run(plan));
  const std::size_t begin = edit.everywhere ? 0 : text.rfind(R"("gradients":)");
  const std::string changed = std::regex_replace(text.substr(begin), std::regex(edit.pattern), edit.replacement);
  try {
    return read_answer(parse_answer(text.substr(0, begin) + changed), plan);
  } catch (const Error& error) {
    return Errored{error.id(), error.message()};
  }
}

class DeviatingTraces : public testing::TestWithParam<Edit> {};

INSTANTIATE_TEST_SUITE_P(Port, DeviatingTraces, testing::ValuesIn(edits),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(DeviatingTraces, AreGatheredAndJudged) {
  const Experiment odd = experiment();
  const Evidence evidence = gather(odd, [](const Plan& plan) { return edited(GetParam(), plan); });
  const std::vector<Verdict> verdicts = judge_all(evidence);
  if (std::string_view(GetParam().broken).empty() || evidence.errored.contains(Role::accumulated)) return;
  const auto found = std::ranges::find(verdicts, GetParam().broken, &Verdict::contract);
  ASSERT_NE(found, verdicts.end());
  EXPECT_EQ(found->outcome, Outcome::broken) << found->evidence;
}

TEST_P(DeviatingTraces, AreNeverGreen) {
  const TraceOfRole traces = [](Role, const Plan& plan) { return edited(GetParam(), plan); };
  const CheckedExperiment checked = check_experiment(experiment(), {}, traces);
  EXPECT_FALSE(checked.problems.empty());
}

TEST_P(DeviatingTraces, HaveNoExplainingBehaviour) {
  const Experiment odd = experiment();
  const Experiment alone{odd.id, {{Role::accumulated, odd.plans.at(Role::accumulated)}}};
  const Answer answer = edited(GetParam(), alone.plans.at(Role::accumulated));
  ASSERT_TRUE(std::holds_alternative<Trace>(answer)) << std::get<Errored>(answer).message;
  EXPECT_EQ(explaining_behaviours(alone, [&](Role, const Plan&) { return answer; }), std::nullopt);
}

TEST(DeviatingTracesThemselves, AreGreenWithoutAnEdit) {
  const TraceOfRole traces = [](Role, const Plan& plan) { return own_run(plan); };
  const CheckedExperiment checked = check_experiment(experiment(), {}, traces);
  EXPECT_EQ(checked.problems, std::vector<std::string>());
}

// What is hidden is not judged, in sight.
TEST(DeviatingTracesThemselves, HiddenUpdatesMakeContractsNotApplicable) {
  const Edit hidden{"updates_hidden", R"("updates":\{)", R"("raw":{)", true, ""};
  const Experiment odd = experiment();
  const Evidence evidence = gather(odd, [&](const Plan& plan) { return edited(hidden, plan); });
  for (std::string_view id : {"emission.silent_zero", "emission.every_k"}) {
    const Verdict verdict = contract(id).judge(evidence);
    EXPECT_EQ(verdict.outcome, Outcome::not_applicable) << id << ": " << verdict.evidence;
  }
}

}  // namespace
}  // namespace microstep
