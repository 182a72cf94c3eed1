#include <algorithm>

#include "choice.hpp"
#include "shrink_steps.hpp"

namespace microstep {
namespace {

using Specs = std::vector<Spec>;

Specs simpler(const Spec& spec);

void add_checked(Spec spec, Specs& specs) {
  try {
    specs.push_back(checked(std::move(spec)));
  } catch (const Error&) {
    // An argument that the op cannot do without.
  }
}

void without_wrapping(const Spec& spec, Specs& specs) {
  specs.insert(specs.end(), spec.of.begin(), spec.of.end());
  if (spec.of.empty() && spec.op != "sgd") add_checked(Spec{"sgd", {{"lr", Value(1)}}, {}}, specs);
}

void without_links(const Spec& spec, Specs& specs) {
  if (spec.op != "chain") return;
  for (std::size_t i = 0; i < spec.of.size(); ++i) {
    Spec fewer = spec;
    fewer.of.erase(fewer.of.begin() + static_cast<std::ptrdiff_t>(i));
    specs.push_back(std::move(fewer));
  }
}

// A choice that goes takes the argument with it that it brought.
void with_preset(const Spec& spec, const OpRule& rule, const ArgumentRule& argument, Specs& specs) {
  Spec plain = spec;
  plain.args.erase(std::string(argument.name));
  for (std::string_view text : argument.choices) plain.args.erase(drawn_choice(text).brings);
  if (!is_brought(rule, argument.name) && argument.name != "k") add_checked(std::move(plain), specs);
}

void with_first_entry(const Spec& spec, const std::string& name, const Value& value, Specs& specs) {
  const auto* list = std::get_if<std::vector<Value>>(&value.data);
  const auto* entry = list && !list->empty() ? std::get_if<std::vector<Value>>(&list->front().data) : nullptr;
  if (!entry || entry->size() != 2) return;
  Spec constant = spec;
  constant.args[name] = (*entry)[1];
  specs.push_back(constant);
  Spec shorter = spec;
  std::get<std::vector<Value>>(shorter.args[name].data).pop_back();
  if (list->size() > 1) specs.push_back(std::move(shorter));
}

void with_small_numbers(const Spec& spec, const ArgumentRule& argument, Specs& specs) {
  const std::string name(argument.name);
  const bool whole = argument.type == ArgumentType::integer || argument.type == ArgumentType::integer_schedule;
  const bool number = argument.type == ArgumentType::number || argument.type == ArgumentType::number_schedule;
  for (double x : whole ? std::vector<double>{2} : number ? std::vector<double>{1, 0.5} : std::vector<double>{}) {
    Spec small = spec;
    small.args[name] = Value(x);
    add_checked(std::move(small), specs);
  }
}

void with_simpler_arguments(const Spec& spec, Specs& specs) {
  const OpRule& rule = op_rule(spec.op);
  for (const ArgumentRule& argument : rule.arguments) {
    const auto found = spec.args.find(std::string(argument.name));
    if (found == spec.args.end()) continue;
    with_preset(spec, rule, argument, specs);
    with_first_entry(spec, found->first, found->second, specs);
    with_small_numbers(spec, argument, specs);
  }
}

void with_simpler_inner(const Spec& spec, Specs& specs) {
  for (std::size_t i = 0; i < spec.of.size(); ++i)
    for (Spec& inner : simpler(spec.of[i])) {
      Spec outer = spec;
      outer.of[i] = std::move(inner);
      specs.push_back(std::move(outer));
    }
}

Specs simpler(const Spec& spec) {
  Specs specs;
  without_wrapping(spec, specs);
  without_links(spec, specs);
  with_simpler_inner(spec, specs);
  with_simpler_arguments(spec, specs);
  return specs;
}

std::int64_t microsteps_in(const Value& value) {
  if (const double* number = std::get_if<double>(&value.data))
    return std::min<std::int64_t>(100, static_cast<std::int64_t>(*number));
  std::int64_t total = 0;
  if (const auto* list = std::get_if<std::vector<Value>>(&value.data))
    for (const Value& entry : *list) total += microsteps_in(entry);
  return total;
}

}  // namespace

void with_simpler_spec(const Plan& plan, Candidates& candidates) {
  for (Spec& spec : simpler(plan.spec)) {
    candidates.push_back(plan);
    candidates.back().spec = std::move(spec);
  }
}

// The printed length counts nodes, arguments and digits at once.
std::int64_t complexity_of_spec(const Spec& spec) {
  std::int64_t total = 3 * static_cast<std::int64_t>(to_string(spec).size());
  if (const auto k = spec.args.find("k"); k != spec.args.end()) total += microsteps_in(k->second);
  for (const Spec& inner : spec.of) total += 20 + complexity_of_spec(inner);
  return total;
}

}  // namespace microstep
