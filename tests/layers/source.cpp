#include "layers/source.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace microstep::layers {
namespace {

namespace fs = std::filesystem;

bool word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void blank(std::string& text, size_t from, size_t to) {
  for (size_t i = from; i < std::min(to, text.size()); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

size_t after(std::string_view text, std::string_view what, size_t from) {
  const size_t found = text.find(what, from);
  return found == std::string_view::npos ? text.size() : found + what.size();
}

/// `open` is the index of the quote; returns the index behind the closing one.
size_t end_of_literal(std::string_view text, size_t open) {
  size_t i = open + 1;
  while (i < text.size() && text[i] != text[open] && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

size_t end_of_raw_literal(std::string_view text, size_t open) {
  const size_t bracket = text.find('(', open);
  if (bracket == std::string_view::npos) return text.size();
  const std::string close = ")" + std::string(text.substr(open + 1, bracket - open - 1)) + "\"";
  return after(text, close, bracket);
}

bool opens_character(std::string_view text, size_t i) {
  const bool digit_separator =
      i > 0 && word_character(text[i - 1]) && i + 1 < text.size() && word_character(text[i + 1]);
  return text[i] == '\'' && (!digit_separator || text.substr(i - 1, 1).find_first_of("uUL") == 0);
}

bool opens_raw(std::string_view text, size_t i) { return text[i] == '"' && i > 0 && text[i - 1] == 'R'; }

/// Where the comment or literal that starts at `i` ends, or `i` when none starts there.
size_t end_of_dead_text(std::string_view text, size_t i) {
  if (text.substr(i, 2) == "//") return std::min(text.find('\n', i), text.size());
  if (text.substr(i, 2) == "/*") return after(text, "*/", i + 2);
  if (opens_raw(text, i)) return end_of_raw_literal(text, i);
  if (text[i] == '"' || opens_character(text, i)) return end_of_literal(text, i);
  return i;
}

bool is_source(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".hpp" || extension == ".h" || extension == ".cpp" || extension == ".py";
}

bool is_directive(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '#';
}

}  // namespace

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

SourceTree load_tree(const fs::path& root) {
  SourceTree tree;
  for (const char* folder : {"include", "src", "tools", "tests"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      tree.push_back({entry.path().lexically_relative(root).generic_string(), read_text(entry.path())});
    }
  }
  std::sort(tree.begin(), tree.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return tree;
}

bool is_header(const SourceFile& file) { return file.path.ends_with(".hpp") || file.path.ends_with(".h"); }

bool is_cpp(const SourceFile& file) { return is_header(file) || file.path.ends_with(".cpp"); }

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string without_comments_and_literals(std::string_view text) {
  std::string result(text);
  for (size_t i = 0; i < text.size();) {
    const size_t end = end_of_dead_text(text, i);
    const bool literal = text[i] == '"' || text[i] == '\'';
    blank(result, literal ? i + 1 : i, literal ? end - 1 : end);
    i = std::max(end, i + 1);
  }
  return result;
}

std::string code_of(std::string_view text) {
  std::string result;
  bool directive = false;
  for (std::string& line : lines_of(without_comments_and_literals(text))) {
    directive = directive || is_directive(line);
    const bool continued = directive && line.ends_with('\\');
    if (directive) blank(line, 0, line.size());
    directive = continued;
    result += line + '\n';
  }
  return result;
}

std::vector<std::string> includes_of(const SourceFile& file) {
  std::vector<std::string> names;
  const auto raw = lines_of(file.text);
  const auto live = lines_of(without_comments_and_literals(file.text));
  for (size_t i = 0; i < live.size(); ++i) {
    if (!is_directive(live[i]) || live[i].find("include") == std::string::npos) continue;
    const size_t open = raw[i].find_first_of("<\"");
    const size_t close = open == std::string::npos ? open : raw[i].find_first_of(">\"", open + 1);
    if (close != std::string::npos) names.push_back(raw[i].substr(open + 1, close - open - 1));
  }
  return names;
}

}  // namespace microstep::layers
