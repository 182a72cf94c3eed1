#include "microstep/draw/plans.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <set>

namespace microstep {
namespace {

constexpr std::uint64_t cases = 1000;

PlanLimits lively() {
  PlanLimits limits;
  limits.spec.accumulators = Accumulators::anywhere;
  limits.ragged = true;
  limits.mixed_dtypes = true;
  limits.absent = 0.2;
  limits.frozen = 0.1;
  limits.special = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
  return limits;
}

const PlanLimits plain;

Plan plan_of(std::uint64_t which_case, const PlanLimits& limits) {
  return draw_plan(Stream("p", 1), which_case, limits);
}

void visit_numbers(const Plan& plan, const std::function<void(Dtype, double)>& action) {
  for (const GivenGradient& given : plan.given)
    for (std::size_t i = 0; i < given.gradient.leaf_count(); ++i)
      if (given.gradient.is_dense(i))
        for (double x : given.gradient.values(i)) action(given.gradient.leaf(i).dtype, x);
}

std::vector<std::uint64_t> bits_of(const Plan& plan) {
  std::vector<std::uint64_t> bits;
  visit_numbers(plan, [&](Dtype, double x) { bits.push_back(std::bit_cast<std::uint64_t>(x)); });
  return bits;
}

// Hoeffding: with a chance of at most 1e-12 is a share of n independent draws further off.
double furthest(std::int64_t draws) { return std::sqrt(std::log(2e12) / (2 * static_cast<double>(draws))); }

void expect_share(double share, std::int64_t found, std::int64_t draws, const char* what) {
  EXPECT_LE(std::fabs(static_cast<double>(found) / static_cast<double>(draws) - share), furthest(draws)) << what;
  EXPECT_GT(found, 0) << what;
}

TEST(Plans, AreAFunctionOfSeedAndCase) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Plan a = plan_of(i, lively()), b = plan_of(i, lively());
    EXPECT_EQ(a.spec, b.spec);
    EXPECT_EQ(a.batches, b.batches);
    EXPECT_EQ(a.params.layout(), b.params.layout());
    EXPECT_EQ(bits_of(a), bits_of(b));
  }
}

TEST(Plans, AreValidAndHoldTheNumbersOfTheirDtypes) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Plan plan = plan_of(i, lively());
    EXPECT_NO_THROW(check(plan));
    EXPECT_EQ(checked(plan.spec), plan.spec);
    visit_numbers(plan, [](Dtype dtype, double x) { EXPECT_TRUE(is_representable(dtype, Wide(x))); });
    for (std::size_t leaf = 0; leaf < plan.params.leaf_count(); ++leaf) {
      if (!plan.params.is_dense(leaf)) continue;
      for (double x : plan.params.values(leaf)) EXPECT_TRUE(is_representable(plan.params.leaf(leaf).dtype, Wide(x)));
    }
  }
}

TEST(Plans, HaveLeavesOfEveryRankEmptyAndAbsentOnes) {
  std::set<std::size_t> ranks, counts;
  std::set<Dtype> dtypes;
  bool empty = false, other_dtype = false;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Plan plan = plan_of(i, lively());
    counts.insert(plan.params.leaf_count());
    for (std::size_t leaf = 0; leaf < plan.params.leaf_count(); ++leaf) {
      ranks.insert(plan.params.leaf(leaf).shape.size());
      dtypes.insert(plan.params.leaf(leaf).dtype);
      empty = empty || plan.params.leaf(leaf).size == 0;
      other_dtype = other_dtype || plan.params.leaf(leaf).dtype != plan.gradient_layout->leaves()[leaf].dtype;
    }
  }
  EXPECT_EQ(ranks, (std::set<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(counts, (std::set<std::size_t>{1, 2, 3, 4}));
  EXPECT_EQ(dtypes.size(), all_dtypes().size());
  EXPECT_TRUE(empty && other_dtype);
}

TEST(Plans, KeepTheDeclaredSharesOfSpecialValues) {
  const PlanLimits limits = lively();
  std::int64_t zero = 0, negative = 0, tiny = 0, huge = 0, infinite = 0, nan = 0, draws = 0;
  for (std::uint64_t i = 0; i < cases; ++i)
    visit_numbers(plan_of(i, limits), [&](Dtype dtype, double x) {
      const double size = std::fabs(x);
      ++draws;
      zero += x == 0 && !std::signbit(x);
      negative += x == 0 && std::signbit(x);
      tiny += size > 0 && size <= facts(dtype).smallest_normal;
      huge += std::isfinite(x) && size >= facts(dtype).largest / 2;
      infinite += std::isinf(x);
      nan += std::isnan(x);
    });
  expect_share(limits.special.zero, zero, draws, "zero");
  expect_share(limits.special.negative_zero, negative, draws, "-0");
  expect_share(limits.special.tiny, tiny, draws, "tiny");
  expect_share(limits.special.huge, huge, draws, "huge");
  expect_share(limits.special.infinite, infinite, draws, "infinite");
  expect_share(limits.special.nan, nan, draws, "NaN");
}

TEST(Plans, HaveNoSpecialValuesUnasked) {
  for (std::uint64_t i = 0; i < cases; ++i)
    visit_numbers(plan_of(i, plain), [](Dtype dtype, double x) {
      EXPECT_GT(std::fabs(x), facts(dtype).smallest_normal);
      EXPECT_LT(std::fabs(x), facts(dtype).largest / 2);
    });
}

// Half of the sparse leaves' gradients are absent, and twice the share of leaves is sparse. The draws are the leaves,
// since one decides for all of its gradients.
TEST(Plans, KeepTheDeclaredSharesOfAbsence) {
  PlanLimits limits;
  limits.absent = 0.25;
  limits.frozen = 0.125;
  double absent = 0;
  std::int64_t frozen = 0, leaves = 0, unfrozen = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Plan plan = plan_of(i, limits);
    for (std::size_t leaf = 0; leaf < plan.params.leaf_count(); ++leaf, ++leaves) {
      double missing = 0;
      for (const GivenGradient& given : plan.given) missing += given.gradient.presence(leaf) == Presence::absent;
      const bool is_frozen = plan.params.presence(leaf) == Presence::absent;
      frozen += is_frozen;
      unfrozen += !is_frozen;
      EXPECT_TRUE(!is_frozen || missing == static_cast<double>(plan.given.size()));
      if (!is_frozen) absent += missing / static_cast<double>(plan.given.size());
    }
  }
  expect_share(limits.frozen, frozen, leaves, "frozen");
  EXPECT_LE(std::fabs(absent / static_cast<double>(unfrozen) - limits.absent), furthest(unfrozen));
}

