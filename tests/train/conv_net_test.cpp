#include <gtest/gtest.h>

#include <algorithm>

#include "microstep/train/model.hpp"
#include "microstep/train/run.hpp"
#include "microstep/train/setup.hpp"

namespace microstep {
namespace {

using Doubles = Tape<Plain<double>>;

// One channel and one pixel under a border of zeros: of the nine weights only the one in the middle counts.
std::vector<double> logits_of(double x, double second_bias) {
  const Spec problem = parse_spec("tiny_conv_net(1, classes=2, images=1, size=1)", OpKind::problem);
  Doubles tape(Plain<double>{});
  const std::vector<std::vector<double>> values{
      {7, 7, 7, 7, 2, 7, 7, 7, 7}, {1}, {9, 9, 9, 9, -1, 9, 9, 9, 9}, {second_bias}, {0.5, -2}, {1, 0}};
  std::vector<Var> params;
  const std::vector<Leaf> leaves = problem_leaves(problem, Dtype::float64);
  for (std::size_t i = 0; i < leaves.size(); ++i)
    params.push_back(tape.leaf(values[i], leaves[i].shape, Dtype::float64));
  const Model<Plain<double>> model(problem);
  const Var out = model.forward(tape, params, tape.constant(std::vector<double>{x}, {1, 1, 1, 1}, Dtype::float64));
  EXPECT_EQ(tape.shape(out), (Shape{1, 2}));
  return {tape.values(out).begin(), tape.values(out).end()};
}

// relu(2 3 + 1) = 7, relu(-7 + 10) = 3, and 3 (0.5, -2) + (1, 0); with a bias of 5 the second relu gives 0.
TEST(TinyConvNet, OfOnePixelIsAChainOfProducts) {
  EXPECT_EQ(logits_of(3, 10), (std::vector<double>{2.5, -6}));
  EXPECT_EQ(logits_of(3, 5), (std::vector<double>{1, 0}));
}

TEST(TinyConvNet, TrainsEveryLeaf) {
  const Plan plan =
      make_plan(parse_spec("multi_steps(sgd(0.5), k=2)"), parse_spec("tiny_conv_net", OpKind::problem), {});
  EXPECT_EQ(plan.params.layout().leaves()[0].shape, (Shape{4, 2, 3, 3}));
  const Trace trace = run(plan);
  for (const char* leaf : {"k0", "b0", "k1", "b1", "w", "b"}) {
    const auto column = *trace.schema().find_column(std::string("params/") + leaf);
    EXPECT_FALSE(std::ranges::equal(trace.numbers(0, column), trace.numbers(trace.rows() - 1, column))) << leaf;
  }
}

// Ragged microbatches of 1 and 2 images, and a switch at 2: both paths stand in the trace, and no other.
TEST(TinyConvNet, ATraceNamesThePathsThatRan) {
  PlanOptions options;
  options.examples = 1;
  options.ragged = true;
  Plan plan =
      make_plan(parse_spec("multi_steps(sgd(0.5), k=2)"), parse_spec("tiny_conv_net", OpKind::problem), options);
  EXPECT_EQ(run(plan).kernels, (std::map<std::string, std::string>{{"conv2d", "im2col"}, {"matmul", "eigen"}}));
  plan.switches = {{"auto_batch", "2"}, {"matmul", "loops"}};
  EXPECT_EQ(run(plan).kernels,
            (std::map<std::string, std::string>{{"conv2d", "im2col, winograd4"}, {"matmul", "loops"}}));
  plan.switches = {{"conv3d", "direct"}};
  EXPECT_THROW(run(plan), Error);
}

TEST(Model, IsNoneOfReplay) { EXPECT_THROW(layers_of(parse_spec("replay", OpKind::problem)), Error); }

}  // namespace
}  // namespace microstep
