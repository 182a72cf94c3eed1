// The reports that need several leaves, weights, or a restart in the middle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/liars/scene.hpp"

namespace microstep::liars {
namespace {

double last(const Envelope& trace, const std::string& path, std::size_t index = 0) {
  const std::int64_t row = trace.rows() - 1;
  if (auto count = trace.schema().find_count(path)) return static_cast<double>(trace.count(row, *count));
  const std::size_t column = trace.schema().find_column(path).value();
  if (trace.presence(row, column) != Presence::dense) return 0;
  return static_cast<double>(trace.numbers(row, column)[index].value);
}

/// The value as printed with four decimals, honestly and by the liar.
std::pair<std::string, std::string> both(std::string_view id, const Plan& plan, const std::string& path,
                                         std::size_t index = 0) {
  Liar planted = liar(id);
  const std::string spec = to_string(plan.spec);
  planted.spec = spec;
  return {fmt::format("{:.4f}", last(observed(plan, Carrier::float64, nullptr), path, index)),
          fmt::format("{:.4f}", last(observed(plan, Carrier::float64, &planted), path, index))};
}

using Values = std::pair<std::string, std::string>;
using Gradients = std::vector<std::vector<std::optional<LeafValues>>>;
constexpr std::nullopt_t none = std::nullopt;

Plan one_leaf(std::string_view spec, const Gradients& gradients, const std::vector<double>& weights = {}) {
  return plan_with(parse_spec(spec), {{"w", LeafValues(gradients[0][0]->size(), 0.0)}}, gradients, weights);
}

TEST(Reports, B014B015B018B021TokenMeansOfTwoAndFourOverThreeAndOneTokens) {
  const Plan plan = one_leaf("multi_steps(sgd(1), k=2, reduce=weighted)", {{{{2}}}, {{{4}}}}, {3, 1});
  EXPECT_EQ(both("mean-of-means", plan, "updates/w"), Values("-2.5000", "-3.0000"));
}

TEST(Reports, B016SevenTokensAndOne) {
  const Plan plan = one_leaf("multi_steps(sgd(1), k=2, reduce=weighted)", {{{{1}}}, {{{9}}}}, {7, 1});
  EXPECT_EQ(both("mean-of-means", plan, "updates/w"), Values("-2.0000", "-5.0000"));
}

TEST(Reports, B035ClipBeforeTheAccumulator) {
  const Plan plan = one_leaf("multi_steps(chain(clip_by_global_norm(1), sgd(1)), k=2)", {{{{3, 0}}}, {{{0, 3}}}});
  EXPECT_EQ(both("clip-before-accumulator", plan, "updates/w", 0), Values("-0.7071", "-0.5000"));
  EXPECT_EQ(both("clip-before-accumulator", plan, "updates/w", 1), Values("-0.7071", "-0.5000"));
}

TEST(Reports, B039ScaledNormThenUnscaledAgain) {
  const Plan plan = one_leaf("chain(scale(0.0009765625), clip_by_global_norm(1))", {{{{3072, 4096}}}});
  EXPECT_EQ(both("clip-before-unscale", plan, "updates/w", 0), Values("0.6000", "0.0006"));
  EXPECT_EQ(both("clip-before-unscale", plan, "updates/w", 1), Values("0.8000", "0.0008"));
}

TEST(Reports, B043NormOfALocalShard) {
  const Plan plan = plan_with(parse_spec("clip_by_global_norm(1)"), {{"left", {0}}, {"right", {0}}}, {{{{3}}, {{4}}}});
  EXPECT_EQ(both("clip-by-shard", plan, "updates/left"), Values("0.6000", "1.0000"));
  EXPECT_EQ(both("clip-by-shard", plan, "updates/right"), Values("0.8000", "1.0000"));
}

TEST(Reports, B120AnEmptyParameterStopsTheOthers) {
  const Plan plan = plan_with(parse_spec("sgd(0.1)"), {{"w", {1}}, {"empty", {}}}, {{{{1}}, LeafValues{}}});
  EXPECT_EQ(both("stops-at-empty", plan, "params/w"), Values("0.9000", "1.0000"));
}

TEST(Reports, B122AnEmptyParameterInSlot36) {
  std::vector<std::pair<std::string, LeafValues>> leaves;
  for (int i = 0; i < 36; ++i) leaves.push_back({fmt::format("p{}", i), {1}});
  leaves.push_back({"empty", {}});
  std::vector<std::optional<LeafValues>> ones(36, LeafValues{1});
  ones.emplace_back(LeafValues{});
  const Plan plan = plan_with(parse_spec("sgd(0.1)"), leaves, {ones});
  EXPECT_EQ(both("writes-beyond-empty", plan, "params/p35"), Values("0.9000", "2.0000"));
}

TEST(Reports, B124UsedInOneMicrostepOnly) {
  const Plan plan = one_leaf("multi_steps(sgd(1), k=2)", {{{{2}}}, {none}});
  EXPECT_EQ(both("absent-uncounted", plan, "updates/w"), Values("-1.0000", "-2.0000"));
}

TEST(Reports, B126NoneSkipsAndZeroGoesOn) {
  const Plan absent = one_leaf("sgd(1, momentum=0.9)", {{{{1}}}, {none}});
  EXPECT_EQ(both("absent-as-zero", absent, "params/w"), Values("-1.0000", "-1.9000"));
  const Plan zero = one_leaf("sgd(1, momentum=0.9)", {{{{1}}}, {{{0}}}});
  EXPECT_EQ(both("zero-as-absent", zero, "params/w"), Values("-1.9000", "-1.0000"));
}

TEST(Reports, B128SharedGradientSummedAgain) {
  const Plan plan = plan_with(parse_spec("sgd(0.5)"), {{"a", {2}}, {"b", {2}}}, {{{{1}}, {{1}}}});
  EXPECT_EQ(both("tied-twice", plan, "params/a"), Values("1.5000", "1.0000"));
  EXPECT_EQ(both("tied-twice", plan, "params/b"), Values("1.5000", "1.0000"));
}

Plan interrupted(Plan plan, std::vector<std::int64_t> after) {
  plan.interruptions = std::move(after);
  return plan;
}

TEST(Reports, B139StopInsideAWindowLosesTheBuffer) {
  const Plan plan = interrupted(one_leaf("multi_steps(sgd(1), k=2)", {{{{2}}}, {{{4}}}}), {1});
  EXPECT_EQ(both("resume-loses-accumulator", plan, "updates/w"), Values("-3.0000", "-2.0000"));
}

TEST(Reports, B140LostMicroCounterShiftsTheBoundary) {
  const Plan plan = interrupted(one_leaf("multi_steps(sgd(1), k=2)", {{{{2}}}, {{{4}}}}), {1});
  EXPECT_EQ(both("resume-loses-mini-step", plan, "state/mini_step"), Values("0.0000", "1.0000"));
}

TEST(Reports, B143RestoredStepTimesK) {
  const Gradients ones(40, {LeafValues{1}});
  const Plan plan = interrupted(one_leaf("multi_steps(adam(0.1), k=4)", ones), {40});
  EXPECT_EQ(both("resume-multiplies-count", plan, "state/of[0]/count"), Values("10.0000", "40.0000"));
}

TEST(Reports, B144StepCounterSavedAsBfloat16) {
  const Gradients ones(257, {LeafValues{1}});
  const Plan plan = interrupted(one_leaf("sgd([[0, 1], [300, 0.5]])", ones), {257});
  EXPECT_EQ(both("resume-in-bfloat16", plan, "state/count"), Values("257.0000", "256.0000"));
}

TEST(Reports, B146SecondMomentSavedAsFloat16) {
  const double g = 0x1p-9;
  const Plan plan = interrupted(one_leaf("adam(0.1)", {{{{g}}}}), {1});
  Liar planted = liar("resume-in-float16");
  EXPECT_GT(last(observed(plan, Carrier::float64, nullptr), "state/nu/w"), 0);
  EXPECT_EQ(last(observed(plan, Carrier::float64, &planted), "state/nu/w"), 0);
}

TEST(Reports, B149RestoringThrows) {
  const Plan plan = interrupted(one_leaf("multi_steps(adam(0.1), k=2)", {{{{2}}}, {{{4}}}}), {1});
  EXPECT_THROW(observed(plan, Carrier::float64, &liar("resume-throws")), std::runtime_error);
}

TEST(Reports, B150EveryCallBeginsAnew) {
  const Plan plan = interrupted(one_leaf("adam(1)", {{{{1}}}, {{{3}}}}), {1});
  EXPECT_EQ(both("resume-resets-all", plan, "updates/w"), Values("-0.9178", "-1.0000"));
}

}  // namespace
}  // namespace microstep::liars