TEST(Plans, GiveDyadicGradientsThatDifferInEveryElement) {
  PlanLimits limits;
  limits.numbers = Numbers::dyadic;
  limits.spec.accumulators = Accumulators::outermost;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Plan plan = plan_of(i, limits);
    ASSERT_LE(plan.given.size(), 127U);
    for (std::size_t leaf = 0; leaf < plan.params.leaf_count(); ++leaf)
      for (std::size_t j = 0; j < static_cast<std::size_t>(plan.params.leaf(leaf).size); ++j) {
        std::set<double> magnitudes;
        for (const GivenGradient& given : plan.given) {
          const double size = std::fabs(given.gradient.values(leaf)[j]);
          EXPECT_EQ(std::trunc(256 * size), 256 * size);
          magnitudes.insert(size);
        }
        EXPECT_EQ(magnitudes.size(), plan.given.size());
      }
  }
}

TEST(Plans, HaveWholePartialAndRaggedWindows) {
  PlanLimits limits = lively();
  limits.spec.accumulators = Accumulators::outermost;
  limits.spec.choices = {{"partial", {"hold"}}};
  bool partial = false, whole = false, ragged = false, weighted = false;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Plan plan = plan_of(i, limits);
    const auto full = windows(plan);
    ASSERT_FALSE(full.empty());
    const bool fits = full.back().back() + 1 == std::ssize(plan.batches);
    whole = whole || fits;
    partial = partial || !fits;
    for (const auto& batch : plan.batches) ragged = ragged || batch.size() != plan.batches[0].size();
    for (const auto& given : plan.given) weighted = weighted || given.weight != plan.given[0].weight;
  }
  EXPECT_TRUE(partial && whole && ragged && weighted);
}

TEST(Plans, AreWithinTheirLimits) {
  PlanLimits strict;
  strict.spec.accumulators = Accumulators::outermost;
  strict.spec.least_k = 2;
  strict.spec.choices = {{"reduce", {"sum"}}, {"skip", {"never", "large"}}};
  strict.loss = Loss::sum;
  for (const PlanLimits& limits : {plain, lively(), strict})
    for (std::uint64_t i = 0; i < cases; ++i) EXPECT_TRUE(is_within(limits, plan_of(i, limits))) << i;
}

TEST(Plans, AreNotWithinWhatTheyBreak) {
  PlanLimits limits;
  limits.spec.accumulators = Accumulators::outermost;
  limits.spec.least_k = 2;
  limits.spec.choices = {{"reduce", {"mean"}}};
  Plan plan = plan_of(0, limits);
  plan.spec = parse_spec("multi_steps(sgd(1), k=2)");
  ASSERT_TRUE(is_within(limits, plan));
  for (const char* spec : {"sgd(1)", "multi_steps(sgd(1), k=1)", "multi_steps(sgd(1), k=[[0, 2], [3, 1]])",
                           "multi_steps(sgd(1), k=2, reduce=sum)", "chain(multi_steps(sgd(1), k=2))",
                           "multi_steps(multi_steps(sgd(1), k=2), k=2)"}) {
    Plan other = plan;
    other.spec = parse_spec(spec);
    EXPECT_FALSE(is_within(limits, other)) << spec;
  }
  Plan sums = plan, heavy = plan;
  sums.loss = Loss::sum;
  heavy.given.push_back({heavy.given[0].gradient, heavy.given[0].weight + 1});
  EXPECT_FALSE(is_within(limits, sums));
  EXPECT_FALSE(is_within(limits, heavy));
}

TEST(Plans, HaveEqualMicrobatchesUnlessRagged) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Plan plan = plan_of(i, plain);
    for (const auto& batch : plan.batches) EXPECT_EQ(batch.size(), plan.batches[0].size());
    for (const auto& given : plan.given) EXPECT_EQ(given.weight, plan.given[0].weight);
  }
}

}  // namespace
}  // namespace microstep
