#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "layers/rules.hpp"

namespace microstep::layers {
namespace {

using Violations = std::vector<Violation>;

/// Words that must not stand in code (comments and literals may hold them).
Violations code_without(const std::regex& word, const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree) {
    if (!is_cpp(file)) continue;
    const auto lines = lines_of(code_of(file.text));
    for (size_t i = 0; i < lines.size(); ++i) {
      std::smatch match;
      if (std::regex_search(lines[i], match, word))
        found.push_back({file.path + ":" + fmt::to_string(i + 1), match.str()});
    }
  }
  return found;
}

Rule banned(const std::string& id, const std::string& words) {
  return {id, [word = std::regex(words)](const Rooms&, const SourceTree& tree) { return code_without(word, tree); }};
}

Violations files_named_by_what_they_hold(const Rooms&, const SourceTree& tree) {
  static const std::regex word(R"((/|_)(utils?|common)[/.]|/details?[/.])");
  Violations found;
  for (const SourceFile& file : tree) {
    if (std::regex_search(file.path, word)) found.push_back({file.path, "is named by no noun"});
  }
  return found;
}

bool has_pragma_once(const SourceFile& file) {
  const auto lines = lines_of(without_comments_and_literals(file.text));
  return std::find(lines.begin(), lines.end(), "#pragma once") != lines.end();
}

Violations headers_once(const Rooms&, const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree) {
    if (is_header(file) && !has_pragma_once(file)) found.push_back({file.path, "has no #pragma once"});
  }
  return found;
}

}  // namespace

std::vector<Rule> word_rules() {
  return {
      {"files_named_by_what_they_hold", files_named_by_what_they_hold},
      {"headers_once", headers_once},
      banned("no_setlocale", R"(\bsetlocale\b|\blocale::global\b)"),
      banned("no_std_to_string", R"(\bstd::to_string\b)"),
      banned("no_typed_tolerance", R"(\b(EXPECT|ASSERT)_(NEAR|FLOAT_EQ|DOUBLE_EQ)\b|\bisApprox\w*)"),
      banned("no_normal_distribution", R"(\bnormal_distribution\b)"),
  };
}

std::vector<Rule> all_rules() {
  std::vector<Rule> rules = include_rules();
  for (const auto& more : {size_rules(), word_rules(), error_rules()})
    rules.insert(rules.end(), more.begin(), more.end());
  return rules;
}

}  // namespace microstep::layers
