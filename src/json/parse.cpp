#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "microstep/data/error.hpp"
#include "node.hpp"
#include "utf8.hpp"

namespace microstep {
namespace {

using Node = Document::Node;
using Kind = Document::Kind;

constexpr std::size_t deepest = 64;

std::size_t line_start(std::string_view text, std::size_t at) {
  std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

/// `file:3:14`, the line (at most 60 bytes around the column) and a caret below the column.
std::string place_of(std::string_view text, const std::string& source, std::size_t at) {
  at = std::min(at, text.size());
  std::size_t start = line_start(text, at);
  auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  std::size_t column = at - start;
  std::size_t from = column > 40 ? at - 40 : start;
  std::string shown(text.substr(from, std::min(text.find('\n', from), from + 60) - from));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  std::string named = source.empty() ? "" : source + ":";
  return fmt::format("{}{}:{}\n    {}\n    {:>{}}", named, line, column + 1, shown, '^', at - from + 1);
}

bool begins_line(std::string_view text, std::string_view marker) {
  return text.starts_with(marker) || text.find("\n" + std::string(marker)) != std::string_view::npos;
}

void check_bytes(std::string_view text, const std::string& source) {
  if (text.starts_with("\xEF\xBB\xBF"))
    throw Error("json.byte-order-mark", "the text begins with a byte order mark", place_of(text, source, 0),
                "save it as UTF-8 without one");
  if (std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    throw Error("json.nul-byte", fmt::format("byte {} is NUL", nul), place_of(text, source, nul),
                "write UTF-8 text, without padding");
  if (std::size_t fault = utf8::first_fault(text); fault != std::string_view::npos)
    throw Error("json.invalid-utf8", fmt::format("byte {} is not UTF-8", fault), place_of(text, source, fault),
                "save it as UTF-8");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw Error("json.empty", "there is nothing in it", source, "write it anew");
}

/// Builds nodes while nlohmann reads; keeps the characters of numbers, -0 and big integers included.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& source) : text_(text), source_(source) {}
  Node take() { return std::move(root_); }

  bool null() override { return add({Kind::null, false, {}, {}, {}}); }
  bool boolean(bool value) override { return add({Kind::truth, value, {}, {}, {}}); }
  bool number_integer(number_integer_t value) override {
    return add({Kind::number, false, value == 0 ? "-0" : fmt::format("{}", value), {}, {}});
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add({Kind::number, false, fmt::format("{}", value), {}, {}});
  }
  bool number_float(number_float_t, const string_t& text) override { return add({Kind::number, false, text, {}, {}}); }
  bool string(string_t& value) override { return add({Kind::text, false, std::move(value), {}, {}}); }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& name) override {
    open_.back()->keys.push_back(std::move(name));
    return true;
  }
  bool start_object(std::size_t) override { return descend(Kind::object); }
  bool start_array(std::size_t) override { return descend(Kind::list); }
  bool end_object() override {
    refuse_duplicates(*open_.back());
    return end_array();
  }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override;

 private:
  Node* place(Node&& node) {
    if (open_.empty()) return &(root_ = std::move(node));
    return &open_.back()->items.emplace_back(std::move(node));
  }
  bool add(Node&& node) {
    place(std::move(node));
    return true;
  }
  bool descend(Kind kind) {
    if (open_.size() == deepest)
      throw Error("json.too-deep", fmt::format("more than {} levels", deepest), source_, "flatten it");
    open_.push_back(place({kind, false, {}, {}, {}}));
    return true;
  }
  void refuse_duplicates(const Node& object) const;
  [[noreturn]] void refuse(const std::string& id, const std::string& message, std::size_t at,
                           const std::string& next) const {
    throw Error(id, message, place_of(text_, source_, at), next);
  }

  std::string_view text_;
  const std::string& source_;
  Node root_;
  std::vector<Node*> open_;
};

void Builder::refuse_duplicates(const Node& object) const {
  std::vector<std::string_view> keys(object.keys.begin(), object.keys.end());
  std::sort(keys.begin(), keys.end());
  auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return;
  throw Error("json.duplicate-key", "the key \"" + std::string(*twice) + "\" stands twice",
              source_ + '#' + pointer_to(root_, &object), "keep one of them");
}

bool is_bare_special(std::string_view rest) {
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  for (std::string_view name : {"NaN", "nan", "Infinity", "Inf", "inf"})
    if (rest.starts_with(name)) return true;
  return false;
}

/// nlohmann's sentence without its id, its own place and the token, which the caret shows.
std::string sentence_of(const std::string& what) {
  std::size_t column = what.find(": ");
  std::string sentence = column == std::string::npos ? what : what.substr(column + 2);
  std::size_t token = sentence.find("; last read: '");
  return token == std::string::npos ? sentence : sentence.erase(token, sentence.rfind('\'') + 1 - token);
}

bool in_token(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '+' || c == '.'; }

/// The first byte of the word or number that ends at `at` or just before it.
std::size_t token_start(std::string_view text, std::size_t at) {
  while (at > 0 && in_token(text[at - 1])) --at;
  return at;
}

bool Builder::parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) {
  std::string what = sentence_of(error.what());
  std::size_t at = std::min(position == 0 ? 0 : position - 1, text_.size());
  bool broken = what.find("invalid literal") != std::string::npos || what.find("invalid number") != std::string::npos;
  if (broken || error.id == 406) at = token_start(text_, at);
  if (begins_line(text_, "<<<<<<<"))
    refuse("json.merge-conflict", "git merge markers are in it", text_.find("<<<<<<<"), "resolve the merge first");
  if (broken && is_bare_special(text_.substr(at)))
    refuse("json.bare-nan", "a bare NaN or Infinity is not JSON", at,
           "Python's json writes it: write \"NaN\", \"Infinity\" or \"-Infinity\" as strings");
  if (error.id == 406)
    refuse("json.number-out-of-range", token + " is beyond the largest float64", at,
           "write \"Infinity\" if it is meant");
  if (what.find("surrogate") != std::string::npos)
    refuse("json.invalid-utf8", fmt::format("byte {} ends the escape of a lone surrogate", at), at,
           "escape the whole pair, or write UTF-8");
  if (what.find("; expected end of input") != std::string::npos)
    refuse("json.trailing-text", "text follows the end of the document", at,
           "one document a file, one a line of a port");
  refuse("json.invalid-json", what, at, "mend it there; python3 -m json.tool reads the same language");
}

}  // namespace

Document::Node parse_nodes(std::string_view text, const std::string& source) {
  check_bytes(text, source);
  Builder builder(text, source);
  nlohmann::json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace microstep
