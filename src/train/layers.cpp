// Of which layers each model is made, and the shapes that go with them.
#include <fmt/format.h>

#include <algorithm>

#include "microstep/data/error.hpp"
#include "microstep/train/model.hpp"
#include "microstep/train/setup.hpp"

namespace microstep {
namespace {

Layer linear_layer(const Value& features, const Value& outputs, const Value& act) {
  return {checked({"linear", {{"features", features}, {"outputs", outputs}, {"act", act}}, {}}, OpKind::model), 2};
}

std::vector<Layer> mlp_layers(const Spec& model) {
  std::vector<Layer> layers;
  const auto& sizes = model.list("sizes");
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
    layers.push_back(linear_layer(sizes[i], sizes[i + 1], i + 2 < sizes.size() ? model.args.at("act") : Value("none")));
  return layers;
}

Layer conv_layer(const Spec& model, const Value& images) {
  const Value &channels = model.args.at("channels"), &size = model.args.at("size");
  return {checked({"conv2d", {{"channels", channels}, {"images", images}, {"size", size}, {"act", "relu"}}, {}},
                  OpKind::model),
          2};
}

std::vector<Layer> conv_net_layers(const Spec& model) {
  const Value &channels = model.args.at("channels"), &size = model.args.at("size");
  return {conv_layer(model, model.args.at("images")),
          conv_layer(model, channels),
          {checked({"mean_pool", {{"channels", channels}, {"size", size}}, {}}, OpKind::model), 0},
          linear_layer(channels, model.args.at("classes"), "none")};
}

std::vector<Layer> self(const Spec& model) { return {{model, model.op == "mean_pool" ? std::size_t{0} : 2}}; }

struct LayersOf {
  std::string_view model;
  std::vector<Layer> (*layers)(const Spec&);
};

constexpr LayersOf all_models[] = {
    {"linear_regression",
     [](const Spec& m) { return std::vector{linear_layer(m.args.at("features"), m.args.at("targets"), "none")}; }},
    {"logistic_regression",
     [](const Spec& m) { return std::vector{linear_layer(m.args.at("features"), m.args.at("classes"), "none")}; }},
    {"mlp", mlp_layers},
    {"tiny_conv_net", conv_net_layers},
    {"linear", self},
    {"conv2d", self},
    {"mean_pool", self},
};

bool is_layer(const Spec& model) { return op_rule(model.op).kind == OpKind::model; }

}  // namespace

std::vector<Layer> layers_of(const Spec& model) {
  for (const LayersOf& entry : all_models)
    if (entry.model == model.op) return entry.layers(model);
  throw Error("spec.unknown-op", fmt::format("there is no model '{}'", model.op), to_string(model),
              "docs/language.md lists the models");
}

std::vector<Leaf> model_leaves(const Spec& model, Dtype dtype) {
  if (!is_layer(model)) return problem_leaves(model, dtype);
  if (model.op == "mean_pool") return {};
  if (model.op == "linear")
    return {{"w", {model.integer("features"), model.integer("outputs")}, dtype},
            {"b", {model.integer("outputs")}, dtype}};
  const std::int64_t channels = model.integer("channels"), kernel = model.integer("kernel");
  return {{"k", {channels, model.integer("images"), kernel, kernel}, dtype}, {"b", {channels}, dtype}};
}

Shape input_shape(const Spec& model) {
  if (!is_layer(model)) return input_shape(layers_of(model).front().spec);
  if (model.op == "linear") return {model.integer("features")};
  const std::int64_t size = model.integer("size");
  return {model.integer(model.op == "conv2d" ? "images" : "channels"), size, size};
}

Shape output_shape(const Spec& model) {
  if (!is_layer(model)) return output_shape(layers_of(model).back().spec);
  if (model.op == "linear") return {model.integer("outputs")};
  if (model.op == "mean_pool") return {model.integer("channels")};
  const std::int64_t size = model.integer("size") - (model.integer("kernel") % 2 == 0 ? 1 : 0);
  return {model.integer("channels"), size, size};
}

}  // namespace microstep
