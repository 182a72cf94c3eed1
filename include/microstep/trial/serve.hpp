#pragma once
// Ourselves as a port: one answer a request line.
#include <string>

namespace microstep {

struct Served {
  std::string answer;
  bool stops = false;
};
/// Never throws for a bad request: the answer is then `errored`.
Served serve_line(const std::string& line);

}  // namespace microstep
