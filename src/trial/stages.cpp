#include "stages.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "accumulation.hpp"

namespace microstep {
namespace {

struct Walk {
  Stages stages;
  std::int64_t period = 1;

  // False where it cannot be told. step: microsteps between two gradients that come here.
  bool through(const Spec& spec, std::int64_t step) {
    if (!holds_accumulator(spec)) {
      for (const Spec& link : links_of(spec))
        stages.links.push_back({link, static_cast<double>(period), stages.divisor});
      return true;
    }
    if (spec.op == "masked") return false;
    if (op_rule(spec.op).accumulates) {
      const double* k = std::get_if<double>(&spec.args.at("k").data);
      if (!k) return false;
      step *= static_cast<std::int64_t>(*k);
      period = std::lcm(period, step);
      if (reduction_of(spec) != "sum") stages.divisor *= *k;
    }
    return std::ranges::all_of(spec.of, [&](const Spec& inner) { return through(inner, step); });
  }
};

}  // namespace

std::optional<Stages> stages_of(const Spec& spec) {
  Walk walk;
  if (!walk.through(spec, 1)) return std::nullopt;
  return walk.stages;
}

}  // namespace microstep
