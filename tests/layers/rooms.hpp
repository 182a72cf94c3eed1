#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace microstep::layers {

/// Room → every room whose headers it may include: itself and the transitive closure of its USES.
using Rooms = std::map<std::string, std::set<std::string>>;

/// Reads the `microstep_room(name USES ... LINKS ...)` lines of cmake/rooms.cmake. A room uses only rooms above it.
Rooms parse_rooms(std::string_view cmake);

/// The room a path belongs to: include/microstep/R/, src/R/ or tests/R/ with R in the table; else empty.
std::string room_of(const Rooms& rooms, std::string_view path);

}  // namespace microstep::layers
