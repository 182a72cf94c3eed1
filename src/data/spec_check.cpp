#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microstep/data/error.hpp"
#include "spec_rules.hpp"

namespace microstep {
namespace {

using Path = std::vector<std::size_t>;

constexpr double last_step = 2147483647;

std::string found(const Value& value) {
  if (std::holds_alternative<double>(value.data)) return print_number(std::get<double>(value.data));
  if (std::holds_alternative<bool>(value.data)) return std::get<bool>(value.data) ? "true" : "false";
  if (std::holds_alternative<std::string>(value.data)) return shown(std::get<std::string>(value.data));
  return "a list";
}

Fault fault_at(std::string id, const ArgumentRule& rule, const std::string& what, Path path = {}) {
  return {std::move(id), what, fmt::format("{} takes {}", rule.name, takes(rule)), std::string(rule.name),
          std::move(path)};
}

Fault wrong_type(const ArgumentRule& rule, const Value& value, Path path = {}) {
  return fault_at("spec.wrong-type", rule, fmt::format("{} = {} has the wrong type", rule.name, found(value)),
                  std::move(path));
}

Fault out_of_range(const ArgumentRule& rule, const std::string& what, Path path = {}) {
  return fault_at("spec.out-of-range", rule, what, std::move(path));
}

bool is_whole(const ArgumentRule& rule) {
  using enum ArgumentType;
  return rule.type == integer || rule.type == integer_schedule || rule.type == sizes;
}

bool is_in_range(const ArgumentRule& rule, double number) {
  if (!std::isfinite(number)) return false;
  return (rule.least_open ? number > rule.least : number >= rule.least) &&
         (rule.most_open ? number < rule.most : number <= rule.most);
}

std::optional<Fault> wrong_number(const ArgumentRule& rule, Value& value, Path path = {}) {
  double* number = std::get_if<double>(&value.data);
  if (!number) return wrong_type(rule, value, std::move(path));
  if (is_whole(rule) && std::isfinite(*number) && std::trunc(*number) != *number)
    return fault_at("spec.wrong-type", rule, fmt::format("{} = {} is not an integer", rule.name, found(value)),
                    std::move(path));
  *number += 0.0;  // -0 becomes 0, which the canonical print cannot tell apart
  if (is_in_range(rule, *number)) return std::nullopt;
  std::string what = fmt::format("{} = {} is out of range", rule.name, print_number(*number));
  const bool at_limit = (rule.most_open && *number == rule.most) || (rule.least_open && *number == rule.least);
  if (at_limit && !rule.limit_reason.empty()) what += fmt::format(": {}", rule.limit_reason);
  return out_of_range(rule, what, std::move(path));
}

/// The step an entry begins at must rise from 0.
std::optional<Fault> wrong_step(const ArgumentRule& rule, const Value& step, const Value* before, Path path) {
  const double* number = std::get_if<double>(&step.data);
  if (!number || std::trunc(*number) != *number) return wrong_type(rule, step, std::move(path));
  const double least = before ? std::get<double>(before->data) + 1 : 0;
  const bool right = before ? *number >= least && *number <= last_step : *number == 0;
  if (right) return std::nullopt;
  return out_of_range(rule,
                      fmt::format("{}: the steps of a schedule rise from 0 to {:.0f} at most", rule.name, last_step),
                      std::move(path));
}

std::optional<Fault> wrong_schedule(const ArgumentRule& rule, Value& value) {
  auto* entries = std::get_if<std::vector<Value>>(&value.data);
  if (!entries) return wrong_number(rule, value);
  if (entries->empty()) return out_of_range(rule, fmt::format("{}: the schedule is empty", rule.name));
  const Value* before = nullptr;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    auto* entry = std::get_if<std::vector<Value>>(&(*entries)[i].data);
    if (!entry || entry->size() != 2) return wrong_type(rule, (*entries)[i], {i});
    if (auto fault = wrong_step(rule, (*entry)[0], before, {i, 0})) return fault;
    if (auto fault = wrong_number(rule, (*entry)[1], {i, 1})) return fault;
    before = &(*entry)[0];
  }
  return std::nullopt;
}

std::optional<Fault> wrong_globs(const ArgumentRule& rule, const Value& value) {
  const auto* list = std::get_if<std::vector<Value>>(&value.data);
  if (!list) return wrong_type(rule, value);
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!std::holds_alternative<std::string>((*list)[i].data)) return wrong_type(rule, (*list)[i], {i});
  }
  return std::nullopt;
}

std::optional<Fault> wrong_sizes(const ArgumentRule& rule, Value& value) {
  auto* list = std::get_if<std::vector<Value>>(&value.data);
  if (!list) return wrong_type(rule, value);
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (auto fault = wrong_number(rule, (*list)[i], {i})) return fault;
  }
  if (list->size() < 2) return out_of_range(rule, fmt::format("{}: {} of them", rule.name, list->size()));
  return std::nullopt;
}

std::optional<Fault> wrong_choice(const ArgumentRule& rule, const Value& value) {
  const auto* text = std::get_if<std::string>(&value.data);
  if (!text) return wrong_type(rule, value);
  if (!choice_named(rule, *text).name.empty()) return std::nullopt;
  std::vector<std::string_view> names;
  for (std::string_view known : rule.choices) names.push_back(choice_from(known).name);
  Fault fault = out_of_range(rule, fmt::format("{} = {} is no choice", rule.name, shown(*text)));
  fault.next = did_you_mean(*text, names) + fault.next;
  return fault;
}

