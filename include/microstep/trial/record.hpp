#pragma once
// Fills a folder of goldens from a library behind a port.
#include <functional>
#include <string>
#include <vector>

#include "microstep/data/semantics.hpp"
#include "microstep/golden/folder.hpp"
#include "microstep/json/protocol.hpp"
#include "microstep/trial/check.hpp"

namespace microstep {

// The experiments that are recorded from libraries, as a committed list (golden/*.experiments.json, schema
// microstep/experiments/1): each a recipe from which the plan follows, and the verdicts that were derived by hand.
/// A microbatch that is not finite: one element of the leaf of that name, or of the first one, in that microstep (from
/// 1).
struct Poison {
  std::int64_t microstep = 1;
  double value = 0;
  std::string leaf;
  std::int64_t element = 0;
};

struct Recipe {
  std::string id;
  std::string why;
  std::string source;
  std::vector<std::string> flags;
  Spec spec;
  Dtype dtype = Dtype::float32;
  /// plain: w [2, 3], b [3], s []; edge: w [3, 2], empty [0, 4], s []; one: w [1].
  std::string leaves = "plain";
  /// dyadic: 12 n / 2^6, so that means over 1 to 4 are exact, each element of one sign; mixed: the same with signs that
  /// change; scaled: full significands over four decades; zero: zeros.
  std::string draw = "dyadic";
  std::int64_t windows = 3;
  std::int64_t partial = 0;
  std::vector<Poison> poisons;
  std::vector<Role> roles = {Role::accumulated, Role::reference};
  /// Derived: the plans' sameness, the contracts that are broken, the library's named behaviours.
  Sameness plans = Sameness::same;
  std::vector<std::string> broken;
  std::vector<std::string> behaviours;
};

/// Throws FileError: json.*, spec.*, plan.*, recipe.*, contract.unknown, behaviour.unknown.
std::vector<Recipe> read_recipes(const std::string& text, const std::string& source);
/// The plans of the recipe's roles; gradients from the stream of the recipe's id, float facts those of the port.
Experiment experiment_of(const Recipe& recipe, const PortFacts& facts);

struct Recorded {
  std::string id;
  Written written = Written::unchanged;
  /// Under which the traces are faithful.
  std::vector<std::string> behaviours;
  /// What keeps it from being written: what was derived does not hold of the library.
  std::vector<std::string> problems;
  /// Why the port did not do it.
  std::string skipped;
  /// What the numbers of its traces are; none where not all were made.
  std::optional<Rounding> rounding = std::nullopt;
};

/// done: called after each experiment with how many are done.
std::vector<Recorded> record(const std::string& folder, const std::vector<Recipe>& recipes, const PortFacts& facts,
                             const Producer& port, const std::function<void(std::size_t)>& done);

/// The golden of one experiment, once its traces are as derived.
Golden golden_of(const Recipe& recipe, const Experiment& experiment, const PortFacts& facts,
                 const std::map<Role, Trace>& traces, const CheckedExperiment& checked,
                 const std::vector<std::string>& behaviours);

}  // namespace microstep
