#include "left_out.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace microstep {
namespace {

bool shows(const Trace& trace, std::int64_t row, const std::string& path) {
  auto column = trace.schema().find_column(path);
  return column && trace.presence(row, *column) != Presence::absent;
}

bool has_gradient(const Plan& plan, std::int64_t row, std::size_t leaf) {
  if (plan.problem.op != "replay") return true;
  return std::ranges::any_of(plan.batches[static_cast<std::size_t>(row - 1)], [&](std::int64_t index) {
    return plan.given[static_cast<std::size_t>(index)].gradient.presence(leaf) != Presence::absent;
  });
}

std::vector<std::string> missing_of(const Plan& plan, const Trace& trace, std::int64_t row) {
  std::vector<std::string> missing;
  for (const char* section : {"gradients", "updates", "params"})
    for (std::size_t leaf = 0; leaf < plan.params.leaf_count(); ++leaf) {
      const bool due =
          plan.params.presence(leaf) != Presence::absent && (section[0] == 'p' || has_gradient(plan, row, leaf));
      std::string path = fmt::format("{}/{}", section, plan.params.leaf(leaf).name);
      if (due && !shows(trace, row, path)) missing.push_back(std::move(path));
    }
  return missing;
}

}  // namespace

std::optional<std::string> left_out(const Plan& plan, const Trace& trace) {
  const auto rows = std::min(trace.microsteps(), static_cast<std::int64_t>(plan.batches.size()));
  for (std::int64_t row = 1; row <= rows; ++row)
    if (const auto missing = missing_of(plan, trace, row); !missing.empty())
      return fmt::format("the trace lacks {}, first in microstep {}; only state may be left out",
                         fmt::join(missing, ", "), row);
  return std::nullopt;
}

}  // namespace microstep