/// max_norm has a meaning only in skip=large(max_norm).
std::optional<Fault> wrong_brought(Spec& spec, const ArgumentRule& argument, const Bringer& by) {
  const std::string name(argument.name), bringer(by.rule->name);
  const std::string written = fmt::format("{}={}({})", bringer, by.choice.name, name);
  const bool taken = spec.text(bringer) == by.choice.name, given = spec.args.contains(name);
  if (!taken) {
    const Value preset = preset_of(argument);
    if (spec.args.try_emplace(name, preset).first->second == preset) return std::nullopt;
    return Fault{"spec.unknown-argument", fmt::format("{} has a meaning only in {}", name, written),
                 "remove it or write " + written, name};
  }
  if (given) return wrong_value(argument, spec.args.at(name));
  return Fault{"spec.missing-argument", fmt::format("{} needs {}", by.choice.name, name), "write " + written, bringer};
}

std::optional<Fault> wrong_argument(Spec& spec, const OpRule& rule, const ArgumentRule& argument) {
  if (const Bringer by = bringer_of(rule, argument.name); by.rule) return wrong_brought(spec, argument, by);
  const std::string name(argument.name);
  const auto found = spec.args.find(name);
  if (found != spec.args.end()) return wrong_value(argument, found->second);
  if (argument.preset.empty())
    return Fault{"spec.missing-argument", fmt::format("{} is missing", name),
                 fmt::format("{} takes {}", name, takes(argument))};
  spec.args[name] = preset_of(argument);
  return std::nullopt;
}

std::optional<Fault> wrong_inner(const Spec& spec, const OpRule& rule) {
  const std::size_t count = spec.of.size();
  if (count == 0 && rule.inner == Inner::one)
    return Fault{"spec.missing-argument", "the inner op is missing",
                 fmt::format("write {}(adam(0.1), ...)", rule.name)};
  if (count > 0 && rule.inner == Inner::none)
    return Fault{"spec.unknown-argument", "takes no inner op", fmt::format("use chain({}, ...)", rule.name)};
  if (count > 1 && rule.inner == Inner::one)
    return Fault{"spec.unknown-argument", "takes one inner op", "join several with chain(...)"};
  return std::nullopt;
}

std::optional<Fault> unknown_in(const Spec& spec, const OpRule& rule) {
  for (const auto& [name, value] : spec.args) {
    if (!find_argument(rule, name)) return unknown_argument(rule, name);
  }
  return std::nullopt;
}

/// Of one class every loss is 0, and so is every gradient; logistic_regression takes two or more by its range.
std::optional<Fault> too_few_classes(const Spec& spec) {
  if (spec.op != "mlp" || spec.text("loss") != "cross_entropy") return std::nullopt;
  const auto& sizes = spec.list("sizes");
  if (std::get<double>(sizes.back().data) >= 2) return std::nullopt;
  return Fault{"spec.out-of-range",
               "the last of sizes = 1 is out of range: a cross_entropy over one class is always 0",
               "give two classes or more, or loss=mse",
               "sizes",
               {sizes.size() - 1}};
}

[[noreturn]] void fail(const Fault& fault, std::string place) {
  if (!fault.argument.empty()) place += (place.empty() ? "" : "/") + fault.argument;
  for (std::size_t index : fault.path) place += fmt::format("[{}]", index);
  if (place.empty()) place = "the outermost call";
  throw Error(fault.id, fault.message, std::move(place), fault.next);
}

void check_tree(Spec& spec, OpKind kind, const std::string& place, int depth) {
  if (depth > deepest_spec) fail(too_deep(), place);
  if (const auto fault = wrong_op(spec.op, kind)) fail(*fault, place);
  if (const auto fault = complete(spec, *find_op(spec.op))) fail(of_op(*fault, spec.op), place);
  for (std::size_t i = 0; i < spec.of.size(); ++i) {
    const std::string inner = fmt::format("{}of[{}]", place.empty() ? "" : place + "/", i);
    check_tree(spec.of[i], OpKind::transformation, inner, depth + 1);
  }
}

}  // namespace

std::optional<Fault> wrong_value(const ArgumentRule& rule, Value& value) {
  switch (rule.type) {
    case ArgumentType::number:
    case ArgumentType::integer:
      return wrong_number(rule, value);
    case ArgumentType::flag:
      return std::holds_alternative<bool>(value.data) ? std::nullopt : std::optional(wrong_type(rule, value));
    case ArgumentType::text:
      return std::holds_alternative<std::string>(value.data) ? std::nullopt : std::optional(wrong_type(rule, value));
    case ArgumentType::choice:
      return wrong_choice(rule, value);
    case ArgumentType::globs:
      return wrong_globs(rule, value);
    case ArgumentType::number_schedule:
    case ArgumentType::integer_schedule:
      return wrong_schedule(rule, value);
    case ArgumentType::sizes:
      return wrong_sizes(rule, value);
  }
  return std::nullopt;
}

std::optional<Fault> complete(Spec& spec, const OpRule& rule) {
  if (auto fault = wrong_inner(spec, rule)) return fault;
  if (auto fault = unknown_in(spec, rule)) return fault;
  for (const ArgumentRule& argument : rule.arguments) {
    if (auto fault = wrong_argument(spec, rule, argument)) return fault;
  }
  return too_few_classes(spec);
}

Spec checked(Spec spec, OpKind kind) {
  check_tree(spec, kind, {}, 1);
  return spec;
}

}  // namespace microstep
