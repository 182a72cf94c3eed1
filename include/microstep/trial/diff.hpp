#pragma once
// What changed in behaviour between two folders of goldens, and nothing that is only rounding.
#include <string>
#include <vector>

#include "microstep/golden/folder.hpp"
#include "microstep/judge/rounding.hpp"

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

/// A leaf whose numbers differ between the folders, all of them in the balls of their own steps.
struct LeafRounding {
  std::string experiment;
  Role role = Role::accumulated;
  std::string path;
  std::int64_t numbers = 0;
  /// The largest share of a bound that a differing number uses, in either folder, and where.
  double share = 0;
  std::string place;
};

struct FolderDiff {
  std::vector<BehaviourChange> changes;
  /// Of the experiments without a change, by experiment, role and column.
  std::vector<LeafRounding> leaves;
  std::vector<OtherExperiment> other_experiments;
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
  std::vector<Error> faults;
  std::int64_t compared = 0;
};

/// semantic where behaviour changed, undecidable where nothing was compared; else of the numbers that differ.
Rounding rounding_in(const FolderDiff& diff);

FolderDiff diff(const std::string& before, const std::string& after);

}  // namespace microstep
