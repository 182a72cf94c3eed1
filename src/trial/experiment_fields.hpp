#pragma once
// Do two experiments run the same thing? What a port declares of its floats is a fact of the library, not asked here.
#include <map>
#include <string>
#include <vector>

#include "microstep/data/plan.hpp"

namespace microstep {

/// Each field of the plans that differs, once; `role: field`, the role of accumulated is left out.
std::vector<std::string> differing_fields(const std::map<Role, Plan>& before, const std::map<Role, Plan>& after);

}  // namespace microstep
