#pragma once
// Fills a folder of goldens from a library behind a port.
#include <functional>
#include <string>
#include <vector>

#include "microstep/golden/folder.hpp"
#include "microstep/trial/check.hpp"
#include "microstep/trial/recipe.hpp"

namespace microstep {

struct Recorded {
  std::string id;
  Written written = Written::unchanged;
  /// Under which the traces are faithful.
  std::vector<std::string> behaviours;
  /// What keeps it from being written: what was derived does not hold of the library.
  std::vector<std::string> problems;
  /// Why the port did not do it.
  std::string skipped;
};

/// done: called after each experiment with how many are done.
std::vector<Recorded> record(const std::string& folder, const std::vector<Recipe>& recipes, const PortFacts& facts,
                             const Producer& port, const std::function<void(std::size_t)>& done);

/// The golden of one experiment, once its traces are as derived.
Golden golden_of(const Recipe& recipe, const Experiment& experiment, const PortFacts& facts,
                 const std::map<Role, Trace>& traces, const CheckedExperiment& checked,
                 const std::vector<std::string>& behaviours);

}  // namespace microstep
