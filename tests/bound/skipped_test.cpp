// Which microsteps a skip rule left out, seen from a run over balls.
#include "bound/plans.hpp"

namespace microstep::testing_bound {
namespace {

constexpr double bad = std::numeric_limits<double>::infinity();
using Bits = std::vector<bool>;

Bits skipped(std::string_view spec, const std::vector<double>& gradients) {
  return skipped_microsteps(replay_of(spec, gradients));
}

TEST(Skipped, IsEmptyWhereNoRuleCanSkip) {
  EXPECT_EQ(skipped("multi_steps(sgd(1), k=2)", {1, bad}), Bits{});
  EXPECT_EQ(skipped("sgd(1)", {1}), Bits{});
}

TEST(Skipped, MicrobatchesThatAreNotFinite) {
  EXPECT_EQ(skipped("multi_steps(sgd(1), k=2, skip=not_finite)", {bad, 1, bad, 2, 3}), (Bits{1, 0, 1, 0, 0}));
  EXPECT_EQ(skipped("chain(scale(2), multi_steps(sgd(1), k=1, skip=not_finite))", {1, bad, 2}), (Bits{0, 1, 0}));
}

TEST(Skipped, MicrobatchesThatAreTooLarge) {
  EXPECT_EQ(skipped("multi_steps(sgd(1), k=2, skip=large(4))", {3, 4, -5, 2}), (Bits{0, 1, 1, 0}));
}

TEST(Skipped, AllOfAWindowThatIsThrownAway) {
  const char* spec = "multi_steps(sgd(1), k=2, skip=window_not_finite)";
  EXPECT_EQ(skipped(spec, {1, bad, 2, 4, bad, 1}), (Bits{1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(skipped("multi_steps(sgd(1), k=1, skip=window_not_finite)", {1, bad, 2}), (Bits{0, 1, 0}));
}

TEST(Skipped, ByAnInnerAccumulatorAreTheMicrostepsOfItsGradient) {
  EXPECT_EQ(skipped("multi_steps(multi_steps(sgd(1), k=2, skip=not_finite), k=2)", {1, 2, bad, 3, 4, 5}),
            (Bits{0, 0, 1, 1, 0, 0}));
}

TEST(Skipped, ALastMicrobatchThoughItLetsTheWindowOut) {
  const char* spec = "multi_steps(sgd(1), k=3, skip=not_finite, partial=flush)";
  EXPECT_EQ(skipped(spec, {2, 4, bad}), (Bits{0, 0, 1}));
  EXPECT_EQ(skipped(spec, {2, bad, 4}), (Bits{0, 1, 0}));
}

TEST(Skipped, ByAnInnerAccumulatorThoughItLetsItsWindowOut) {
  const char* spec = "multi_steps(multi_steps(sgd(1), k=2, skip=not_finite, partial=flush), k=2)";
  for (const std::vector<double>& gradients : {std::vector<double>{2, 4, bad, 1}, {2, 4, 1, bad}}) {
    EXPECT_EQ(skipped(spec, gradients), (Bits{0, 0, 1, 1}));
    const Semantics s = against(replay_of(spec, gradients));
    EXPECT_EQ(s.verdict, Sameness::same) << s.reason;
    EXPECT_EQ(s.windows, 1);
  }
  // The weighted means are 4, 1 and 2.125, and only the second is below 2.
  Plan plan = replay_of("multi_steps(multi_steps(sgd(1), k=2, skip=large(2), partial=flush), k=2, reduce=weighted)",
                        {1, 5, 1, 1, 1, 2.5});
  for (GivenGradient& given : plan.given) given.weight = given.gradient.values(0)[0] > 1 ? 3 : 1;
  EXPECT_EQ(skipped_microsteps(plan), (Bits{1, 1, 0, 0, 1, 1}));
}

std::string refused(std::string_view spec, const std::vector<double>& gradients) {
  try {
    skipped(spec, gradients);
    return "taken";
  } catch (const Error& error) {
    return error.id();
  }
}

// After the skip the first emits in microsteps 3, 5, 7 and the second in 2, 4, 6: one of them always waits.
TEST(Skipped, AlongAChainOfAccumulatorsIsRefused) {
  const std::string id = "plan.no-common-windows";
  for (const char* spec : {"chain(multi_steps(sgd(1), k=2, skip=not_finite), multi_steps(scale(1), k=2))",
                           "chain(multi_steps(scale(1), k=2), multi_steps(sgd(1), k=2, skip=not_finite))",
                           "chain(apply_every(2), multi_steps(sgd(1), k=1, skip=not_finite))",
                           "chain(multi_steps(sgd(1), k=1, skip=window_not_finite), apply_every(2))"}) {
    EXPECT_EQ(refused(spec, {1, bad, 2, 3, 4, 5}), id) << spec;
    EXPECT_EQ(skipped(spec, {1, 2}), (Bits{0, 0})) << spec;
  }
}

// Which of the two left microsteps 1 and 2 out cannot be told from them, and k follows what the outer one let through.
TEST(Skipped, ByEitherOfTwoUnderAScheduleIsRefused) {
  EXPECT_EQ(refused("multi_steps(multi_steps(sgd(1), k=2, skip=large(2)), k=[[0, 2], [1, 1]], skip=not_finite)",
                    {3, 3, 1, 1, 1}),
            "plan.no-common-windows");
}

TEST(Skipped, RunsAreTheLargeBatchOfTheRest) {
  for (const char* partial : {"hold", "flush", "drop"})
    for (std::size_t position = 0; position < 6; ++position) {
      std::vector<double> gradients{2, 4, 1, 3, 5};
      gradients.insert(gradients.begin() + static_cast<std::ptrdiff_t>(position), bad);
      const Semantics s = against(
          replay_of(std::string("multi_steps(adam(0.1), k=2, skip=not_finite, partial=") + partial + ")", gradients));
      EXPECT_EQ(s.verdict, Sameness::same) << partial << " " << position << " " << s.reason;
      EXPECT_EQ(s.windows, partial == std::string("flush") ? 3 : 2);
    }
}

}  // namespace
}  // namespace microstep::testing_bound
