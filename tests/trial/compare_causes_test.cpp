// Causes that are derived by hand where no state moves, where a mask lies around an accumulator, and where the run ends
// within a window.
#include <gtest/gtest.h>

#include "microstep/trial/compare.hpp"

namespace microstep {
namespace {

struct Asked {
  const char* spec;
  std::vector<std::string> causes;
  const char* against = "";
};

CompareRequest request_of(const char* spec, const char* against = "", std::int64_t partial = 0) {
  CompareRequest request{parse_spec(spec), parse_spec("mlp(3, 5, 2)", OpKind::problem), {}, {}};
  request.options.partial = partial;
  if (*against) request.against = parse_spec(against);
  return request;
}

class CausesOf : public ::testing::TestWithParam<Asked> {};

TEST_P(CausesOf, AreWhatCannotBeLeftOut) {
  const Comparison found = compare(request_of(GetParam().spec, GetParam().against));
  EXPECT_EQ(found.semantics.verdict, Sameness::different);
  EXPECT_EQ(found.causes, GetParam().causes) << GetParam().spec;
  EXPECT_TRUE(found.equivalent.has_value());
}

// Plain sgd is linear and has no state; Adam's state moves at the window's end in all of these but the last two.
INSTANTIATE_TEST_SUITE_P(
    State, CausesOf,
    ::testing::Values(Asked{"chain(multi_steps(sgd(0.1), k=2), add_decayed_weights(0.1))", {"decay-form"}},
                      Asked{"chain(multi_steps(adam(0.1), k=2), add_decayed_weights(0.1))", {"decay-form"}},
                      Asked{"chain(multi_steps(sgd(0.1), k=2), masked(add_decayed_weights(0.1), mask=[w0]))",
                            {"decay-form"}},
                      Asked{"chain(add_decayed_weights(0.1), apply_every(2))", {"sum-mean"}},
                      Asked{"chain(sgd(0.1), apply_every(4))", {"formula", "sum-mean"}, "sgd(0.2)"},
                      Asked{"chain(clip_by_global_norm(0.1), sgd(0.1), apply_every(2))", {"clip-place"}},
                      Asked{"chain(sgd(0.1, momentum=0.5), multi_steps(scale(1), k=2))", {"micro-state"}},
                      Asked{"chain(adam(0.1), apply_every(2))", {"formula", "micro-state", "sum-mean"}, "adam(0.2)"}));

// chain is associative.
TEST(CausesOfNestedChains, AreThoseOfOneChain) {
  const std::pair<const char*, const char*> pairs[] = {
      {"chain(chain(adam(0.1)), apply_every(2))", "chain(adam(0.1), apply_every(2))"},
      {"chain(chain(clip(0.001)), multi_steps(sgd(0.1), k=2))", "chain(clip(0.001), multi_steps(sgd(0.1), k=2))"},
      {"chain(multi_steps(scale(1), k=2), chain(add_decayed_weights(0.1), sgd(0.1)))",
       "chain(multi_steps(scale(1), k=2), add_decayed_weights(0.1), sgd(0.1))"},
      {"chain(chain(chain(scale_by_schedule([[0, 1], [2, 0.1]]))), multi_steps(chain(chain(sgd(0.1))), k=2))",
       "chain(scale_by_schedule([[0, 1], [2, 0.1]]), multi_steps(chain(sgd(0.1)), k=2))"}};
  for (const auto& [nested, flat] : pairs) {
    const Comparison found = compare(request_of(nested));
    EXPECT_EQ(found.causes, compare(request_of(flat)).causes) << nested;
    EXPECT_EQ(found.semantics.verdict, Sameness::different);
    EXPECT_NE(found.causes, std::vector<std::string>{"formula"}) << nested;
  }
  EXPECT_EQ(compare(request_of(pairs[0].first)).causes, (std::vector<std::string>{"micro-state", "sum-mean"}));
  EXPECT_EQ(compare(request_of(pairs[1].first)).causes, std::vector<std::string>{"clip-place"});
}

INSTANTIATE_TEST_SUITE_P(
    Masks, CausesOf,
    ::testing::Values(Asked{"masked(multi_steps(adam(0.1), k=2), mask=[\"w*\"])", {"mask-bypass"}},
                      Asked{"multi_steps(masked(multi_steps(sgd(0.1), k=2), mask=[\"w*\"]), k=2)", {"mask-bypass"}},
                      Asked{"chain(masked(multi_steps(sgd(0.1), k=2), mask=[w0]), scale(2))", {"mask-bypass"}},
                      Asked{"masked(multi_steps(sgd(0.1), k=2, reduce=sum), mask=[\"*\"])", {"sum-mean"}},
                      Asked{"masked(multi_steps(sgd(0.1), k=2, reduce=sum), mask=[w0])", {"mask-bypass", "sum-mean"}}));

TEST(CompareAtTheEnd, OffersToFlushNotToStopAccumulating) {
  const Comparison by_k = compare(request_of("multi_steps(sgd(0.1), k=4, partial=flush_by_k)", "", 1));
  EXPECT_EQ(by_k.causes, std::vector<std::string>{"partial-window"});
  EXPECT_EQ(to_string(by_k.equivalent.value()), "multi_steps(sgd(0.1), k=4, partial=flush)");
  CompareRequest request = request_of("multi_steps(sgd(0.1), k=4, partial=flush)", "", 1);
  request.options.ragged = true;
  const Comparison ragged = compare(request);
  EXPECT_EQ(ragged.causes, std::vector<std::string>{"token-weight"});
  EXPECT_EQ(to_string(ragged.equivalent.value()), "multi_steps(sgd(0.1), k=4, reduce=weighted, partial=flush)");
}

TEST(CompareAtTheEnd, SaysWhatTheLargeBatchHasNot) {
  for (const char* policy : {"hold", "drop"}) {
    const std::string spec = std::string("multi_steps(sgd(0.1), k=4, partial=") + policy + ")";
    const Comparison found = compare(request_of(spec.c_str(), "", 2));
    EXPECT_EQ(found.semantics.verdict, Sameness::same);
    EXPECT_EQ(found.left_over, std::vector<std::string>{"microsteps 13 to 14, which fill no window"});
  }
  EXPECT_TRUE(compare(request_of("multi_steps(sgd(0.1), k=4, partial=flush)", "", 2)).left_over.empty());
  EXPECT_TRUE(compare(request_of("multi_steps(sgd(0.1), k=4)")).left_over.empty());
}

}  // namespace
}  // namespace microstep
