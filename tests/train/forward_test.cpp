#include "microstep/train/forward.hpp"

#include <gtest/gtest.h>

#include "microstep/kernels/switches.hpp"
#include "microstep/train/model.hpp"

namespace microstep {
namespace {

Forward asked(const std::string& model, Shape shape, std::vector<double> inputs,
              std::vector<std::vector<double>> params, Dtype dtype = Dtype::float32) {
  Forward forward{parse_spec(model, OpKind::model), {}, {dtype, std::move(shape), std::move(inputs)}, {}};
  forward.params = Tree<double>(make_layout(model_leaves(forward.model, dtype)));
  for (std::size_t i = 0; i < params.size(); ++i) std::ranges::copy(params[i], forward.params.values(i).begin());
  return forward;
}

std::string refusal_of(const Forward& forward) {
  try {
    microstep::forward(forward);
  } catch (const Error& error) {
    return error.id() + " at " + error.place();
  }
  return "none";
}

// (1, 2) by [[3, 4], [5, 6]] is (13, 16).
TEST(Forward, OfALinearLayerIsTheProduct) {
  const Outputs outputs = forward(asked("linear(2, 2)", {1, 2}, {1, 2}, {{3, 4, 5, 6}, {0.5, -20}}));
  EXPECT_EQ(outputs.outputs, (Tensor{Dtype::float32, {1, 2}, {13.5, -4}}));
  EXPECT_EQ(outputs.kernels, (std::map<std::string, std::string>{{"matmul", "eigen"}}));
  const Outputs relu = forward(asked("linear(2, 2, act=relu)", {1, 2}, {1, 2}, {{3, 4, 5, 6}, {0.5, -20}}));
  EXPECT_EQ(relu.outputs.values, (std::vector<double>{13.5, 0}));
}

// A kernel of ones on a 2x2 image sees all four pixels from each place.
TEST(Forward, OfAConvolutionKeepsTheSizeUnderOddKernels) {
  const std::vector<double> ones(9, 1);
  const Outputs odd = forward(asked("conv2d(1, images=1, size=2)", {1, 1, 2, 2}, {1, 2, 3, 4}, {ones, {1}}));
  EXPECT_EQ(odd.outputs, (Tensor{Dtype::float32, {1, 1, 2, 2}, {11, 11, 11, 11}}));
  const Outputs even =
      forward(asked("conv2d(1, images=1, size=2, kernel=2)", {1, 1, 2, 2}, {1, 2, 3, 4}, {{1, 10, 100, 1000}, {0}}));
  EXPECT_EQ(even.outputs, (Tensor{Dtype::float32, {1, 1, 1, 1}, {4321}}));
}

TEST(Forward, OfAPoolIsTheMean) {
  const Outputs outputs = forward(asked("mean_pool(2, size=2)", {1, 2, 2, 2}, {1, 2, 3, 6, 0, 0, 0, -1}, {}));
  EXPECT_EQ(outputs.outputs, (Tensor{Dtype::float32, {1, 2}, {3, -0.25}}));
}

// With 1 + 2^-10 + 2^-12, tf32 keeps ten bits behind the point and bfloat16 seven.
TEST(Forward, TakesItsSwitches) {
  Forward linear = asked("linear(1, 1)", {1, 1}, {0x1.005p0}, {{1}, {0}});
  EXPECT_EQ(forward(linear).outputs.values[0], 0x1.005p0);
  linear.switches = {{"matmul_inputs", "tf32"}, {"matmul", "loops"}};
  EXPECT_EQ(forward(linear).outputs.values[0], 0x1.004p0);
  EXPECT_EQ(forward(linear).kernels.at("matmul"), "loops");
  linear.switches = {{"matmul_inputs", "bfloat16"}};
  EXPECT_EQ(forward(linear).outputs.values[0], 1);
  linear.switches = {{"matmul_input", "tf32"}};
  EXPECT_EQ(refusal_of(linear), "kernel.unknown-switch at matmul_input");
}

TEST(Forward, NamesThePathThatAutoTook) {
  Forward conv =
      asked("conv2d(1, images=1, size=2)", {2, 1, 2, 2}, std::vector<double>(8, 1), {std::vector<double>(9, 1), {0}});
  EXPECT_EQ(forward(conv).kernels.at("conv2d"), "im2col");
  conv.switches = {{"auto_batch", "2"}, {"auto_large", "winograd2"}};
  EXPECT_EQ(forward(conv).kernels.at("conv2d"), "winograd2");
}

// 1/3 is no number of any dtype: what is rounded once lies nearer than what was summed in the dtype.
TEST(Forward, ExactOutputsAreRoundedOnce) {
  const double third = round_to(Dtype::bfloat16, 1.0 / 3);
  const Forward linear =
      asked("linear(3, 1)", {1, 3}, {third, third, third}, {{third, third, third}, {0}}, Dtype::bfloat16);
  EXPECT_EQ(exact_outputs(linear).values[0], round_to(Dtype::bfloat16, 3 * third * third));
  const auto balls = forward_balls(linear, {});
  EXPECT_EQ(static_cast<double>(balls[0].value), 3 * third * third);
  EXPECT_GT(balls[0].radius, 0);
}

TEST(Forward, RefusesWhatDoesNotFit) {
  const Forward good = asked("linear(2, 1)", {1, 2}, {1, 2}, {{1, 1}, {0}});
  EXPECT_EQ(refusal_of(good), "none");
  Forward bad = good;
  bad.inputs = {Dtype::float32, {0, 2}, {}};
  EXPECT_EQ(refusal_of(bad), "forward.batch at /inputs");
  bad.inputs = {Dtype::float32, {2}, {1, 2}};
  EXPECT_EQ(refusal_of(bad), "forward.batch at /inputs");
  bad.inputs = {Dtype::float64, {1, 2}, {1, 2}};
  EXPECT_EQ(refusal_of(bad), "forward.params at /params");
  bad = good;
  bad.model = parse_spec("linear(2, 2)", OpKind::model);
  EXPECT_EQ(refusal_of(bad), "forward.params at /params");
  bad = good;
  bad.inputs.values[1] = HUGE_VAL;
  EXPECT_EQ(refusal_of(bad), "forward.not-finite at /inputs");
  bad = good;
  bad.params.values(1)[0] = NAN;
  EXPECT_EQ(refusal_of(bad), "forward.not-finite at /params/b");
}

// The shapes that layers_of and output_shape promise are those that come out.
TEST(Model, LayersFitOneBehindTheOther) {
  for (const char* name : {"linear_regression", "logistic_regression", "mlp(3, 5, 2)", "tiny_conv_net", "linear",
                           "conv2d(2, images=3, size=4, kernel=4)", "mean_pool(2, size=3)"}) {
    const Spec model = parse_spec(name, OpKind::model);
    Shape shape = input_shape(model);
    std::size_t params = 0;
    for (const Layer& layer : layers_of(model)) {
      EXPECT_EQ(input_shape(layer.spec), shape) << name;
      EXPECT_EQ(model_leaves(layer.spec, Dtype::float32).size(), layer.params) << name;
      shape = output_shape(layer.spec);
      params += layer.params;
    }
    EXPECT_EQ(output_shape(model), shape) << name;
    EXPECT_EQ(model_leaves(model, Dtype::float32).size(), params) << name;
    shape.insert(shape.begin(), 2);
    Shape in = input_shape(model);
    in.insert(in.begin(), 2);
    const std::vector<double> zeros(static_cast<std::size_t>(element_count(in)), 0.0);
    Forward zero = asked(name, in, zeros, {});
    for (std::size_t i = 0; i < zero.params.leaf_count(); ++i) std::ranges::fill(zero.params.values(i), 0.0);
    EXPECT_EQ(forward(zero).outputs.shape, shape) << name;
  }
}

}  // namespace
}  // namespace microstep
