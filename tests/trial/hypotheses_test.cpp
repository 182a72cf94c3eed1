// What a trace is held against where it is not its spec's: other specs, all of them sound.
#include <fmt/format.h>

#include <set>

#include "microstep/draw/specs.hpp"
#include "trial/renamed_run.hpp"

namespace microstep {
namespace {

void expect_sound(const Spec& claimed) {
  for (const Spec& other : other_specs(claimed)) {
    const std::string printed = to_string(other);
    EXPECT_EQ(parse_spec(printed), other) << to_string(claimed) << " as " << printed;
    EXPECT_NE(other, claimed) << printed;
  }
}

TEST(Hypotheses, OfDrawnSpecsPrintAndParseBack) {
  SpecLimits limits;
  limits.accumulators = Accumulators::anywhere;
  limits.depth = 5;
  limits.k = 2147483647;
  for (std::uint64_t i = 0; i < 2000; ++i) expect_sound(draw_spec(Stream("hypotheses", 11), i, limits));
}

TEST(Hypotheses, AtTheLimitsOfTheLanguagePrintAndParseBack) {
  expect_sound(parse_spec("multi_steps(sgd(0.1), k=2147483647)"));
  expect_sound(parse_spec("multi_steps(adamw(0.1, weight_decay=1e308), k=4)"));
  std::string deep = "multi_steps(adamw(0.1), k=2)";
  for (int i = 0; i < 30; ++i) deep = "chain(" + deep + ")";
  expect_sound(parse_spec(deep));
}

std::set<std::string> others_of(std::string_view claimed) {
  std::set<std::string> others;
  for (const Spec& other : other_specs(parse_spec(claimed))) others.insert(to_string(other));
  return others;
}

TEST(Hypotheses, ChangeTheSkipRuleAndLeaveNoNormBehind) {
  const auto others = others_of("masked(multi_steps(sgd(0.1), k=2, skip=large(2)), mask=[w])");
  for (const char* skip : {"", ", skip=not_finite", ", skip=window_not_finite"})
    EXPECT_TRUE(others.contains(fmt::format("masked(multi_steps(sgd(0.1), k=2{}), mask=[w])", skip))) << skip;
}

// Every gradient is larger than the norm.
TEST(Hypotheses, ALargeMicrobatchThatIsTakenIsASkipOfAnother) {
  for (const char* actual : {"multi_steps(adam(0.1), k=2)", "multi_steps(adam(0.1), k=2, skip=not_finite)"}) {
    const TraceJudgement judgement = judged_as("multi_steps(adam(0.1), k=2, skip=large(0.01))", dumped_run(actual));
    EXPECT_EQ(judgement.outcome, Outcome::broken);
    EXPECT_EQ(judgement.causes, std::vector<std::string>{"nonfinite-skip"});
    ASSERT_TRUE(judgement.explained_by);
    EXPECT_EQ(to_string(*judgement.explained_by), "multi_steps(adam(0.1), k=2)");
  }
}

}  // namespace
}  // namespace microstep
