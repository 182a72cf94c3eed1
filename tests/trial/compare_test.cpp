// Verdicts and causes that were derived by hand, and the specs that are offered in place of those that differ.
#include "microstep/trial/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace microstep {
namespace {

struct Derived {
  const char* spec;
  Sameness verdict;
  std::vector<std::string> causes;
  const char* why;
  const char* against = "";
  PlanOptions options = {};
};

PlanOptions with(std::int64_t partial, bool ragged, Loss loss) {
  PlanOptions options;
  options.partial = partial;
  options.ragged = ragged;
  options.loss = loss;
  return options;
}

const PlanOptions ragged = with(0, true, Loss::mean), partial = with(1, false, Loss::mean),
                  summed = with(0, false, Loss::sum);

constexpr auto same = Sameness::same, different = Sameness::different;

std::vector<Derived> of_several_accumulators() {
  return {
      {"multi_steps(apply_every(2), k=3)", different, {"sum-mean"}, "the sum of two means of three"},
      {"multi_steps(multi_steps(sgd(0.5), k=2, reduce=sum), k=3)", different, {"sum-mean"}, "the mean of three sums"},
      {"multi_steps(multi_steps(sgd(0.5), k=2), k=[[0, 2], [1, 1]])",
       different,
       {"token-weight"},
       "the mean of a mean of two and of one"},
      {"multi_steps(chain(trace(0.5), multi_steps(sgd(0.5), k=2)), k=3)",
       different,
       {"micro-state"},
       "momentum moves twice a window"},
      {"multi_steps(chain(clip(0.01), multi_steps(sgd(0.5), k=2)), k=3)",
       different,
       {"clip-place"},
       "each mean of three is clipped"},
      {"chain(apply_every(3), apply_every(2), sgd(0.1))",
       different,
       {"boundary", "sum-mean"},
       "the sum of the first three goes out in microstep 4 of 6, where the gradients of 5 and 6 then see it"},
      {"chain(multi_steps(scale(1), k=4), multi_steps(sgd(0.5), k=2))",
       different,
       {"sum-mean"},
       "the mean of four is halved once more, in the window's last microstep"},
      {"chain(apply_every(2), multi_steps(adam(0.1), k=3))",
       different,
       {"boundary", "sum-mean"},
       "Adam moves twice in the six microsteps after which both are empty"},
      {"masked(multi_steps(sgd(0.5), k=2), mask=[w0])", different, {"mask-bypass"}, "the other leaves are never held"},
  };
}

std::vector<Derived> of_one_accumulator() {
  return {
      {"multi_steps(sgd(0.5), k=2)", same, {}, "the mean gradient is the large batch's"},
      {"multi_steps(sgd(0.5, momentum=0.5), k=3)", same, {}, "momentum moves once a window"},
      {"multi_steps(adamw(0.1), k=2)", same, {}, "decay once a window, on the params that the large batch has"},
      {"multi_steps(chain(clip_by_global_norm(0.01), sgd(0.5)), k=2)", same, {}, "the mean is clipped"},
      {"multi_steps(sgd(0.5), k=2, reduce=sum)", different, {"sum-mean"}, "twice the mean"},
      {"multi_steps(sgd(0.5), k=2, reduce=sum)", same, {}, "a sum loss has the sum", "", summed},
      {"multi_steps(sgd(0.5), k=2)", different, {"sum-mean"}, "a sum loss has no mean", "", summed},
      {"chain(sgd(0.5), apply_every(2))", different, {"sum-mean"}, "without state only the factor is left"},
      {"chain(apply_every(2), sgd(0.5))", different, {"sum-mean"}, "the same in the other order"},
      {"chain(sgd(0.5, momentum=0.5), apply_every(2))", different, {"micro-state", "sum-mean"}, "momentum moves twice"},
      {"chain(adam(0.1), apply_every(2))", different, {"micro-state", "sum-mean"}, "Adam moves twice"},
      {"chain(apply_every(2), adam(0.1))", different, {"micro-state", "sum-mean"}, "Adam moves on the held zeros too"},
      {"chain(scale_by_schedule([[0, 1], [1, 0.5]]), apply_every(2))",
       different,
       {"schedule-count", "sum-mean"},
       "the second microstep reads the second step"},
      {"chain(clip(0.01), multi_steps(sgd(0.5), k=2))", different, {"clip-place"}, "clipped per microstep"},
      {"chain(trace(0.5), multi_steps(sgd(0.5), k=2))", different, {"micro-state"}, "momentum before the window"},
      {"chain(multi_steps(sgd(0.5), k=2), trace(0.5))", different, {"micro-state"}, "momentum behind, on held zeros"},
      {"multi_steps(sgd(0.5), k=2)", different, {"token-weight"}, "2 and 3 examples weigh the same", "", ragged},
      {"multi_steps(sgd(0.5), k=2, reduce=weighted)", same, {}, "weighted by the examples", "", ragged},
      {"multi_steps(sgd(0.5), k=3, partial=flush)", same, {}, "the short window by its own length", "", partial},
      {"multi_steps(sgd(0.5), k=3, partial=flush_by_k)",
       different,
       {"partial-window"},
       "1 gradient over 3",
       "",
       partial},
      {"multi_steps(adam(0.1), k=2)", different, {"formula"}, "another learning rate", "adam(0.2)"},
      {"multi_steps(sgd(0.5), k=2)", different, {"formula"}, "another rule", "sgd(0.5, momentum=0.5)"},
  };
}

const std::vector<Derived>& derived() {
  static const std::vector<Derived> table = [] {
    std::vector<Derived> all = of_one_accumulator();
    for (const Derived& row : of_several_accumulators()) all.push_back(row);
    return all;
  }();
  return table;
}

Comparison compared(const Derived& row) {
  CompareRequest request{parse_spec(row.spec), parse_spec("mlp(3, 5, 2)", OpKind::problem), row.options, {}};
  if (*row.against != '\0') request.against = parse_spec(row.against);
  return compare(request);
}

class CompareTable : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Derived& row = derived()[GetParam()];
};

