#pragma once
// Which ids can be file names.
#include <string>

namespace microstep {

/// Throws golden.bad-id.
void check_golden_id(const std::string& id, const std::string& place);

}  // namespace microstep
