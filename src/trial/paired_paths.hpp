#pragma once
// Which columns and counts of an accumulated run's trace are those of a large-batch run's.
#include <string>
#include <utility>
#include <vector>

#include "microstep/data/plan.hpp"

namespace microstep {

struct PairedPaths {
  /// `params/w` and `params/w`, `state/of[0]/mu/w` and `state/mu/w`.
  std::vector<std::pair<std::string, std::string>> columns, counts;
};
PairedPaths paired_paths(const Plan& accumulated, const Plan& reference);

}  // namespace microstep
