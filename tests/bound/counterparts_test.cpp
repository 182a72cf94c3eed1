// One accumulated run beside several others at once: each is judged as if it stood alone.
#include "bound/plans.hpp"

namespace microstep::testing_bound {
namespace {

constexpr const char* accumulated = "multi_steps(chain(trace(0.5), clip(1), sgd([[0, 1], [2, 0.5]])), k=2)";

std::vector<Plan> references_of(const Plan& plan, const std::vector<std::string>& specs) {
  std::vector<Plan> references;
  for (const std::string& spec : specs) {
    Plan& reference = references.emplace_back(large_batch_of(plan));
    reference.spec = parse_spec(spec);
  }
  return references;
}

void expect_as_alone(const Plan& plan, const std::vector<Plan>& references) {
  std::vector<Pairing> pairings;
  for (const Plan& reference : references) pairings.push_back({plan, reference, windows(plan)});
  const std::vector<Semantics> together = decide(pairings);
  ASSERT_EQ(together.size(), references.size());
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Semantics alone = decide(pairings[i]);
    EXPECT_EQ(together[i].verdict, alone.verdict) << i;
    EXPECT_EQ(together[i].windows, alone.windows) << i;
    EXPECT_EQ(together[i].reason, alone.reason) << i;
    EXPECT_EQ(together[i].unpaired, alone.unpaired) << i;
    EXPECT_EQ(paths(together[i]), paths(alone)) << i;
  }
}

TEST(Counterparts, AreJudgedAsEachAlone) {
  const Plan plan = replay_of(accumulated, {2, 4, .1, .3, -.2, .1, .7, -.1});
  const std::vector<Plan> references =
      references_of(plan, {"chain(trace(0.5), clip(1), sgd([[0, 1], [3, 0.5]]))",
                           "chain(trace(0.5), clip(1), sgd([[0, 1], [2, 0.5]]))", "chain(trace(0.5), clip(1), sgd(2))",
                           "chain(trace(0.5), clip(1), sgd([[0, 1], [2, 0.5]]), ema(0))"});
  expect_as_alone(plan, references);
  expect_as_alone(plan, {references[1], references[0]});
  EXPECT_EQ(decide({plan, references[0], windows(plan)}).windows, 3);
  EXPECT_EQ(decide({plan, references[1], windows(plan)}).verdict, Sameness::same);
}

TEST(Counterparts, AnUncertainOneLeavesTheOthersAlone) {
  const float x = .6F, y = .8F;
  const Plan plan = two_elements("multi_steps(sgd(1), k=1)", {{x, y}, {x, y}});
  const std::vector<Plan> references = references_of(plan, {"multi_steps(sgd(1), k=1, skip=large(1))", "sgd(1)"});
  expect_as_alone(plan, references);
  EXPECT_EQ(decide({plan, references[0], windows(plan)}).verdict, Sameness::undecidable);
  EXPECT_EQ(decide({plan, references[1], windows(plan)}).verdict, Sameness::same);
}

TEST(Counterparts, AnUncertainAccumulatedRunLeavesAllUndecidable) {
  const float x = .6F, y = .8F;
  const Plan plan = two_elements("multi_steps(sgd(1), k=1, skip=large(1))", {{x, y}, {x, y}});
  const std::vector<Plan> references = references_of(plan, {"sgd(1)", "sgd(2)"});
  expect_as_alone(plan, references);
  for (const Plan& reference : references)
    EXPECT_EQ(decide({plan, reference, windows(plan)}).verdict, Sameness::undecidable);
}

// The large batch and the microbatches of each window in reverse: all three restart from the same numbers.
TEST(Counterparts, GoOnFromTheSameCentres) {
  const Plan plan = plan_of("multi_steps(adam(0.1), k=3)", "mlp(3, 5, 2)", {.windows = 40});
  const Plan reference = large_batch_of(plan);
  Plan reversed = plan;
  for (std::size_t i = 0; i < plan.batches.size(); i += 3) std::swap(reversed.batches[i], reversed.batches[i + 2]);
  const Windows own = windows(plan);
  for (const Semantics& s : decide(std::vector<Pairing>{{plan, reference, own}, {plan, reversed, own, own}})) {
    EXPECT_EQ(s.verdict, Sameness::same) << s.reason;
    EXPECT_EQ(s.windows, 40);
  }
}

TEST(Counterparts, NoneGiveNoAnswer) { EXPECT_TRUE(decide(std::span<const Pairing>{}).empty()); }

}  // namespace
}  // namespace microstep::testing_bound
