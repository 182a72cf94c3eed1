#include "floor_run.hpp"

#include <fmt/format.h>

#include <cmath>

#include "microstep/data/error.hpp"

namespace microstep {
namespace {

ProcessOptions with_environment(ProcessOptions options, const FloorSetting& setting) {
  for (const auto& [name, value] : setting.environment) options.environment[name] = value;
  return options;
}

std::string not_finite(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      return fmt::format("floor.not-finite: output {} is not finite, though all inputs and params are", i);
  return {};
}

}  // namespace

FloorProcess::FloorProcess(const FloorRequest& request, FloorSetting setting)
    : setting_(std::move(setting)),
      session_(std::make_unique<PortSession>(request.port, with_environment(request.options, setting_))) {}

FloorProcess::~FloorProcess() { session_->stop(); }

Ran FloorProcess::batched(Forward forward) {
  forward.switches = setting_.switches;
  ForwardAnswer answer = session_->forward(forward, due_shape(forward));
  if (auto* skipped = std::get_if<Skipped>(&answer)) return {{}, {}, "skipped: " + skipped->reason};
  if (auto* errored = std::get_if<Errored>(&answer)) return {{}, {}, errored->id + ": " + errored->message};
  auto& outputs = std::get<Outputs>(answer);
  std::string trouble = not_finite(outputs.outputs.values);
  return {std::move(outputs.outputs.values), std::move(outputs.kernels), std::move(trouble)};
}

Ran FloorProcess::alone(const Forward& forward, std::int64_t rows) {
  Ran all;
  for (std::int64_t row = 0; row < rows; ++row) {
    Ran one = batched(one_row(forward, row));
    if (!one.trouble.empty()) return one;
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    all.kernels = std::move(one.kernels);
  }
  return all;
}

}  // namespace microstep
