#pragma once
// Causes by counterfactual: the spec that is the large batch by construction, and which of the steps that lead to it
// from the given spec cannot be left out.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/data/semantics.hpp"

namespace microstep {

/// `same` says whether a spec, in place of the accumulated one, is the reference's computation.
struct Repair {
  std::optional<Spec> equivalent;
  std::vector<std::string> causes;
};
Repair repair(const Plan& accumulated, const Plan& reference, const std::vector<std::vector<std::int64_t>>& windows,
              const std::function<bool(const Spec&)>& same);

/// How the accumulated plan, decided to be another computation than the reference, differs from it; never without a
/// cause.
Repair causes_against(const Plan& accumulated, const Plan& reference,
                      const std::vector<std::vector<std::int64_t>>& windows, const Semantics& decided);

/// The cause class of a link that runs in every microstep where it ought to run once a window.
std::string cause_of_link(const Spec& link);

}  // namespace microstep
