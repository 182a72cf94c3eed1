#pragma once
// Specs taken apart into links that run one after the other.
#include <functional>
#include <vector>

#include "microstep/data/spec.hpp"

namespace microstep {

/// The links of a spec without chains in chains or masks: a mask around a chain is one around each link.
std::vector<Spec> links_within(const Spec& spec);
/// The links that a link is made of: adamw is scale_by_adam, add_decayed_weights and scale. Itself where it is one.
std::vector<Spec> parts_of(const Spec& link);
/// The links with the steps from which each value of their schedules holds changed; of several up to 0 the last.
std::vector<Spec> with_steps(std::vector<Spec> links, const std::function<double(double)>& changed);

}  // namespace microstep
