// Trained problems against formulas written out here, in Wide; data from the streams of random.hpp.
#include "microstep/data/random.hpp"
#include "train/plans.hpp"

namespace microstep::testing_train {
namespace {

using Rows = std::vector<std::vector<Wide>>;

Rows inputs(const Plan& plan, const std::vector<std::int64_t>& batch, std::int64_t features) {
  const Stream data("data", plan.seed);
  Rows x;
  for (std::int64_t example : batch) {
    auto& row = x.emplace_back();
    for (std::int64_t f = 0; f < features; ++f)
      row.push_back(
          example % 5 == 3 ? 0 : data.dyadic(64, static_cast<std::uint64_t>(example), static_cast<std::uint64_t>(f)));
  }
  return x;
}

Rows targets(const Plan& plan, const std::vector<std::int64_t>& batch, std::int64_t features, std::int64_t outputs) {
  const Stream data("data", plan.seed), noise("noise", plan.seed);
  Rows y;
  for (std::int64_t example : batch) {
    auto& row = y.emplace_back();
    const auto which = static_cast<std::uint64_t>(example);
    for (std::int64_t o = 0; o < outputs; ++o)
      row.push_back(
          round_to(plan.params.leaf(0).dtype, data.dyadic(64, which, static_cast<std::uint64_t>(features + o)) +
                                                  noise.dyadic(1024, which, static_cast<std::uint64_t>(o))));
  }
  return y;
}

std::vector<std::int64_t> labels(const Plan& plan, const std::vector<std::int64_t>& batch, std::int64_t features,
                                 std::int64_t classes) {
  const Stream data("data", plan.seed);
  std::vector<std::int64_t> all;
  for (std::int64_t example : batch)
    all.push_back(data.below(classes, static_cast<std::uint64_t>(example), static_cast<std::uint64_t>(features)));
  return all;
}

// x w + b, w [in, out].
Rows dense(const Rows& x, std::span<const double> w, std::span<const double> b) {
  Rows y;
  for (const auto& row : x) {
    auto& out = y.emplace_back(b.begin(), b.end());
    for (std::size_t i = 0; i < row.size(); ++i)
      for (std::size_t o = 0; o < out.size(); ++o) out[o] += row[i] * w[i * out.size() + o];
  }
  return y;
}

// slope [batch, out] is d loss / d (x w + b): w gets x' slope, b the column sums.
void expect_layer(const Training<Plain<Wide>>& training, std::size_t w, const Rows& x, const Rows& slope) {
  std::vector<Wide> gw(x[0].size() * slope[0].size()), gb(slope[0].size());
  for (std::size_t n = 0; n < x.size(); ++n)
    for (std::size_t o = 0; o < gb.size(); ++o) {
      gb[o] += slope[n][o];
      for (std::size_t i = 0; i < x[0].size(); ++i) gw[i * gb.size() + o] += x[n][i] * slope[n][o];
    }
  for (std::size_t j = 0; j < gw.size(); ++j)
    EXPECT_EQ(static_cast<double>(training.gradients.values(w)[j]), static_cast<double>(gw[j])) << "w " << j;
  for (std::size_t j = 0; j < gb.size(); ++j)
    EXPECT_EQ(static_cast<double>(training.gradients.values(w + 1)[j]), static_cast<double>(gb[j])) << "b " << j;
}

// d/dp of the mean over rows and outputs of (p - y)^2; without the mean over rows for the sum loss.
Rows squared_slope(const Rows& p, const Rows& y, Loss loss, Wide& value) {
  Rows slope = p;
  const Wide outputs = static_cast<int>(p[0].size()), rows = loss == Loss::mean ? static_cast<int>(p.size()) : 1;
  for (std::size_t n = 0; n < p.size(); ++n)
    for (std::size_t o = 0; o < p[n].size(); ++o) {
      const Wide difference = p[n][o] - y[n][o];
      value += difference * difference / outputs / rows;
      slope[n][o] = 2 * difference / outputs / rows;
    }
  return slope;
}

class BothLosses : public testing::TestWithParam<Loss> {};
INSTANTIATE_TEST_SUITE_P(Trained, BothLosses, testing::Values(Loss::mean, Loss::sum));

// 2 or 4 rows and 2 outputs: every division is exact in Wide.
TEST_P(BothLosses, LinearRegression) {
  const Plan plan = plan_of("sgd(0.25)", "linear_regression(3, 2)", {.windows = 2, .examples = 4, .loss = GetParam()});
  Training<Plain<Wide>> training(Plain<Wide>{}, plan);
  training.step();
  const Rows x = inputs(plan, plan.batches[0], 3);
  Wide loss = 0;
  const Rows p = dense(x, plan.params.values(0), plan.params.values(1));
  const Rows slope = squared_slope(p, targets(plan, plan.batches[0], 3, 2), GetParam(), loss);
  expect_layer(training, 0, x, slope);
  EXPECT_EQ(static_cast<double>(training.loss), static_cast<double>(loss));
}

TEST_P(BothLosses, LogisticRegression) {
  const Plan plan = plan_of("sgd(0.25)", "logistic_regression(4, 3)", {.examples = 4, .loss = GetParam()});
  Training<Plain<Wide>> training(Plain<Wide>{}, plan);
  training.step();
  const Rows x = inputs(plan, plan.batches[0], 4);
  const auto label = labels(plan, plan.batches[0], 4, 3);
  Rows slope = dense(x, plan.params.values(0), plan.params.values(1));
  const Wide rows = GetParam() == Loss::mean ? 4 : 1;
  Wide loss = 0;
  for (std::size_t n = 0; n < slope.size(); ++n) {
    Wide total = 0;
    const Wide due = slope[n][static_cast<std::size_t>(label[n])];
    for (Wide& s : slope[n]) total += s = wide::exp(s);
    loss += (wide::log(total) - due) / rows;
    for (std::size_t j = 0; j < 3; ++j)
      slope[n][j] = (slope[n][j] / total - (label[n] == static_cast<std::int64_t>(j))) / rows;
  }
  expect_layer(training, 0, x, slope);
  EXPECT_EQ(static_cast<double>(training.loss), static_cast<double>(loss));
}

// One hidden layer by hand: slope0 = (slope1 w1') act'.
void expect_mlp(const std::string& act) {
  const Plan plan = plan_of("sgd(0.25)", "mlp(3, 5, 2, act=" + act + ")", {.examples = 2});
  Training<Plain<Wide>> training(Plain<Wide>{}, plan);
  training.step();
  const bool relu = act == "relu";
  const Rows x = inputs(plan, plan.batches[0], 3);
  Rows hidden = dense(x, plan.params.values(0), plan.params.values(1)), slope0 = hidden;
  for (auto& row : hidden)
    for (Wide& h : row) h = relu ? (h > 0 ? h : Wide(0)) : wide::tanh(h);
  Wide loss = 0;
  const Rows p = dense(hidden, plan.params.values(2), plan.params.values(3));
  const Rows slope1 = squared_slope(p, targets(plan, plan.batches[0], 3, 2), Loss::mean, loss);
  for (std::size_t n = 0; n < x.size(); ++n)
    for (std::size_t h = 0; h < 5; ++h) {
      Wide back = 0;
      for (std::size_t o = 0; o < 2; ++o) back += slope1[n][o] * Wide(plan.params.values(2)[h * 2 + o]);
      slope0[n][h] = back * (relu ? Wide(hidden[n][h] > 0) : 1 - hidden[n][h] * hidden[n][h]);
    }
  expect_layer(training, 2, hidden, slope1);
  expect_layer(training, 0, x, slope0);
  EXPECT_EQ(static_cast<double>(training.loss), static_cast<double>(loss));
}

TEST(Trained, MlpWithTanh) { expect_mlp("tanh"); }
TEST(Trained, MlpWithRelu) { expect_mlp("relu"); }

TEST(Trained, ZeroInputsMoveTheBiasOnly) {
  Plan plan = plan_of("sgd(0.25)", "linear_regression(3, 2)");
  plan.batches = {{3}, {8}};
  Training<Plain<double>> training(Plain<double>{}, plan);
  training.step();
  for (double g : training.gradients.values(0)) EXPECT_EQ(g, 0);
  for (double g : training.gradients.values(1)) EXPECT_NE(g, 0);
}

TEST(Trained, ABatchIsTheMeanOfItsObjects) {
  // Also that an object alone works, and that its data do not depend on its batch.
  Plan plan = plan_of("scale(0)", "linear_regression(3, 2)");
  plan.batches = {{6}, {9}, {6, 9}, {9, 6}};
  Training<Plain<Wide>> training(Plain<Wide>{}, plan);
  std::vector<std::vector<Wide>> found;
  for (int t = 0; t < 4; ++t) {
    training.step();
    found.emplace_back(training.gradients.values(0).begin(), training.gradients.values(0).end());
  }
  for (std::size_t j = 0; j < found[0].size(); ++j) {
    EXPECT_TRUE(found[2][j] == (found[0][j] + found[1][j]) / 2);
    EXPECT_TRUE(found[3][j] == found[2][j]);
    EXPECT_TRUE(found[0][j] != found[1][j]);
  }
}

TEST(Trained, RefusesParamsOfAnotherProblem) {
  Plan plan = plan_of("sgd(1)", "linear_regression(3, 2)");
  plan.problem = parse_spec("mlp(3, 5, 2)", OpKind::problem);
  EXPECT_EQ(refused([&] { run(plan); }), "plan.problem-leaves");
  plan.problem = parse_spec("linear_regression(2, 3)", OpKind::problem);
  EXPECT_EQ(refused([&] { run(plan); }), "plan.problem-leaves");
}

}  // namespace
}  // namespace microstep::testing_train
