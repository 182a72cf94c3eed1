#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "spec_rules.hpp"

namespace microstep {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word_part(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

/// Reads back as the same string without quotes.
bool is_bare(std::string_view text) {
  if (text.empty() || !is_letter(text.front()) || !std::all_of(text.begin(), text.end(), is_word_part)) return false;
  return text != "true" && text != "false" && !number_from(text);
}

std::string with_escapes(std::string_view text, std::string_view with_backslash) {
  std::string written;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (with_backslash.find(c) != std::string_view::npos)
      (written += '\\') += c;
    else if (byte < 0x20 || byte > 0x7e)
      written += fmt::format("\\x{:02x}", byte);
    else
      written += c;
  }
  return written;
}

/// `e-08` to `e-8`, `e+20` to `e20`.
std::string without_exponent_padding(std::string text) {
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  if (text[exponent + 1] == '+') text.erase(exponent + 1, 1);
  const std::size_t digits = exponent + (text[exponent + 1] == '-' ? 2 : 1);
  while (text[digits] == '0' && digits + 1 < text.size()) text.erase(digits, 1);
  return text;
}

std::string print_list(const std::vector<Value>& list, ArgumentType type) {
  std::string printed;
  for (const Value& value : list) printed += (printed.empty() ? "" : ", ") + print_value(value, type);
  return "[" + printed + "]";
}

std::string print(const Spec& spec);

class Arguments {
 public:
  explicit Arguments(const Spec& spec) : spec_(spec), rule_(op_rule(spec.op)) {
    for (const Spec& inner : spec.of) add(print(inner));
    for (const ArgumentRule& argument : rule_.arguments) print_argument(argument);
  }

  std::string printed() const { return printed_; }

 private:
  void add(const std::string& text) { printed_ += (printed_.empty() ? "" : ", ") + text; }

  void print_argument(const ArgumentRule& argument) {
    const Value& value = spec_.args.at(std::string(argument.name));
    if (!argument.preset.empty() && value == preset_of(argument)) return;
    if (bringer_of(rule_, argument.name).rule) return;
    if (argument.type == ArgumentType::sizes) return print_sizes(std::get<std::vector<Value>>(value.data));
    const bool first = &argument == &rule_.arguments.front() && spec_.of.empty();
    add((first ? "" : std::string(argument.name) + "=") + print_value(value, argument.type) + brought(argument, value));
  }

  void print_sizes(const std::vector<Value>& sizes) {
    for (const Value& size : sizes) add(print_value(size, ArgumentType::sizes));
  }

  /// `(1.5)` of `skip=large(1.5)`.
  std::string brought(const ArgumentRule& argument, const Value& value) const {
    if (argument.type != ArgumentType::choice) return {};
    const Choice choice = choice_named(argument, std::get<std::string>(value.data));
    if (choice.argument.empty()) return {};
    const ArgumentRule& rule = *find_argument(rule_, choice.argument);
    return fmt::format("({})", print_value(spec_.args.at(std::string(rule.name)), rule.type));
  }

  const Spec& spec_;
  const OpRule& rule_;
  std::string printed_;
};

std::string print(const Spec& spec) {
  const std::string arguments = Arguments(spec).printed();
  return arguments.empty() ? spec.op : spec.op + "(" + arguments + ")";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string written;
  for (char c : text) written += c == '\n' ? "\\n" : c == '\t' ? "\\t" : with_escapes({&c, 1}, "");
  return written;
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  return '"' + escaped(text.substr(0, longest)) + (text.size() > longest ? "..." : "") + '"';
}

std::string print_text(std::string_view text) {
  return is_bare(text) ? std::string(text) : '"' + with_escapes(text, "\"\\") + '"';
}

std::string print_number(double number) {
  char text[32];
  return without_exponent_padding(std::string(text, std::to_chars(text, text + sizeof text, number).ptr));
}

std::string print_value(const Value& value, ArgumentType type) {
  const bool whole =
      type == ArgumentType::integer || type == ArgumentType::sizes || type == ArgumentType::integer_schedule;
  if (const double* number = std::get_if<double>(&value.data))
    return whole ? fmt::format("{:.0f}", *number) : print_number(*number);
  if (const bool* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const std::string* text = std::get_if<std::string>(&value.data)) return print_text(*text);
  return print_list(std::get<std::vector<Value>>(value.data), type);
}

std::string to_string(const Spec& spec) { return print(checked(spec, op_rule(spec.op).kind)); }

}  // namespace microstep
