// The rows of the op table that are networks: trained problems and models.
#include "spec_rows.hpp"

namespace microstep {

using enum ArgumentType;
using enum OpKind;

namespace {

std::vector<OpRule> regressions() {
  const ArgumentRule mean_squared = one_of("loss", {"mse"}, "mean-squared error");
  return {
      {"replay", problem, Inner::none, {}, "the gradients are given in the plan"},
      {"linear_regression",
       problem,
       Inner::none,
       {ranged("features", integer, "3", width, "columns of the inputs"),
        ranged("targets", integer, "2", width, "columns of the outputs"), mean_squared},
       "params w [features, targets], b [targets]",
       false,
       true},
      {"logistic_regression",
       problem,
       Inner::none,
       {ranged("features", integer, "4", width, "columns of the inputs"),
        ranged("classes", integer, "3", {2, 4096}, "labels are 0 to classes - 1")},
       "softmax cross-entropy with integer labels",
       false,
       true},
  };
}

std::vector<OpRule> networks() {
  return {
      {"mlp",
       problem,
       Inner::none,
       {ranged("sizes", sizes, "", width, "input first, output last"),
        one_of("act", {"tanh", "relu"}, "between layers"),
        one_of("loss", {"mse", "cross_entropy"}, "cross_entropy: integer labels")},
       "dense layers of the given sizes",
       false,
       true},
      {"tiny_conv_net",
       problem,
       Inner::none,
       {ranged("channels", integer, "4", {1, 256}, "of both convolutions"),
        ranged("classes", integer, "3", {2, 4096}, "labels are 0 to classes - 1"),
        ranged("images", integer, "2", {1, 256}, "channels of the inputs"),
        ranged("size", integer, "5", {1, 256}, "height and width of the inputs")},
       "two 3x3 convolutions with relu, mean over the pixels, one dense layer; softmax cross-entropy with integer "
       "labels",
       false,
       true},
  };
}

}  // namespace

std::vector<OpRule> problem_ops() {
  std::vector<OpRule> all = regressions();
  for (OpRule& rule : networks()) all.push_back(std::move(rule));
  return all;
}

std::vector<OpRule> model_ops() {
  const Range side{1, 256};
  const ArgumentRule act = one_of("act", {"none", "tanh", "relu"}, "behind the biases");
  const ArgumentRule size = ranged("size", integer, "8", side, "height and width of the inputs");
  return {
      {"linear",
       model,
       Inner::none,
       {ranged("features", integer, "64", width, "columns of the inputs"),
        ranged("outputs", integer, "10", width, "columns of the outputs"), act},
       "one dense layer; params w [features, outputs], b [outputs]"},
      {"conv2d",
       model,
       Inner::none,
       {ranged("channels", integer, "16", side, "of the outputs"),
        ranged("images", integer, "16", side, "channels of the inputs"), size,
        ranged("kernel", integer, "3", {1, 7}, "height and width of the kernels; even ones shrink the image by 1"),
        act},
       "one convolution, padded by half a kernel; params k [channels, images, kernel, kernel], b [channels]"},
      {"mean_pool",
       model,
       Inner::none,
       {ranged("channels", integer, "16", side, "of the inputs"), size},
       "the mean over the pixels; no params"},
  };
}

}  // namespace microstep
