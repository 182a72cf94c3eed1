// Empty, rank-0, zero and absent leaves; buffers that are used again.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

const std::vector<std::string> every_spec = {
    "sgd(0.5)",
    "sgd(0.5, momentum=0.5, nesterov=true)",
    "trace(0.5)",
    "scale(2)",
    "adam(0.5)",
    "adamw(0.5, weight_decay=0.5)",
    "scale_by_adam",
    "add_decayed_weights(0.5)",
    "clip(1)",
    "clip_by_global_norm(1)",
    "scale_by_schedule([[0, 1], [1, 2]])",
    "ema(0.5)",
    "masked(sgd(1, momentum=0.5), mask=[\"*\"])",
    "chain(trace(0.5), scale(2))",
    "apply_every(2)",
    "multi_steps(adam(0.5), k=2)",
    "multi_steps(sgd(1), k=2, reduce=sum, skip=large(3))",
    "multi_steps(sgd(1, momentum=0.5), k=2, reduce=weighted, skip=not_finite, partial=flush, acc_dtype=float32)",
};

class EverySpec : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Leaves, EverySpec, testing::ValuesIn(every_spec));

LayoutPointer layout_of(std::vector<std::pair<std::string, Shape>> leaves) {
  std::vector<Leaf> all;
  for (auto& [name, shape] : leaves) all.push_back({name, shape, Dtype::float64});
  return make_layout(std::move(all));
}

const std::vector<Numbers> gradients = {{1, -2, 0.5}, {3, 4, -1}, {0, 0, 0}, {2, 1, 8}, {-4, 2, 1}};

TEST_P(EverySpec, EmptyLeavesDisturbNoOthers) {
  Loop<Exact> plain(GetParam(), layout_of({{"w", {2}}, {"s", {}}}), {1, 2, 3});
  Loop<Exact> mixed(GetParam(), layout_of({{"e", {0}}, {"w", {2, 1}}, {"f", {3, 0, 2}}, {"s", {}}, {"g", {0}}}),
                    {1, 2, 3});
  for (const Numbers& g : gradients) EXPECT_EQ(plain.step(g), mixed.step(g));
  EXPECT_EQ(numbers_of<Exact>(plain.params), numbers_of<Exact>(mixed.params));
}

TEST_P(EverySpec, AnAbsentParamStaysAbsentEverywhere) {
  const auto layout = layout_of({{"w", {2}}, {"frozen", {2}}, {"s", {}}});
  Tree<Wide> params(layout);
  for (std::size_t i : {0, 2})
    for (Wide& w : params.values(i)) w = 1;
  params.mark(1, Presence::absent);
  Loop<Exact> loop(build<Exact>(parse_spec(GetParam())), params, Exact{});
  Loop<Exact> plain(GetParam(), layout_of({{"w", {2}}, {"s", {}}}), {1, 1, 1});
  for (const Numbers& g : gradients) {
    loop.updates.mark_all(Presence::dense);
    for (std::size_t j : {0, 1}) loop.updates.values(0)[j] = g[j];
    loop.updates.values(2)[0] = g[2];
    loop.updates.mark(1, Presence::absent);
    EXPECT_EQ(loop.step_given(), plain.step(g));
    EXPECT_EQ(loop.updates.presence(1), Presence::absent);
  }
}

TEST_P(EverySpec, NoLeavesAreNoTrouble) {
  Loop<Exact> loop(GetParam(), layout_of({}), {});
  for (int t = 0; t < 4; ++t) EXPECT_EQ(loop.step({}), Numbers{});
}

TEST_P(EverySpec, ZeroLeavesAreGradientsOfZero) {
  const auto layout = layout_of({{"w", {2}}, {"s", {}}});
  Loop<Exact> dense(GetParam(), layout, {1, 2, 3}), zero(GetParam(), layout, {1, 2, 3});
  for (const Numbers& g : gradients) {
    dense.step(g);
    zero.step(g);
    zero.updates.mark_all(Presence::zero);
    EXPECT_EQ(zero.step_given(), dense.step({0, 0, 0}));
  }
}

TEST(AbsentGradients, InAMicrobatchCountAsZeroInTheMean) {
  // 2 and nothing: 1. Nothing and 2: 1.
  for (bool first : {true, false}) {
    auto loop = exact_loop("multi_steps(sgd(1), k=2)", {0});
    Numbers update;
    for (bool absent : {first, !first}) {
      loop.updates.values(0)[0] = 2;
      loop.updates.mark(0, absent ? Presence::absent : Presence::dense);
      update = loop.step_given();
      loop.updates.mark(0, Presence::dense);
    }
    EXPECT_EQ(update, Numbers{-1});
  }
}

TEST(AbsentGradients, InAWholeWindowLeaveTheInnerStateAlone) {
  auto loop = exact_loop("multi_steps(adam(1, b1=0.5, b2=0.5, eps=0), k=2)", {0});
  for (double g : {5.0, 5.0}) loop.step({g});
  for (int t = 0; t < 2; ++t) {
    loop.updates.mark(0, Presence::absent);
    EXPECT_EQ(loop.step_given(), Numbers{0});
  }
  EXPECT_EQ(slot(loop.state.of[0], "mu"), Numbers{2.5});
}

TEST(HeldUpdates, AreZeroLeavesOfTheirShapeAndDtype) {
  for (const char* spec : {"apply_every(2)", "multi_steps(adam(1), k=2)", "multi_steps(sgd(1), k=1, skip=large(1))"}) {
    Loop<Emulated<double>> loop(spec, make_layout({{"w", {2, 1}, Dtype::bfloat16}, {"s", {}, Dtype::float64}}),
                                {1, 2, 3});
    EXPECT_EQ(loop.step({3, 4, 5}), (Numbers{0, 0, 0}));
    EXPECT_EQ(loop.updates.leaf(0).shape, (Shape{2, 1}));
    EXPECT_EQ(loop.updates.leaf(0).dtype, Dtype::bfloat16);
    EXPECT_EQ(loop.updates.leaf(1).dtype, Dtype::float64);
  }
}

}  // namespace
}  // namespace microstep::testing_optim
