// Causes that are derived by hand where the sum is due, where an inner optimizer steps more than once in the common
// window of several accumulators, and where a factor makes a mean of a sum.
#include <gtest/gtest.h>

#include "microstep/trial/compare.hpp"

namespace microstep {
namespace {

struct Asked {
  const char* spec;
  std::vector<std::string> causes;
  const char* against = "";
  Loss loss = Loss::mean;
};

class CausesAre : public ::testing::TestWithParam<Asked> {};

TEST_P(CausesAre, TheDerivedOnes) {
  CompareRequest request{parse_spec(GetParam().spec), parse_spec("mlp(3, 5, 2)", OpKind::problem), {}, {}};
  request.options.loss = GetParam().loss;
  if (*GetParam().against) request.against = parse_spec(GetParam().against);
  const Comparison found = compare(request);
  EXPECT_EQ(found.semantics.verdict, Sameness::different);
  EXPECT_EQ(found.causes, GetParam().causes) << GetParam().spec << " against " << GetParam().against;
}

Asked summed(const char* spec, std::vector<std::string> causes, const char* against = "") {
  return {spec, std::move(causes), against, Loss::sum};
}

// The sum over k of g_i + wd p is the sum of the gradients and k wd p, where wd p is due.
INSTANTIATE_TEST_SUITE_P(
    DecayInASum, CausesAre,
    ::testing::Values(
        summed("chain(add_decayed_weights(0.1), multi_steps(sgd(0.1), k=2, reduce=sum))", {"decay-form"}),
        summed("chain(add_decayed_weights(0.1), multi_steps(adam(0.1), k=2, reduce=sum))", {"decay-form"}),
        summed("chain(add_decayed_weights(0.1), sgd(0.1), apply_every(2))", {"decay-form"}),
        summed("chain(scale(0.5), add_decayed_weights(0.1), sgd(0.1), apply_every(2))", {"decay-form"}),
        summed("chain(masked(add_decayed_weights(0.1), mask=[w0]), apply_every(2))", {"decay-form"}),
        summed("chain(adam(0.1), add_decayed_weights(0.1), apply_every(2))", {"decay-form", "micro-state"}),
        summed("chain(add_decayed_weights(0.1), multi_steps(sgd(0.1), k=[[0, 2], [1, 3]], reduce=sum))",
               {"decay-form"}),
        summed("multi_steps(chain(add_decayed_weights(0.1), multi_steps(sgd(0.1), k=2, reduce=sum)), "
               "k=3, reduce=sum)",
               {"decay-form"}),
        summed("multi_steps(chain(add_decayed_weights(0.1), sgd(0.1)), k=2)", {"sum-mean"})));

// Each step takes the mean of its own window; there are too many. What is linear may step as often as it likes.
INSTANTIATE_TEST_SUITE_P(
    InnerWindows, CausesAre,
    ::testing::Values(Asked{"chain(multi_steps(adam(0.1), k=2), apply_every(4))", {"boundary"}},
                      Asked{"chain(multi_steps(scale_by_adam, k=2), apply_every(4))", {"boundary"}},
                      Asked{"chain(multi_steps(sgd(0.1, momentum=0.5), k=2), apply_every(4))", {"boundary"}},
                      Asked{"chain(multi_steps(adam(0.1), k=2), apply_every(6))", {"boundary"}},
                      Asked{"chain(multi_steps(adam(0.1), k=2), apply_every(3))", {"boundary"}},
                      Asked{"chain(multi_steps(multi_steps(adam(0.1), k=2), k=2), apply_every(8))", {"boundary"}},
                      Asked{"chain(multi_steps(adam(0.1), k=2), apply_every(4))", {"boundary", "formula"}, "adam(0.2)"},
                      summed("chain(multi_steps(adam(0.1), k=2, reduce=sum), apply_every(4))", {"boundary"})));

// 1/2 of a sum of means, means of means, sums where means are due.
INSTANTIATE_TEST_SUITE_P(
    ReductionsInAChain, CausesAre,
    ::testing::Values(Asked{"chain(multi_steps(sgd(0.1), k=2), apply_every(4))", {"sum-mean"}},
                      Asked{"chain(multi_steps(chain(clip(1000000), sgd(0.1)), k=2), apply_every(4))", {"sum-mean"}},
                      Asked{"chain(adam(0.1), multi_steps(scale(1), k=2), apply_every(4))",
                            {"micro-state", "sum-mean"}},
                      Asked{"chain(multi_steps(adam(0.1), k=2, reduce=sum), apply_every(4))", {"boundary", "sum-mean"}},
                      Asked{"chain(multi_steps(adam(0.1), k=2), multi_steps(scale(1), k=4))", {"boundary", "sum-mean"}},
                      Asked{"chain(apply_every(4), multi_steps(adam(0.1), k=6))", {"boundary", "sum-mean"}},
                      summed("chain(multi_steps(adam(0.1), k=2), apply_every(4))", {"boundary", "sum-mean"})));

TEST(CausesOfAnInnerWindow, AreGoneOnceItIsTheCommonOne) {
  CompareRequest request{parse_spec("chain(multi_steps(adam(0.1), k=4), apply_every(4))"),
                         parse_spec("mlp(3, 5, 2)", OpKind::problem),
                         {},
                         {}};
  EXPECT_EQ(compare(request).semantics.verdict, Sameness::same);
}

// Half of the sum of two is their mean, on whichever side of the sum it is taken.
INSTANTIATE_TEST_SUITE_P(
    FactorBesideASum, CausesAre,
    ::testing::Values(
        Asked{"chain(apply_every(2), scale(0.5), adam(0.1))", {"micro-state"}, "adam(0.1)"},
        Asked{"chain(apply_every(2), scale(0.5), trace(0.5))", {"micro-state"}, "trace(0.5)"},
        Asked{"chain(scale(0.5), apply_every(2), adam(0.1))", {"micro-state"}, "adam(0.1)"},
        Asked{"chain(adam(0.1), apply_every(2), scale(0.5))", {"micro-state"}, "adam(0.1)"},
        Asked{"chain(adam(0.1), scale(0.5), apply_every(2))", {"micro-state"}, "adam(0.1)"},
        Asked{"chain(scale(0.5), adam(0.1), apply_every(2))", {"micro-state"}, "adam(0.1)"},
        Asked{"chain(apply_every(3), scale(0.3333333333333333), adam(0.1))", {"micro-state"}, "adam(0.1)"},
        Asked{"chain(apply_every(2), scale(0.5), apply_every(2), adam(0.1))", {"micro-state"}, "adam(0.1)"},
        Asked{"chain(clip_by_global_norm(0.01), apply_every(2), sgd(0.1), scale(0.5))",
              {"clip-place"},
              "chain(clip_by_global_norm(0.01), sgd(0.1))"},
        Asked{"chain(clip_by_global_norm(0.01), multi_steps(chain(scale(0.5), sgd(0.1)), k=2, "
              "reduce=sum))",
              {"clip-place"},
              "chain(clip_by_global_norm(0.01), sgd(0.1))"},
        Asked{"chain(scale(0.5), add_decayed_weights(0.1), apply_every(2), sgd(0.1))",
              {"decay-form"},
              "chain(add_decayed_weights(0.1), sgd(0.1))"},
        summed("chain(multi_steps(scale(1), k=2), scale(2), adam(0.1))", {"micro-state"}, "adam(0.1)")));

// Another factor, one behind Adam, one that the large batch has too, and another learning rate beside it.
INSTANTIATE_TEST_SUITE_P(
    FactorThatIsNoMean, CausesAre,
    ::testing::Values(
        Asked{"chain(apply_every(4), scale(0.5), adam(0.1))", {"formula", "micro-state", "sum-mean"}, "adam(0.1)"},
        Asked{"chain(apply_every(2), adam(0.1), scale(0.5))", {"formula", "micro-state", "sum-mean"}, "adam(0.1)"},
        Asked{"chain(apply_every(2), scale(0.5), adam(0.1))", {"micro-state", "sum-mean"}},
        Asked{"chain(apply_every(2), scale(0.5), multi_steps(adam(0.1), k=4))", {"formula"}, "adam(0.1)"},
        Asked{"chain(apply_every(2), scale(0.5), adam(0.1))", {"formula", "micro-state"}, "adam(0.2)"}));

}  // namespace
}  // namespace microstep
