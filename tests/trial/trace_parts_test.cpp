// A trace that is judged in parts is judged as at once: same numbers, verdicts, places and causes.
#include "trial/spoiled_run.hpp"

namespace microstep {
namespace {

// 128, 16, 64 and 4 numbers: in three parts the first and the third leaf are cut, the others stand whole in one.
DumpedTrace mlp_run(std::string_view spec) {
  const Plan plan = make_plan(parse_spec(spec), parse_spec("mlp(8, 16, 4)", OpKind::problem), {.windows = 3});
  DumpedTrace dumped;
  dumped.trace = run(plan);
  dumped.weights.assign(plan.batches.size(), 1);
  return dumped;
}

TraceJudgement judged_in(std::int64_t parts, std::string_view claim, const DumpedTrace& dumped) {
  return judge_trace(encode_dumped_trace(dumped), "run", parse_spec(claim), parts);
}

void check_same(const TraceJudgement& parts, const TraceJudgement& whole) {
  EXPECT_EQ(parts.outcome, whole.outcome);
  EXPECT_EQ(parts.faithful.outcome, whole.faithful.outcome);
  EXPECT_EQ(parts.faithful.judged, whole.faithful.judged);
  EXPECT_EQ(parts.faithful.outside, whole.faithful.outside);
  EXPECT_EQ(parts.faithful.exact, whole.faithful.exact);
  EXPECT_EQ(parts.faithful.largest_share, whole.faithful.largest_share);
  EXPECT_EQ(parts.rounding.verdict, whole.rounding.verdict);
  EXPECT_EQ(parts.rounding.max_ratio, whole.rounding.max_ratio);
  EXPECT_EQ(parts.rounding.path, whole.rounding.path);
  EXPECT_EQ(parts.hidden, whole.hidden);
  EXPECT_EQ(parts.causes, whole.causes);
  ASSERT_EQ(parts.contracts.size(), whole.contracts.size());
  for (std::size_t i = 0; i < whole.contracts.size(); ++i) {
    EXPECT_EQ(parts.contracts[i].outcome, whole.contracts[i].outcome) << whole.contracts[i].contract;
    if (whole.contracts[i].outcome == Outcome::broken) continue;  // the first place of a part may be another one
    EXPECT_EQ(parts.contracts[i].evidence, whole.contracts[i].evidence) << whole.contracts[i].contract;
  }
}

class InParts : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    TraceParts, InParts,
    testing::Values("adam(0.1)", "multi_steps(adamw(0.1, weight_decay=0.1, mask=[w0]), k=2)",
                    "multi_steps(chain(clip(0.01), masked(trace(0.9), mask=[b0, w1])), k=3, reduce=sum)",
                    "chain(adam(0.1), apply_every(2))"));

TEST_P(InParts, EveryNumberAndContractIsJudged) {
  const DumpedTrace dumped = mlp_run(GetParam());
  const TraceJudgement whole = judged_in(1, GetParam(), dumped);
  EXPECT_GT(whole.faithful.judged, 0);
  for (std::int64_t count : {2, 3, 5}) check_same(judged_in(count, GetParam(), dumped), whole);
}

TEST_P(InParts, OneNumberOutsideIsFoundInItsPlace) {
  DumpedTrace dumped = mlp_run(GetParam());
  for (const auto& [path, index] : {std::pair("params/w0", 100), {"params/w1", 63}, {"params/b0", 7}}) {
    DumpedTrace spoiled = dumped;
    numbers_of(spoiled, path, 2)[static_cast<std::size_t>(index)] += 1;
    const TraceJudgement whole = judged_in(1, GetParam(), spoiled), parts = judged_in(3, GetParam(), spoiled);
    ASSERT_TRUE(parts.faithful.first && whole.faithful.first) << path;
    EXPECT_EQ(parts.faithful.first->path, path);
    EXPECT_EQ(parts.faithful.first->first + parts.faithful.first->index, index);
    EXPECT_EQ(parts.faithful.first->shape, whole.faithful.first->shape);
    EXPECT_EQ(parts.faithful.first->microstep, whole.faithful.first->microstep);
    EXPECT_EQ(parts.faithful.outside, whole.faithful.outside) << path;
    EXPECT_EQ(parts.outcome, Outcome::broken);
  }
}

TEST(TraceParts, TellTheCauseOfAFaultAndWhereItWasLookedFor) {
  const DumpedTrace sums = mlp_run("multi_steps(adam(0.1), k=2, reduce=sum)");
  const TraceJudgement whole = judged_in(1, "multi_steps(adam(0.1), k=2)", sums);
  const TraceJudgement parts = judged_in(3, "multi_steps(adam(0.1), k=2)", sums);
  check_same(parts, whole);
  EXPECT_EQ(parts.causes, std::vector<std::string>{"sum-mean"});
  EXPECT_EQ(whole.causes_seen_in, "");
  EXPECT_EQ(parts.causes_seen_in, "part 1 of 3 of the numbers");
}

TEST(TraceParts, ShowTheWholePlaceInTheEvidenceOfAContract) {
  DumpedTrace dumped = mlp_run("multi_steps(sgd(0.5), k=2)");
  numbers_of(dumped, "state/acc_grads/w0", 1)[100] += 1;
  const TraceJudgement parts = judged_in(3, "multi_steps(sgd(0.5), k=2)", dumped);
  EXPECT_EQ(verdict_on(parts, "reduction.mean").outcome, Outcome::broken);
  EXPECT_NE(verdict_on(parts, "reduction.mean").evidence.find("acc_grads/w0[6, 4]"), std::string::npos)
      << verdict_on(parts, "reduction.mean").evidence;
}

// What the spec itself does otherwise than the large batch is said with the place in the whole leaf, too.
TEST(TraceParts, ShowTheWholePlaceOfADecidedDifference) {
  const std::string spec = "chain(adam(0.1), apply_every(2))";
  const TraceJudgement parts = judged_in(3, spec, mlp_run(spec));
  EXPECT_NE(verdict_on(parts, "reduction.large_batch").evidence.find("updates/w0[0, 0] is"), std::string::npos)
      << verdict_on(parts, "reduction.large_batch").evidence;
}

TEST(TraceParts, OfAllPartsAreEveryNumberOnce) {
  for (std::int64_t count : {1, 2, 3, 7, 64}) {
    for (std::int64_t size : {0, 1, 15, 16, 100, 112, 1000, 1024, 100000}) {
      std::int64_t end = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto [first, last] = Part{i, count}.of(3, size);
        if (first == last) continue;
        EXPECT_EQ(first, end);
        end = last;
      }
      EXPECT_EQ(end, size) << count;
    }
  }
}

}  // namespace
}  // namespace microstep