TEST_P(CompareTable, VerdictAndCausesAreTheDerivedOnes) {
  const Comparison found = compared(row);
  EXPECT_EQ(found.semantics.verdict, row.verdict) << row.spec << ": " << row.why << found.semantics.reason;
  EXPECT_EQ(found.causes, row.causes) << row.spec << ": " << row.why;
}

TEST_P(CompareTable, WhatIsOfferedIsTheLargeBatch) {
  const Comparison found = compared(row);
  ASSERT_EQ(found.equivalent.has_value(), row.verdict == different) << row.spec;
  if (!found.equivalent) return;
  EXPECT_EQ(parse_spec(to_string(*found.equivalent)), *found.equivalent);
  CompareRequest request{*found.equivalent, found.accumulated.problem, row.options, found.reference.spec};
  EXPECT_EQ(compare(request).semantics.verdict, same) << to_string(*found.equivalent);
}

INSTANTIATE_TEST_SUITE_P(Derived, CompareTable, ::testing::Range(std::size_t{0}, derived().size()));

TEST(Compare, TheFirstDifferenceIsTheCounterOfTheFirstWindow) {
  const Difference first = compared({"chain(adam(0.1), apply_every(3))", different, {}, ""}).semantics.differences[0];
  EXPECT_EQ(first.window, 1);
  EXPECT_EQ(first.microstep, 3);
  EXPECT_EQ(first.path, "state/of[0]/count");
  EXPECT_TRUE(first.accumulated.value == 3 && first.reference.value == 1);
}

TEST(Compare, TheFloatRunIsShownForEveryLeaf) {
  const Comparison found = compared({"chain(sgd(0.5), apply_every(2))", different, {}, ""});
  ASSERT_EQ(found.shown.size(), 4u);
  for (const LargestDifference& leaf : found.shown) {
    EXPECT_NE(leaf.accumulated, leaf.reference) << leaf.path;
    EXPECT_GE(leaf.window, 1);
    EXPECT_EQ(leaf.ulps, ulp_distance(leaf.dtype, leaf.accumulated, leaf.reference));
  }
}

TEST(Compare, WhatAccumulatesNothingNeedsAReference) {
  try {
    compared({"adam(0.1)", same, {}, ""});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "spec.no-accumulator");
    EXPECT_EQ(error.next(), "wrap it, as in multi_steps(adam(0.1), k=4)");
  }
  EXPECT_EQ(compared({"adam(0.1)", same, {}, "", "adam(0.1)"}).semantics.verdict, same);
}

CompareRequest asked(const char* spec) {
  return {parse_spec(spec), parse_spec("mlp(3, 5, 2)", OpKind::problem), {}, {}};
}

