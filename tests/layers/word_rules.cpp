#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "layers/rules.hpp"

namespace microstep::layers {
namespace {

using Violations = std::vector<Violation>;

/// Words that must not stand in code (comments and literals may hold them); of Python all lines are code.
Violations code_without(const std::regex& word, const SourceTree& tree, bool python = false) {
  Violations found;
  for (const SourceFile& file : tree) {
    if (is_cpp(file) == python) continue;
    const auto lines = lines_of(python ? file.text : code_of(file.text));
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

Rule banned_in_python(const std::string& id, const std::string& words) {
  return {id,
          [word = std::regex(words)](const Rooms&, const SourceTree& tree) { return code_without(word, tree, true); }};
}

// A comparison of units in the last place, either way round.
constexpr const char* decides_by_ulps =
    R"(\bulps?(_distance)?(\([^;{}]*\))?\)*\s[<>]=?\s|\s[<>]=?\s+[\w.:]*\bulps?(_distance)?\b)"
    R"(|\b(EXPECT|ASSERT)_[LG][TE]\([^;]*\bulps?)";

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
      banned(
          "no_typed_tolerance",
          R"(\b(EXPECT|ASSERT)_(NEAR|FLOAT_EQ|DOUBLE_EQ)\b|\bisApprox\w*|\b(r|a|rel_|abs_)tol\b|tolerance|constexpr double \w*(share|slack)\b)"),
      banned("no_ulp_decides", decides_by_ulps),
      banned_in_python(
          "no_typed_tolerance_in_python",
          R"(\b[ra]tol\b|\b(assert_)?(all|is)_?close\b|\bapprox\(|assert_array_almost|assertAlmost|tolerance)"),
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
