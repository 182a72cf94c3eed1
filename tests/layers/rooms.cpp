#include "layers/rooms.hpp"

#include <regex>
#include <sstream>

#include "layers/source.hpp"

namespace microstep::layers {
namespace {

std::set<std::string> closure_of(const Rooms& rooms, const std::string& name, const std::string& arguments) {
  std::set<std::string> closure{name};
  std::istringstream words(arguments);
  bool uses = false;
  for (std::string word; words >> word;) {
    if (word == "USES" || word == "LINKS" || word == "PRIVATE_LINKS") {
      uses = word == "USES";
    } else if (uses) {
      closure.insert(rooms.at(word).begin(), rooms.at(word).end());
    }
  }
  return closure;
}

}  // namespace

Rooms parse_rooms(std::string_view cmake) {
  static const std::regex row(R"(^microstep_room\((\w+)\s*([^)]*)\))");
  Rooms rooms;
  for (const std::string& line : lines_of(cmake)) {
    std::smatch match;
    if (std::regex_search(line, match, row)) rooms[match[1]] = closure_of(rooms, match[1], match[2]);
  }
  return rooms;
}

std::string room_of(const Rooms& rooms, std::string_view path) {
  for (std::string_view prefix : {"include/microstep/", "src/", "tests/"}) {
    if (!path.starts_with(prefix)) continue;
    const std::string_view rest = path.substr(prefix.size());
    const std::string name(rest.substr(0, rest.find('/')));
    if (rooms.contains(name)) return name;
  }
  return {};
}

}  // namespace microstep::layers
