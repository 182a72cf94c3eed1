#pragma once
// Causes where more than one accumulator stands in one chain: what comes out of all of them in their common window.
#include <functional>
#include <string>
#include <vector>

#include "accumulation.hpp"

namespace microstep {

/// `sum-mean` and `boundary`, as far as they hold. `same` as of repair(); the spec without chains in chains.
std::vector<std::string> causes_side_by_side(const Spec& spec, const Spec& reference, const Window& due,
                                             const std::function<bool(const Spec&)>& same);

}  // namespace microstep
