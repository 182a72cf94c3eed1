#pragma once
// Looking things up in the table, and holding a Spec to it.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/data/spec.hpp"

namespace microstep {

/// Deepest nesting of specs and of lists.
constexpr int deepest_spec = 32;
/// The one name under which the inner of multi_steps and masked may be given.
constexpr std::string_view inner_name = "inner";

/// nullptr if unknown.
const OpRule* find_op(std::string_view name);
const ArgumentRule* find_argument(const OpRule& rule, std::string_view name);
std::string names_of_ops(OpKind kind);
std::string_view word_for(OpKind kind);

/// A choice of the table: `large(max_norm)` has the name `large` and brings `max_norm` along.
struct Choice {
  std::string_view name, argument;
};
Choice choice_from(std::string_view text);
/// Empty if the rule has no such choice.
Choice choice_named(const ArgumentRule& rule, std::string_view name);
/// The rule and choice that bring the named argument along; nullptr if it stands on its own.
struct Bringer {
  const ArgumentRule* rule = nullptr;
  Choice choice;
};
Bringer bringer_of(const OpRule& rule, std::string_view argument);

/// nullopt if the text is no number or its number overflows or underflows. `nan`, `inf` and `infinity` are numbers.
std::optional<double> number_from(std::string_view text);
struct Syntax;
/// The value of a syntax tree without calls whose numbers number_from can read.
Value value_from(const Syntax& syntax);

/// `a number in [0, 1)`, `one of mean, sum`: what the argument takes.
std::string takes(const ArgumentRule& rule);
Value preset_of(const ArgumentRule& rule);

/// `did you mean 'adam'? `, empty if no name is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);

/// What is wrong, and where: the argument (empty: the op itself) and the indices into its list.
struct Fault {
  std::string id, message, next;
  std::string argument = {};
  std::vector<std::size_t> path = {};
};

/// Nothing if the op is known and of the kind.
std::optional<Fault> wrong_op(std::string_view name, OpKind kind);
Fault unknown_argument(const OpRule& rule, std::string_view name);
Fault too_many_arguments(const OpRule& rule);
Fault too_deep();
/// With the op in front of the message.
Fault of_op(Fault fault, std::string_view op);
/// Fills defaults in and checks the arguments and the number of inner specs; does not look into the inner specs.
std::optional<Fault> complete(Spec& spec, const OpRule& rule);
std::optional<Fault> wrong_value(const ArgumentRule& rule, Value& value);

/// Printable ASCII in double quotes: other bytes and quotes escaped, long texts cut.
std::string shown(std::string_view text);
/// Without quotes and uncut; `\n`, `\t`, `\xHH`.
std::string escaped(std::string_view text);
/// The string as it stands in a spec: bare where the grammar allows, else quoted.
std::string print_text(std::string_view text);
std::string print_number(double number);
std::string print_value(const Value& value, ArgumentType type);

}  // namespace microstep
