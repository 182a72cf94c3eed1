#include <fmt/format.h>

#include <algorithm>

#include "layers/functions.hpp"
#include "layers/rules.hpp"

namespace microstep::layers {
namespace {

using Violations = std::vector<Violation>;

constexpr int longest_file = 250;
constexpr int longest_port = 150;
constexpr int longest_function = 40;
constexpr int longest_test = 25;
constexpr int longest_median_function = 8;
constexpr int most_headers = 8;

std::string over(int count, int limit, const std::string& what) {
  return fmt::to_string(count) + " " + what + ", at most " + fmt::to_string(limit);
}

Violations short_files(const Rooms&, const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree) {
    const int count = static_cast<int>(lines_of(file.text).size());
    const int limit = file.path.ends_with("_port.py") ? longest_port : longest_file;
    if (count > limit) found.push_back({file.path, over(count, limit, "lines")});
  }
  return found;
}

Violations functions_over(const SourceTree& tree, int limit, bool tests) {
  Violations found;
  for (const SourceFile& file : tree) {
    if (!is_cpp(file)) continue;
    for (const Function& function : functions_of(file.text)) {
      if (is_test(function) != tests || function.lines <= limit) continue;
      found.push_back({file.path + ":" + fmt::to_string(function.line),
                       over(function.lines, limit, "lines") + ": " + function.head});
    }
  }
  return found;
}

Violations short_functions(const Rooms&, const SourceTree& tree) {
  return functions_over(tree, longest_function, false);
}

Violations short_tests(const Rooms&, const SourceTree& tree) { return functions_over(tree, longest_test, true); }

Violations short_median_function(const Rooms&, const SourceTree& tree) {
  std::vector<int> lengths;
  for (const SourceFile& file : tree) {
    if (!is_cpp(file) || file.path.starts_with("tests/")) continue;
    for (const Function& function : functions_of(file.text)) lengths.push_back(function.lines);
  }
  if (lengths.empty()) return {};
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  if (*middle <= longest_median_function) return {};
  return {{"include, src, tools", over(*middle, longest_median_function, "lines in the median function")}};
}

Violations few_headers(const Rooms& rooms, const SourceTree& tree) {
  std::map<std::string, int> headers;
  for (const SourceFile& file : tree) {
    if (file.path.starts_with("include/")) ++headers[room_of(rooms, file.path)];
  }
  headers.erase("optim");  // one an op
  headers.erase("trial");  // one a command
  Violations found;
  for (const auto& [room, count] : headers) {
    if (count > most_headers) found.push_back({room, over(count, most_headers, "public headers")});
  }
  return found;
}

}  // namespace

std::vector<Rule> size_rules() {
  return {
      {"short_files", short_files}, {"short_functions", short_functions},
      {"short_tests", short_tests}, {"short_median_function", short_median_function},
      {"few_headers", few_headers},
  };
}

}  // namespace microstep::layers
