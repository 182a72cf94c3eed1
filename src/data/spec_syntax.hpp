#pragma once
// The text of a spec as a tree of positions; knows the grammar and no op.
#include <string>
#include <string_view>
#include <vector>

namespace microstep {

struct SyntaxArgument;

/// `word` is a call without parentheses, a name or true/false: the argument it stands for decides. Numbers and words
/// hold their text, strings the text without quotes and escapes. Lists hold unnamed arguments.
struct Syntax {
  enum class Kind { number, word, string, list, call };
  Kind kind;
  std::size_t begin;
  std::string text;
  std::vector<SyntaxArgument> arguments;
};

struct SyntaxArgument {
  std::string name;
  std::size_t begin;
  Syntax value;
};

/// Throws spec.syntax and spec.too-deep. `read_value` reads one value, the other one call.
Syntax read_call(std::string_view text);
Syntax read_value(std::string_view text);

/// Throws Error whose place shows the text, cut around the offset, and a caret under it.
[[noreturn]] void fail_at(std::string_view text, std::size_t offset, std::string id, std::string message,
                          std::string next);

}  // namespace microstep
