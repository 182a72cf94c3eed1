#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "layers/rules.hpp"

namespace microstep::layers {
namespace {

// What stands between commas behind the bracket at `open`, up to its counterpart, without blanks.
std::vector<std::string> arguments_behind(const std::string& code, std::size_t open) {
  std::vector<std::string> arguments(1);
  int depth = 1;
  for (std::size_t i = open + 1; i < code.size(); ++i) {
    const char c = code[i];
    depth += c == '(' || c == '{' || c == '[';
    depth -= c == ')' || c == '}' || c == ']';
    if (depth == 0) break;
    if (depth == 1 && c == ',')
      arguments.emplace_back();
    else if (c != ' ' && c != '\n')
      arguments.back() += c;
  }
  return arguments;
}

// Literals are blanked, not shortened, so an empty one is still told from others before blanks are dropped.
std::string with_filled_literals(std::string code) {
  for (bool inside = false; char& c : code) {
    if (c == '"') inside = !inside;
    if (inside && c == ' ') c = 'x';
  }
  return code;
}

std::vector<Violation> errors_have_places(const Rooms&, const SourceTree& tree) {
  static const std::regex made(R"(\b(File)?Error\s*[({])");
  std::vector<Violation> found;
  for (const SourceFile& file : tree) {
    if (!is_cpp(file) || file.path.starts_with("tests/") || file.path.starts_with("include/")) continue;
    const std::string code = with_filled_literals(code_of(file.text));
    for (std::sregex_iterator match(code.begin(), code.end(), made), end; match != end; ++match) {
      const auto open = static_cast<std::size_t>(match->position() + match->length()) - 1;
      const std::vector<std::string> arguments = arguments_behind(code, open);
      const auto line = std::count(code.begin(), code.begin() + match->position(), '\n') + 1;
      if (arguments.size() == 4 && (arguments[2] == "{}" || arguments[2] == "\"\""))
        found.push_back({fmt::format("{}:{}", file.path, line), "an Error without a place"});
    }
  }
  return found;
}

}  // namespace

std::vector<Rule> error_rules() { return {{"errors_have_places", errors_have_places}}; }

}  // namespace microstep::layers
