#include "layers/functions.hpp"

#include <map>
#include <regex>

#include "layers/source.hpp"

namespace microstep::layers {
namespace {

enum class Block { scope, function, value };

/// Patterns are literals of this file, so their addresses name them.
bool matches(const std::string& head, const char* pattern) {
  static std::map<const char*, std::regex> compiled;
  return std::regex_search(head, compiled.try_emplace(pattern, pattern).first->second);
}

/// `a_{1}` in `Type(int x) : a_{1}, b_(x) {`: a brace behind a name while a member list is open.
bool is_member_value(const std::string& head) { return matches(head, R"(\)\s*(noexcept\s*)?:[^:].*[\w>]\s*$)"); }

/// A parameter list, or none, behind `requires`; `requires (A && B)` in front of a body is a clause and no expression.
bool is_requires_expression(const std::string& head) {
  return matches(head, R"(requires\s*(\(([^()]*\w[&*]*\s+[&*]*\w+)\s*\))?\s*$)");
}

std::string without_template_arguments(const std::string& head) {
  static const std::regex symbol(R"(operator\s*([-+*/<>=!&|^~%]+))");
  std::string result;
  int depth = 0;
  for (char c : std::regex_replace(head, symbol, "operator_")) {
    depth += c == '<';
    if (depth == 0) result += c;
    depth -= c == '>' && depth > 0;
  }
  return result;
}

Block kind_of(const std::string& head) {
  if (is_requires_expression(head) || is_member_value(head)) return Block::value;
  const std::string plain = without_template_arguments(head);
  if (matches(plain, R"(^\s*(template\s*)?(requires\s.*)?(inline\s+)?(namespace|extern)\b)")) return Block::scope;
  if (matches(
          plain,
          R"(^\s*(template\s*)?(requires\s.*)?(typedef\s+)?(class|struct|union|enum)\b(\s*alignas\([^)]*\))?[^(]*$)")) {
    return Block::scope;
  }
  if (matches(plain, R"(=\s*\[.*\].*$)")) return Block::function;
  if (matches(plain, R"([^=!<>]=\s*[\w:]*\s*$)")) return Block::value;
  return plain.find('(') == std::string::npos ? Block::value : Block::function;
}

/// Walks the braces once. `head` is the text since the last statement or block ended at the current scope.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : code_(code_of(text)) {}

  std::vector<Function> scan() {
    for (at_ = 0; at_ < code_.size(); ++at_) step(code_[at_]);
    return found_;
  }

 private:
  void step(char c) {
    if (c == '\n') ++line_;
    brackets_ += (c == '(') - (c == ')');
    if (c == '{') return open();
    if (c == '}' || (c == ';' && brackets_ == 0)) return restart();
    const bool blank = c == ' ' || c == '\n';
    if (head_.empty() && blank) return;
    if (head_.empty()) head_line_ = line_;
    head_ += blank ? ' ' : c;
    if (matches_access_label()) restart();
  }

  bool matches_access_label() const { return head_ == "public:" || head_ == "private:" || head_ == "protected:"; }

  void open() {
    const Block kind = brackets_ > 0 ? Block::value : kind_of(head_);
    if (kind == Block::scope) return restart();
    skip_block();
    if (kind == Block::value) {
      head_ += '}';
      return;
    }
    found_.push_back({head_, head_line_, line_ - head_line_ + 1});
    restart();
  }

  void skip_block() {
    int depth = 1;
    while (depth > 0 && ++at_ < code_.size()) {
      line_ += code_[at_] == '\n';
      depth += (code_[at_] == '{') - (code_[at_] == '}');
    }
  }

  void restart() {
    head_.clear();
    brackets_ = 0;
  }

  std::string code_;
  std::string head_;
  std::vector<Function> found_;
  size_t at_ = 0;
  int line_ = 1;
  int head_line_ = 1;
  int brackets_ = 0;
};

}  // namespace

std::vector<Function> functions_of(std::string_view text) { return Scanner(text).scan(); }

bool is_test(const Function& function) {
  return matches(function.head, R"(^\s*(TYPED_)?TEST(_F|_P)?\s*\(|^\s*RC_GTEST\w*\s*\()");
}

}  // namespace microstep::layers
