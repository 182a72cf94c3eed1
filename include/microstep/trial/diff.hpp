#pragma once
// What changed in behaviour between two folders of goldens, and nothing that is only rounding.
#include <string>
#include <vector>

#include "microstep/golden/folder.hpp"

namespace microstep {

/// One change and where it shows.
struct BehaviourChange {
  /// `acc_grads: float64 -> float32`, `behaviour acc-float32`, `state.resume: holds -> broken`, ...
  std::string what;
  std::vector<std::string> experiments;
  /// The largest difference of the updates of these experiments.
  double largest = 0;
  double relative = 0;
  double ulps = 0;
  Dtype dtype = Dtype::float32;
  double before = 0;
  double after = 0;
};

/// An id that stands for another experiment in each folder; nothing of it is compared.
struct OtherExperiment {
  std::string id;
  /// What differs, such as `spec: sgd(0.1) → sgd(0.2)`, or `given` where values are too long to be said.
  std::vector<std::string> fields;
};

struct FolderDiff {
  std::vector<BehaviourChange> changes;
  std::vector<OtherExperiment> other_experiments;
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
  std::vector<Error> faults;
  std::int64_t compared = 0;
  /// Numbers whose bits differ though the new traces lie in the balls of the old behaviour; the largest share of a
  /// bound.
  std::int64_t rounding = 0;
  double largest_share = 0;
};

FolderDiff diff(const std::string& before, const std::string& after);

}  // namespace microstep
