#pragma once
// What version control leaves in a file that two branches changed.
#include <string>
#include <string_view>

namespace microstep {

/// Does a line begin as one of its markers?
bool has_merge_marker(std::string_view text);
/// Throws golden.merge-conflict.
[[noreturn]] void refuse_merge_conflict(const std::string& place);

}  // namespace microstep
