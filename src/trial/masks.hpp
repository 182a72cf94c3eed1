#pragma once
// Masks that say nothing: globs that no leaf matches.
#include <string>
#include <vector>

#include "microstep/data/spec.hpp"
#include "microstep/data/tree.hpp"

namespace microstep {

/// One line for each such glob, with the nearest leaf name, or all of them where none is near. Throws plan.mask for a
/// mask of which no glob matches.
std::vector<std::string> unmatched_globs(const Spec& spec, const Layout& layout);

}  // namespace microstep