// The norm of every gradient is above a millionth, so all are skipped and nothing was compared.
TEST(Compare, IsUndecidableWhereNoWindowCloses) {
  const Comparison comparison = compare(asked("multi_steps(sgd(0.1), k=2, skip=large(0.000001))"));
  EXPECT_EQ(comparison.windows.size(), 0U);
  EXPECT_EQ(comparison.semantics.verdict, Sameness::undecidable);
}

// The norm of some means of two is not below 2, and the outer accumulator has counted them.
TEST(Compare, AnInnerAccumulatorMaySkip) {
  CompareRequest request = asked("multi_steps(multi_steps(sgd(0.1, momentum=0.5), k=2, skip=large(2)), k=2)");
  request.problem = parse_spec("replay", OpKind::problem);
  request.options.windows = 5;
  const Comparison comparison = compare(request);
  EXPECT_EQ(comparison.windows.size(), 4U);
  EXPECT_EQ(comparison.semantics.verdict, Sameness::same);
  for (const Verdict& verdict : comparison.contracts) EXPECT_NE(verdict.outcome, Outcome::broken) << verdict.evidence;
}

TEST(Compare, KOfOneIsNotJudgedAgainstAnotherRule) {
  for (const char* spec : {"multi_steps(adam(0.1), k=2)", "multi_steps(adam(0.1), k=1)"})
    for (const char* against : {"sgd(0.1)", "adam(0.1)"}) {
      CompareRequest request = asked(spec);
      request.against = parse_spec(against);
      const Comparison comparison = compare(request);
      const auto k1 = std::ranges::find(comparison.contracts, "identity.k1", &Verdict::contract);
      EXPECT_EQ(k1->outcome, against[0] == 's' ? Outcome::not_applicable : Outcome::holds) << spec;
    }
}

// `w*` matches two leaves of the mlp, `kernel` none, `b2` stands near `b0` and `b1`.
TEST(Compare, WarnsOfAMaskThatMatchesNoLeaf) {
  const Comparison comparison =
      compare(asked("multi_steps(chain(masked(trace(0.5), mask=[\"w*\", kernel]), adamw(0.1, mask=[b2, b1])), k=2)"));
  EXPECT_EQ(comparison.warnings,
            (std::vector<std::string>{"'kernel' in the mask of masked matches no leaf; the leaves are w0, b0, w1, b1",
                                      "'b2' in the mask of adamw matches no leaf; did you mean 'b0'?"}));
  EXPECT_TRUE(compare(asked("multi_steps(adamw(0.1), k=2)")).warnings.empty());
}

// Some of these gradients have a norm that is not below 2.5: that they are left out is no cause.
TEST(Compare, ASkipRuleStaysInWhatIsOffered) {
  CompareRequest request = asked("multi_steps(adam(0.1), k=2, reduce=sum, skip=large(2.5))");
  request.problem = parse_spec("replay", OpKind::problem);
  request.options.windows = 6;
  const Comparison comparison = compare(request);
  EXPECT_LT(comparison.windows.size(), 6U);
  EXPECT_EQ(comparison.causes, std::vector<std::string>{"sum-mean"});
  ASSERT_TRUE(comparison.equivalent.has_value());
  EXPECT_EQ(to_string(*comparison.equivalent), "multi_steps(adam(0.1), k=2, skip=large(2.5))");
}

// The accumulated run is emulated and the reference is not: what rounding alone makes of that breaks no contract.
TEST(Compare, RoundingOfAnotherArithmeticBreaksNothing) {
  CompareRequest request = asked("multi_steps(sgd(0), k=1, reduce=weighted)");
  request.options.windows = 2;
  request.options.seed = 2;
  const Comparison comparison = compare(request);
  EXPECT_EQ(comparison.semantics.verdict, Sameness::same);
  for (const Verdict& verdict : comparison.contracts) EXPECT_NE(verdict.outcome, Outcome::broken) << verdict.evidence;
}

TEST(Compare, RefusesAReferenceThatAccumulates) {
  CompareRequest request = asked("multi_steps(adam(0.1), k=2)");
  request.against = parse_spec("multi_steps(adam(0.1), k=4)");
  try {
    compare(request);
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "spec.accumulates");
  }
}

}  // namespace
}  // namespace microstep
