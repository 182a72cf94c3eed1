// The only training loop: order of things in a microstep, interruptions, and which arithmetic runs a plan.
#include "train/plans.hpp"

namespace microstep::testing_train {
namespace {

TEST(Run, ParamsMoveByTheUpdatesOfEachMicrostep) {
  const Trace trace = run(replay_of("multi_steps(sgd(1), k=2)", {2, 8, 1, 3}));
  EXPECT_EQ(history(trace, "gradients/w"), (Numbers{2, 8, 1, 3}));
  EXPECT_EQ(history(trace, "updates/w"), (Numbers{0, -5, 0, -2}));
  EXPECT_EQ(history(trace, "params/w"), (Numbers{0, -5, -5, -7}));
  EXPECT_EQ(counts(trace, "state/mini_step"), (std::vector<std::int64_t>{0, 1, 0, 1, 0}));
}

TEST(Run, GradientsAreTakenAtTheParamsOfTheMicrostep) {
  // linear_regression, sgd: the second microstep's gradient differs from that at the initial params.
  const Plan moving = plan_of("sgd(0.5)", "linear_regression"), resting = plan_of("scale(0)", "linear_regression");
  const Trace a = run(moving), b = run(resting);
  EXPECT_EQ(at(a, 1, "gradients/w"), at(b, 1, "gradients/w"));
  EXPECT_NE(at(a, 2, "gradients/w"), at(b, 2, "gradients/w"));
}

TEST(Run, AccumulatedMicrostepsSeeTheSameParams) {
  const Plan held = plan_of("multi_steps(sgd(0.5), k=2)", "linear_regression");
  const Plan resting = plan_of("scale(0)", "linear_regression", {.windows = 6});
  EXPECT_EQ(at(run(held), 2, "gradients/w"), at(run(resting), 2, "gradients/w"));
}

TEST(Run, TheLastMicrostepIsAnnounced) {
  const Trace trace = run(replay_of("multi_steps(sgd(1), k=3, partial=flush)", {2, 8, 32, 6}));
  EXPECT_EQ(history(trace, "updates/w"), (Numbers{0, 0, -14, -6}));
}

TEST(Training, EndsAfterThePlan) {
  const Plan plan = replay_of("sgd(1)", {1, 2});
  Training<Plain<double>> training(Plain<double>{}, plan);
  training.step();
  EXPECT_EQ(training.microstep(), 1);
  EXPECT_FALSE(training.done());
  training.step();
  EXPECT_TRUE(training.done());
  EXPECT_THROW(training.step(), std::out_of_range);
}

TEST(Interruptions, GoThroughTheRestoreHook) {
  using A = Plain<double>;
  Plan plan = replay_of("multi_steps(sgd(1, momentum=0.5), k=2)", {2, 4, 1, 3, 5, 7});
  plan.interruptions = {1, 4};
  std::vector<std::int64_t> seen;
  auto whole = run_recorded<A>(A{}, plan, nullptr, nullptr);
  auto resumed = run_recorded<A>(A{}, plan, nullptr, [&](const State<double>& state) {
    seen.push_back(2 * state.count("gradient_step") + state.count("mini_step"));
    return State<double>(state);
  });
  EXPECT_EQ(seen, plan.interruptions);
  for (const char* path : {"params/w", "updates/w", "state/acc_grads/w", "state/of[0]/trace/w"})
    EXPECT_EQ(history(whole, path), history(resumed, path)) << path;
}

TEST(Interruptions, ALostCountShows) {
  using A = Plain<double>;
  Plan plan = replay_of("multi_steps(sgd(1), k=2)", {2, 4, 1, 3});
  plan.interruptions = {1};
  auto forgets = [](State<double> state) {
    state.count("mini_step") = 0;
    return state;
  };
  const Trace trace = run_recorded<A>(A{}, plan, nullptr, forgets);
  EXPECT_EQ(history(trace, "updates/w"), (Numbers{0, 0, -2.5, 0}));
}

TEST(ApplyUpdates, AddsDenseLeavesOnly) {
  const auto layout = make_layout({{"a", {1}}, {"b", {1}}, {"c", {1}}, {"d", {1}}});
  Tree<double> params = filled(layout, 1.0), updates = filled(layout, 4.0);
  updates.mark(0, Presence::zero);
  updates.mark(1, Presence::absent);
  params.mark(2, Presence::absent);
  params.mark(3, Presence::zero);
  apply_updates(Plain<double>{}, params, updates);
  EXPECT_EQ(params.values(0)[0], 1);
  EXPECT_EQ(params.values(1)[0], 1);
  EXPECT_EQ(params.presence(2), Presence::absent);
  EXPECT_EQ(params.values(3)[0], 4);
}

TEST(ApplyUpdates, RoundsOnceToTheParam) {
  // bfloat16 1 plus float32 2^-8 + 2^-20: added in float32, then up to 1 + 2^-7. The update cast first would give 1.
  Tree<double> params = filled(make_layout({{"w", {1}, Dtype::bfloat16}}), 1.0);
  const Tree<double> updates = filled(make_layout({{"w", {1}, Dtype::float32}}), 0x1p-8 + 0x1p-20);
  apply_updates(Emulated<double>{}, params, updates);
  EXPECT_EQ(params.values(0)[0], 1 + 0x1p-7);
}

TEST(IsUniform, LooksAtParamsGradientsAndAccumulators) {
  Plan plan = replay_of("multi_steps(sgd(1), k=2)", {1}, {}, {}, Dtype::float32);
  EXPECT_TRUE(is_uniform(plan, Dtype::float32));
  EXPECT_FALSE(is_uniform(plan, Dtype::float64));
  plan.spec = parse_spec("chain(multi_steps(sgd(1), k=2, acc_dtype=float32))");
  EXPECT_TRUE(is_uniform(plan, Dtype::float32));
  plan.spec = parse_spec("chain(multi_steps(sgd(1), k=2, acc_dtype=float64))");
  EXPECT_FALSE(is_uniform(plan, Dtype::float32));
  plan.spec = parse_spec("multi_steps(sgd(1), k=2, reduce=weighted)");
  EXPECT_FALSE(is_uniform(plan, Dtype::float32));
  plan.spec = parse_spec("sgd(1)");
  plan.gradient_layout = with_dtype(plan.gradient_layout, Dtype::float64);
  EXPECT_FALSE(is_uniform(plan, Dtype::float32));
}

class HardwareRun : public testing::TestWithParam<std::tuple<const char*, HyperPrecision>> {};
INSTANTIATE_TEST_SUITE_P(
    Run, HardwareRun,
    testing::Combine(testing::Values("multi_steps(adam(0.1), k=3)",
                                     "chain(adamw(0.1, weight_decay=0.3), apply_every(2))",
                                     "multi_steps(sgd(0.1, momentum=0.9, nesterov=true), k=3, reduce=weighted)",
                                     "chain(clip_by_global_norm(0.5), ema(0.9), scale(-0.3))"),
                     testing::Values(HyperPrecision::float64, HyperPrecision::float32, HyperPrecision::leaf)));

TEST_P(HardwareRun, IsTheEmulatedOneBitForBit) {
  for (Dtype dtype : {Dtype::float32, Dtype::float64}) {
    const auto& [spec, precision] = GetParam();
    Plan plan = plan_of(spec, "replay", {.windows = 20, .examples = 3, .dtype = dtype, .hyper_precision = precision});
    for (std::size_t i = 0; i < plan.given.size(); ++i) plan.given[i].weight = 1 + 0.1 * static_cast<double>(i);
    const Trace hardware = run(plan), emulated = run_recorded(Emulated<double>{Dtype::float64, precision}, plan);
    for (const Column& column : hardware.schema().columns())
      for (std::int64_t row = 0; row < hardware.rows(); ++row)
        ASSERT_EQ(at(hardware, row, column.path), at(emulated, row, column.path)) << column.path << " " << row;
  }
}

TEST(MixedDtypes, RunEmulatedEachLeafInItsOwn) {
  const Plan plan =
      plan_of("multi_steps(adam(0.1), k=2, acc_dtype=float32)", "mlp(3, 5, 2)", {.dtype = Dtype::bfloat16});
  const Trace trace = run(plan);
  for (const Column& column : trace.schema().columns())
    for (std::int64_t row = 1; row < trace.rows(); ++row)
      for (double x : at(trace, row, column.path)) EXPECT_TRUE(is_representable(column.dtype, x)) << column.path;
  EXPECT_TRUE(trace.deviations.empty());
  EXPECT_EQ(trace.schema().columns()[*trace.schema().find_column("state/acc_grads/w0")].dtype, Dtype::float32);
}

}  // namespace
}  // namespace microstep::testing_train
