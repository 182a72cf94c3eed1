#include "microstep/json/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "microstep/data/error.hpp"
#include "microstep/data/spec.hpp"
#include "microstep/json/numbers.hpp"
#include "node.hpp"

namespace microstep {
namespace {

constexpr std::string_view kind_names[] = {"null",   "a truth value", "a number", "a text",
                                           "a list", "an object",     "a tensor"};

bool find_path(const Document::Node& from, const Document::Node* node, std::string& path) {
  if (&from == node) return true;
  std::size_t length = path.size();
  for (std::size_t i = 0; i < from.items.size(); ++i) {
    path += '/' + (from.keys.empty() ? fmt::to_string(i) : pointer_part(from.keys[i]));
    if (find_path(from.items[i], node, path)) return true;
    path.resize(length);
  }
  return false;
}

std::optional<double> special_number(const std::string& text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::string shown(const Document::Node& node) {
  std::string kind(to_string(node.kind));
  return node.kind == Document::Kind::text ? kind + " \"" + node.text.substr(0, 40) + '"' : kind;
}

}  // namespace

std::string_view to_string(Document::Kind kind) { return kind_names[static_cast<int>(kind)]; }

std::string pointer_part(const std::string& key) {
  std::string part;
  for (char c : key) part += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return part;
}

std::string pointer_to(const Document::Node& root, const Document::Node* node) {
  std::string path;
  find_path(root, node, path);
  return path;
}

Document Document::parse(std::string_view text, const std::string& source, const Change& change) {
  auto root = std::make_shared<Root>(Root{source, parse_nodes(text, source)});
  const Document document(root, &root->node);
  if (change) change(document, *root);
  return document;
}

Document::Kind Document::kind() const { return node_->kind; }

std::size_t Document::size() const { return node_->items.size(); }

Document Document::element(std::size_t index) const { return {root_, &node_->items[index]}; }

const std::string& Document::key(std::size_t index) const { return node_->keys[index]; }

std::optional<Document> Document::find(std::string_view key) const {
  for (std::size_t i = 0; i < node_->keys.size(); ++i)
    if (node_->keys[i] == key) return element(i);
  return std::nullopt;
}

Document Document::at(std::string_view key) const {
  std::optional<Document> found = expect(Kind::object).find(key);
  if (!found) refuse("json.missing-key", "the key \"" + std::string(key) + "\" is missing", "add it");
  return *found;
}

bool Document::truth() const { return expect(Kind::truth).node_->truth; }

const std::string& Document::text() const { return expect(Kind::text).node_->text; }

std::int64_t Document::integer() const {
  if (is(Kind::null))
    refuse("json.null-number", "null where an integer is due", "JavaScript and Rust write NaN as null");
  const std::string& digits = expect(Kind::number).node_->text;
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    refuse("json.integer-range", digits + " is no 64-bit integer", "the range is -2^63 to 2^63-1");
  if (end != digits.data() + digits.size())
    refuse("json.wrong-type", digits + " where an integer is due", "write it without fraction and exponent");
  return value;
}

double Document::number(Dtype dtype) const {
  if (is(Kind::null))
    refuse("json.null-number", "null where a number is due",
           "JavaScript and Rust write NaN as null: write \"NaN\", \"Infinity\" or \"-Infinity\"");
  if (is(Kind::text))
    if (std::optional<double> special = special_number(node_->text)) return *special;
  const std::string& digits = expect(Kind::number).node_->text;
  ReadDecimal read = read_decimal(dtype, digits);
  std::string name(to_string(dtype));
  if (read.fault == DecimalFault::out_of_range)
    refuse("json.number-out-of-range", digits + " is beyond the largest " + name, "write \"Infinity\" if it is meant");
  if (read.fault == DecimalFault::not_representable)
    refuse("json.not-representable", digits + " is no value of " + name,
           "the nearest is " + decimal_text(dtype, read.value));
  return read.value;
}

const OutsideTensor& Document::tensor() const { return *expect(Kind::tensor).node_->tensor; }

const Document& Document::expect(Kind kind) const {
  if (this->kind() != kind)
    refuse("json.wrong-type", std::string(to_string(kind)) + " is due, here is " + shown(*node_), "write it so");
  return *this;
}

const Document& Document::expect_only(std::span<const std::string_view> keys) const {
  for (const std::string& key : expect(Kind::object).node_->keys) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    std::string near = nearest_name(key, keys);
    refuse("json.unknown-key", "the key \"" + key + "\" is unknown",
           near.empty() ? std::string() : "did you mean \"" + near + "\"?");
  }
  return *this;
}

std::string Document::place() const {
  if (is(Kind::tensor)) return node_->tensor->place;
  return root_->source + '#' + pointer_to(root_->node, node_);
}

void Document::refuse(const std::string& id, const std::string& message, const std::string& next) const {
  throw Error(id, message, place(), next);
}

}  // namespace microstep
