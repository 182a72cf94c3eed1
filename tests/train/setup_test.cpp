// make_plan: what a spec, a problem and the options become, and what is refused.
#include "microstep/data/random.hpp"
#include "train/plans.hpp"

namespace microstep::testing_train {
namespace {

std::size_t microsteps(std::string_view spec, const PlanOptions& options = {}) {
  return plan_of(spec, "replay", options).batches.size();
}

TEST(MakePlan, IsAsLongAsItsWindows) {
  EXPECT_EQ(microsteps("sgd(1)"), 3U);
  EXPECT_EQ(microsteps("multi_steps(sgd(1), k=4)"), 12U);
  EXPECT_EQ(microsteps("multi_steps(sgd(1), k=4)", {.windows = 60}), 240U);
  EXPECT_EQ(microsteps("multi_steps(multi_steps(sgd(1), k=3), k=2)"), 18U);
  EXPECT_EQ(microsteps("chain(apply_every(2), multi_steps(sgd(1), k=3))"), 18U);
  EXPECT_EQ(microsteps("multi_steps(sgd(1), k=[[0, 1], [1, 3], [2, 2]])"), 6U);
  EXPECT_EQ(microsteps("multi_steps(sgd(1), k=4)", {.partial = 3}), 15U);
}

TEST(MakePlan, CountsFullWindowsUnderEveryPartialPolicy) {
  for (const char* policy : {"hold", "flush", "flush_by_k", "drop"})
    EXPECT_EQ(microsteps(std::string("multi_steps(sgd(1), k=4, partial=") + policy + ")"), 12U) << policy;
  const Plan plan = plan_of("multi_steps(sgd(1), k=4, partial=flush)", "replay", {.windows = 2, .partial = 1});
  EXPECT_EQ(windows(plan).size(), 3U);
}

TEST(MakePlan, GivesEveryMicrostepItsOwnExamples) {
  const Plan plan =
      plan_of("multi_steps(sgd(1), k=2)", "replay", {.windows = 2, .partial = 1, .examples = 2, .ragged = true});
  const std::vector<std::vector<std::int64_t>> expected = {{0, 1}, {2, 3, 4}, {5, 6}, {7, 8, 9}, {10, 11}};
  EXPECT_EQ(plan.batches, expected);
  EXPECT_EQ(plan.given.size(), 12U);
  EXPECT_NE(plan.given[0].gradient.values(0)[0], plan.given[1].gradient.values(0)[0]);
}

std::vector<double> first_gradient(Plan plan, std::int64_t example) {
  plan.batches = {{example}};
  Training<Plain<double>> training({}, plan);
  training.step();
  std::vector<double> all;
  for (std::size_t i = 0; i < training.gradients.leaf_count(); ++i)
    for (double x : training.gradients.values(i)) all.push_back(x);
  return all;
}

// At the same params, one example each: 40 examples have 40 gradients. Eight of them are candidates for zero inputs.
TEST(MakePlan, GivesNoExampleTwice) {
  for (const char* problem : {"linear_regression(3)", "logistic_regression(3)", "mlp(3, 5, 2)", "replay"}) {
    const Plan plan =
        plan_of("multi_steps(sgd(1), k=2)", problem, {.windows = 20, .examples = 1, .dtype = Dtype::float64});
    std::set<std::vector<double>> gradients;
    for (std::int64_t example = 0; example < 40; ++example) gradients.insert(first_gradient(plan, example));
    EXPECT_EQ(gradients.size(), 40U) << problem;
  }
}

TEST(MakePlan, CarriesItsOptions) {
  const PlanOptions options{.dtype = Dtype::bfloat16,
                            .gradient_dtype = Dtype::float32,
                            .loss = Loss::sum,
                            .hyper_precision = HyperPrecision::leaf,
                            .training = false,
                            .seed = 7};
  const Plan plan = plan_of("sgd(1)", "mlp(3, 5, 2)", options);
  EXPECT_EQ(plan.params.leaf(0).dtype, Dtype::bfloat16);
  EXPECT_EQ(plan.gradient_layout->leaves()[0].dtype, Dtype::float32);
  EXPECT_EQ(plan.loss, Loss::sum);
  EXPECT_EQ(plan.hyper_precision, HyperPrecision::leaf);
  EXPECT_FALSE(plan.training);
  EXPECT_EQ(plan.seed, 7U);
  EXPECT_TRUE(plan_of("sgd(1)", "replay").training);
}

TEST(MakePlan, NamesTheLeavesOfEachProblem) {
  auto names = [](std::string_view problem) {
    std::vector<std::string> all;
    for (const Leaf& leaf : problem_leaves(parse_spec(problem, OpKind::problem), Dtype::float32))
      all.push_back(leaf.name + to_string(leaf.shape));
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("replay"), (Names{"w[2, 3]", "b[3]", "s[]"}));
  EXPECT_EQ(names("mlp(3, 5, 2)"), (Names{"w0[3, 5]", "b0[5]", "w1[5, 2]", "b1[2]"}));
  EXPECT_EQ(names("linear_regression(3, 2)"), (Names{"w[3, 2]", "b[2]"}));
  EXPECT_EQ(names("logistic_regression(4, 3)"), (Names{"w[4, 3]", "b[3]"}));
}

TEST(MakePlan, DrawsEachStreamByItsName) {
  const Plan plan = plan_of("sgd(1)", "replay", {.seed = 5});
  const Stream init("init", 5), gradient("gradient", 5);
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (double w : plan.params.values(i)) EXPECT_EQ(w, init.dyadic(256, 0, index++));
  EXPECT_EQ(plan.given[2].gradient.values(1)[1], gradient.dyadic(64, 2, 7));
}

TEST(MakePlan, MoreExamplesDoNotMoveTheParamsNorTheFirstOnes) {
  const Plan few = plan_of("sgd(1)", "replay", {.examples = 1}), many = plan_of("sgd(1)", "replay", {.examples = 9});
  EXPECT_TRUE(std::ranges::equal(few.params.values(0), many.params.values(0)));
  EXPECT_TRUE(std::ranges::equal(few.given[2].gradient.values(0), many.given[2].gradient.values(0)));
  const Plan other = plan_of("sgd(1)", "replay", {.seed = 2});
  EXPECT_FALSE(std::ranges::equal(few.params.values(0), other.params.values(0)));
}

TEST(MakePlan, InitialValuesAreExactInEveryDtype) {
  for (Dtype dtype : all_dtypes()) {
    const Plan plan = plan_of("sgd(1)", "mlp(3, 5, 2)", {.dtype = dtype});
    for (double w : plan.params.values(0)) EXPECT_TRUE(is_representable(dtype, w));
  }
}

TEST(MakePlan, RefusesOptionsWithoutMeaning) {
  for (const PlanOptions& options : {PlanOptions{.windows = 0}, PlanOptions{.windows = -3}, PlanOptions{.partial = -1},
                                     PlanOptions{.examples = 0}, PlanOptions{.examples = -2}})
    EXPECT_EQ(refused([&] { plan_of("sgd(1)", "replay", options); }), "plan.option");
}

TEST(MakePlan, RefusesWhatIsTooLong) {
  EXPECT_EQ(refused([] { plan_of("multi_steps(sgd(1), k=2147483647)", "replay"); }), "plan.too-long");
  EXPECT_EQ(refused([] { plan_of("apply_every(100001)", "replay", {.windows = 1}); }), "plan.too-long");
  EXPECT_EQ(refused([] { plan_of("sgd(1)", "replay", {.windows = 100001}); }), "plan.too-long");
  EXPECT_EQ(refused([] { plan_of("sgd(1)", "replay", {.partial = std::int64_t{1} << 40}); }), "plan.too-long");
  EXPECT_EQ(refused([] { plan_of("sgd(1)", "replay", {.examples = std::int64_t{1} << 40}); }), "plan.too-long");
  EXPECT_EQ(plan_of("apply_every(100000)", "mlp(1, 1)", {.windows = 1, .examples = 1}).batches.size(), 100000U);
}

}  // namespace
}  // namespace microstep::testing_train
