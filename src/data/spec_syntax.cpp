#include "spec_syntax.hpp"

#include <fmt/format.h>

#include "microstep/data/error.hpp"
#include "spec_rules.hpp"

namespace microstep {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_of_number(char c) { return is_digit(c) || c == '.'; }

int hexadecimal(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Nesting of calls and of lists, each with its own limit: a schedule may stand in the deepest spec.
struct Depth {
  int calls = 0, lists = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { skip_spaces(); }

  Syntax whole_call() {
    if (at_end()) fail(position_, "the text is empty", "write an op, such as adam(0.1)");
    if (!is_letter(peek()))
      fail(position_, "expected the name of an op, found " + found(), "write for example adam(0.1)");
    return whole_value();
  }

  Syntax whole_value() {
    Syntax read = value({});
    if (!at_end()) fail(position_, "expected the end of the text, found " + found(), "remove what follows");
    return read;
  }

 private:
  bool at_end() const { return position_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[position_]; }
  bool at(char c) const { return !at_end() && text_[position_] == c; }

  void skip_spaces() {
    while (!at_end() && is_space(text_[position_])) ++position_;
  }

  bool take(char c) {
    if (!at(c)) return false;
    ++position_;
    skip_spaces();
    return true;
  }

  [[noreturn]] void fail(std::size_t offset, std::string message, std::string next) const {
    fail_at(text_, offset, "spec.syntax", std::move(message), std::move(next));
  }

  std::string found() const { return at_end() ? "the end of the text" : shown(text_.substr(position_, 1)); }

  [[noreturn]] void fail_too_deep(std::size_t offset) const {
    const Fault fault = too_deep();
    fail_at(text_, offset, fault.id, fault.message, fault.next);
  }

  Syntax value(Depth depth) {
    const char c = peek();
    if (at('[')) return list(depth);
    if (c == '"' || c == '\'') return string();
    if (is_of_number(c) || c == '-') return number();
    if (is_letter(c)) return word_or_call(depth);
    fail(position_, "expected a value, found " + found(),
         "a value is a number, true, false, a name, a \"string\", a [list] or an op");
  }

  std::string word() {
    const std::size_t begin = position_;
    while (is_letter(peek()) || is_digit(peek())) ++position_;
    std::string read(text_.substr(begin, position_ - begin));
    skip_spaces();
    return read;
  }

  Syntax word_or_call(Depth depth) {
    const std::size_t begin = position_;
    Syntax read{Syntax::Kind::word, begin, word(), {}};
    if (!at('(')) return read;
    if (++depth.calls > deepest_spec) fail_too_deep(begin);
    read.kind = Syntax::Kind::call;
    read.arguments = arguments('(', ')', depth);
    return read;
  }

  Syntax list(Depth depth) {
    const std::size_t begin = position_;
    if (++depth.lists > deepest_spec) fail_too_deep(begin);
    return {Syntax::Kind::list, begin, {}, arguments('[', ']', depth)};
  }

  std::vector<SyntaxArgument> arguments(char open, char close, Depth depth) {
    const std::size_t begin = position_;
    std::vector<SyntaxArgument> read;
    take(open);
    if (take(close)) return read;
    do read.push_back(argument(depth, open == '('));
    while (take(','));
    if (take(close)) return read;
    if (at_end()) fail(begin, fmt::format("this '{}' is never closed", open), fmt::format("add '{}'", close));
    fail(position_, fmt::format("expected ',' or '{}', found {}", close, found()),
         open == '(' ? "arguments are written (0.1, b1=0.9)" : "lists are written [a, b]");
  }

  SyntaxArgument argument(Depth depth, bool may_be_named) {
    const std::size_t begin = position_;
    Syntax first = value(depth);
    if (!may_be_named || first.kind != Syntax::Kind::word || !take('=')) return {{}, begin, std::move(first)};
    return {std::move(first.text), begin, value(depth)};
  }

  void digits() {
    while (is_digit(peek())) ++position_;
  }

  Syntax number() {
    const std::size_t begin = position_;
    if (at('-')) ++position_;
    if (is_letter(peek())) return minus_word(begin);
    const std::size_t first = position_;
    digits();
    if (at('.')) ++position_, digits();
    if (position_ == first || text_.substr(first, position_ - first) == ".")
      fail(begin, "expected digits", "write a number such as -0.5 or 1e-8");
    exponent(begin);
    if (is_letter(peek()) || at('.'))
      fail(position_, "unexpected " + found() + " in a number", "write a decimal number");
    return finished_number(begin);
  }

  /// `-inf` and the like are read here and refused by the range.
  Syntax minus_word(std::size_t begin) {
    while (is_letter(peek())) ++position_;
    if (!number_from(text_.substr(begin, position_ - begin))) fail(begin, "expected digits after '-'", "write -0.5");
    return finished_number(begin);
  }

  void exponent(std::size_t begin) {
    if (!at('e') && !at('E')) return;
    ++position_;
    if (at('-') || at('+')) ++position_;
    if (!is_digit(peek())) fail(begin, "expected digits after the e of the number", "write for example 1e-8");
    digits();
  }

  Syntax finished_number(std::size_t begin) {
    std::string read(text_.substr(begin, position_ - begin));
    skip_spaces();
    return {Syntax::Kind::number, begin, std::move(read), {}};
  }

  Syntax string() {
    const std::size_t begin = position_;
    const char quote = text_[position_++];
    std::string read;
    while (!at(quote)) {
      if (at_end()) fail(begin, "this string is never closed", fmt::format("add {}", quote));
      read += at('\\') ? escape() : text_[position_++];
    }
    ++position_;
    skip_spaces();
    return {Syntax::Kind::string, begin, std::move(read), {}};
  }

  char escape() {
    const std::size_t begin = position_++;
    const char c = peek();
    if (c == '\\' || c == '"' || c == '\'') return text_[position_++];
    if (c == 'x' && position_ + 2 < text_.size()) {
      const int high = hexadecimal(text_[position_ + 1]), low = hexadecimal(text_[position_ + 2]);
      position_ += 3;
      if (high >= 0 && low >= 0) return static_cast<char>(high * 16 + low);
    }
    fail(begin, "unknown escape in a string", R"(escapes are \\, \", \' and \xHH)");
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

Syntax read_call(std::string_view text) { return Reader(text).whole_call(); }
Syntax read_value(std::string_view text) { return Reader(text).whole_value(); }

void fail_at(std::string_view text, std::size_t offset, std::string id, std::string message, std::string next) {
  constexpr std::size_t before = 48, after = 32;
  const std::size_t first = offset > before ? offset - before : 0;
  const std::string head = (first > 0 ? "..." : "") + escaped(text.substr(first, offset - first));
  const std::string_view rest = text.substr(offset);
  const std::string tail = escaped(rest.substr(0, after)) + (rest.size() > after ? "..." : "");
  throw Error(std::move(id), std::move(message),
              fmt::format("column {}\n    {}{}\n    {}^", offset + 1, head, tail, std::string(head.size(), ' ')),
              std::move(next));
}

}  // namespace microstep
