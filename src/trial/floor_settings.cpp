// Which switches `floor` tries.
#include <fmt/format.h>

#include <algorithm>

#include "floor_run.hpp"
#include "microstep/data/error.hpp"
#include "microstep/kernels/switches.hpp"
#include "microstep/train/model.hpp"

namespace microstep {
namespace {

using Named = std::pair<std::string, std::string>;

bool has_layer(const Spec& model, std::string_view op) {
  return std::ranges::any_of(layers_of(model), [&](const Layer& layer) { return layer.spec.op == op; });
}

bool has_tanh(const Spec& model) {
  return std::ranges::any_of(layers_of(model), [](const Layer& layer) {
    const auto act = layer.spec.args.find("act");
    return act != layer.spec.args.end() && act->second == Value("tanh");
  });
}

std::vector<Named> own_switches(const Spec& model) {
  std::vector<Named> all;
  if (has_layer(model, "conv2d"))
    for (const char* path : {"direct", "im2col", "winograd2", "winograd4"}) all.emplace_back("conv2d", path);
  if (has_layer(model, "mean_pool")) all.emplace_back("reduction", "pairwise");
  if (model.op == "mean_pool") return all;
  all.emplace_back("matmul", "loops");
  for (const char* inputs : {"tf32", "bfloat16"}) all.emplace_back("matmul_inputs", inputs);
  if (has_tanh(model)) all.emplace_back("tanh", "scalar");
  return all;
}

// Every value of the switches that a port lists with commas.
std::vector<Named> declared_switches(const PortFacts& facts) {
  std::vector<Named> all;
  for (const auto& [name, values] : facts.switches) {
    for (std::size_t at = 0; at < values.size();) {
      const std::size_t end = std::min(values.find(", ", at), values.size());
      all.emplace_back(name, values.substr(at, end - at));
      at = end + 2;
    }
  }
  return all;
}

bool is_variable(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

void add_switch(FloorSetting& setting, const FloorRequest& request, const PortFacts& facts, const Named& named) {
  const auto& [name, value] = named;
  KernelPolicy policy;
  if (request.is_own) set_switch(policy, name, value);
  if (!setting.name.empty()) setting.name += " ";
  setting.name += name + "=" + value;
  if (facts.switches.contains(name))
    setting.switches[name] = value;
  else if (is_variable(name))
    setting.environment[name] = value;
  else
    throw Error("floor.unknown-switch", fmt::format("the port has no switch '{}', nor is it a variable's name", name),
                fmt::format("--switch {}={}", name, value),
                facts.switches.empty()
                    ? "the port declares none; variables are written in capitals"
                    : fmt::format("the first that it declares is {}", facts.switches.begin()->first));
}

FloorSetting combined(const FloorRequest& request, const PortFacts& facts, const std::vector<Named>& all) {
  FloorSetting setting;
  for (const Named& named : all) add_switch(setting, request, facts, named);
  return setting;
}

}  // namespace

std::vector<FloorSetting> settings_of(const FloorRequest& request, const PortFacts& facts) {
  if (request.combine && !request.switches.empty()) return {combined(request, facts, request.switches)};
  std::vector<Named> all = request.switches;
  if (all.empty()) all = request.is_own ? own_switches(request.model) : declared_switches(facts);
  std::vector<FloorSetting> settings;
  for (const Named& named : all) settings.push_back(combined(request, facts, {named}));
  return settings;
}

std::optional<FloorSetting> plain_setting(const FloorRequest& request, const std::vector<FloorSetting>& settings) {
  if (!request.switches.empty()) return settings.front();
  if (!request.is_own) return std::nullopt;
  return FloorSetting{"fast paths off", {{"conv2d", "im2col"}, {"matmul", "loops"}, {"tanh", "scalar"}}, {}};
}

}  // namespace microstep
