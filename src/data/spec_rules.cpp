#include "spec_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spec_syntax.hpp"

namespace microstep {
namespace {

template <class Rules>
auto find_named(const Rules& rules, std::string_view name) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const auto& rule) { return rule.name == name; });
  return found == rules.end() ? nullptr : &*found;
}

bool fits(const OpRule& rule, OpKind kind) { return rule.kind == kind || (kind == OpKind::model && rule.has_model); }

std::vector<std::string_view> op_names(OpKind kind) {
  std::vector<std::string_view> names;
  for (const OpRule& rule : op_table()) {
    if (fits(rule, kind)) names.push_back(rule.name);
  }
  return names;
}

std::vector<std::string_view> argument_names(const OpRule& rule) {
  std::vector<std::string_view> names;
  if (rule.inner == Inner::one) names.push_back(inner_name);
  for (const ArgumentRule& argument : rule.arguments) names.push_back(argument.name);
  return names;
}

std::string what_it_takes(const OpRule& rule) {
  if (rule.inner == Inner::many) return fmt::format("{} takes ops only", rule.name);
  if (argument_names(rule).empty()) return fmt::format("{} takes no arguments", rule.name);
  return fmt::format("{} takes {}", rule.name, fmt::join(argument_names(rule), ", "));
}

std::string limit(double number) { return std::isinf(number) ? "infinity" : print_number(number); }

std::string range_of(const ArgumentRule& rule, std::string_view what) {
  if (std::isinf(rule.least) && std::isinf(rule.most)) return fmt::format("any finite {}", what);
  if (what == "integer") return fmt::format("an integer in [{:.0f}, {:.0f}]", rule.least, rule.most);
  return fmt::format("a {} in {}{}, {}{}", what, rule.least_open ? '(' : '[', limit(rule.least), limit(rule.most),
                     rule.most_open ? ')' : ']');
}

std::string scheduled(const std::string& range) { return range + ", or a schedule [[from_step, value], ...] of them"; }

}  // namespace

const OpRule* find_op(std::string_view name) { return find_named(op_table(), name); }

const ArgumentRule* find_argument(const OpRule& rule, std::string_view name) {
  return find_named(rule.arguments, name);
}

std::string names_of_ops(OpKind kind) { return fmt::format("{}", fmt::join(op_names(kind), ", ")); }

std::string_view word_for(OpKind kind) {
  if (kind == OpKind::model) return "a model";
  return kind == OpKind::problem ? "a problem" : "an optimizer";
}

Choice choice_from(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return {text, {}};
  return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
}

Choice choice_named(const ArgumentRule& rule, std::string_view name) {
  for (std::string_view text : rule.choices) {
    if (choice_from(text).name == name) return choice_from(text);
  }
  return {};
}

Bringer bringer_of(const OpRule& rule, std::string_view argument) {
  for (const ArgumentRule& candidate : rule.arguments) {
    for (std::string_view text : candidate.choices) {
      if (choice_from(text).argument == argument) return {&candidate, choice_from(text)};
    }
  }
  return {};
}

std::string takes(const ArgumentRule& rule) {
  switch (rule.type) {
    case ArgumentType::number:
      return range_of(rule, "number");
    case ArgumentType::integer:
      return range_of(rule, "integer");
    case ArgumentType::flag:
      return "true or false";
    case ArgumentType::choice:
      return fmt::format("one of {}", fmt::join(rule.choices, ", "));
    case ArgumentType::text:
      return "a name or a \"string\"";
    case ArgumentType::globs:
      return "a list of leaf-name globs such as [w, \"layer0/*\"]";
    case ArgumentType::number_schedule:
      return scheduled(range_of(rule, "number"));
    case ArgumentType::integer_schedule:
      return scheduled(range_of(rule, "integer"));
    case ArgumentType::sizes:
      return fmt::format("at least two sizes, each {}", range_of(rule, "integer"));
  }
  return {};
}

Value preset_of(const ArgumentRule& rule) { return value_from(read_value(rule.preset)); }

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? "" : fmt::format("did you mean '{}'? ", nearest);
}

std::optional<Fault> wrong_op(std::string_view name, OpKind kind) {
  const OpRule* rule = find_op(name);
  if (rule && fits(*rule, kind)) return std::nullopt;
  if (rule)
    return Fault{"spec.unknown-op", fmt::format("{} is {}, not {}", name, word_for(rule->kind), word_for(kind)),
                 "known: " + names_of_ops(kind)};
  return Fault{"spec.unknown-op", fmt::format("{} is not {}", shown(name), word_for(kind)),
               did_you_mean(name, op_names(kind)) + "known: " + names_of_ops(kind)};
}

Fault unknown_argument(const OpRule& rule, std::string_view name) {
  return {"spec.unknown-argument", fmt::format("no argument {}", shown(name)),
          did_you_mean(name, argument_names(rule)) + what_it_takes(rule)};
}

Fault too_many_arguments(const OpRule& rule) {
  return {"spec.unknown-argument", "one argument too many", what_it_takes(rule)};
}

Fault of_op(Fault fault, std::string_view op) {
  fault.message = fmt::format("{}: {}", op, fault.message);
  return fault;
}

Fault too_deep() {
  return {"spec.too-deep", fmt::format("nested more than {} deep", deepest_spec), "flatten the chain"};
}

}  // namespace microstep
