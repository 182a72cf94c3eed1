#pragma once
// The optimizer language: `multi_steps(adam(0.1), k=4)`. Problems use the same grammar.
//   spec  = call ;  call = name [ "(" [ arg { "," arg } ] ")" ] ;  arg = [ name "=" ] value ;
//   value = number | "true" | "false" | name | string | list | call ;  list = "[" [ value { "," value } ] "]" ;
#include <concepts>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace microstep {

/// A number (integers too), a truth value, a name or string, or a list. `call` never appears: calls stand in Spec::of.
struct Value {
  std::variant<double, bool, std::string, std::vector<Value>> data;

  Value() = default;
  Value(double number) : data(number) {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Value(Integer number) : data(static_cast<double>(number)) {}
  Value(bool truth) : data(truth) {}
  Value(std::string text) : data(std::move(text)) {}
  Value(std::string_view text) : data(std::string(text)) {}
  Value(const char* text) : data(std::string(text)) {}
  Value(std::vector<Value> list) : data(std::move(list)) {}
  bool operator==(const Value&) const = default;
};

/// args holds every argument of the op, defaults filled in; of the inner specs (the links of a chain, the inner of
/// multi_steps and masked). Variadic sizes (`mlp(3, 5, 2)`) are the list argument `sizes`.
struct Spec {
  std::string op;
  std::map<std::string, Value> args;
  std::vector<Spec> of;

  bool operator==(const Spec&) const = default;
  double number(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  bool flag(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  const std::vector<Value>& list(const std::string& name) const;
  bool is_list(const std::string& name) const;
};

/// What an argument may be. A schedule is a number or `[[from_step, value], ...]`, from_step rising from 0.
enum class ArgumentType { number, integer, flag, choice, text, globs, number_schedule, integer_schedule, sizes };

struct ArgumentRule {
  std::string_view name;
  ArgumentType type;
  /// Canonical text of the default; empty: required.
  std::string_view preset;
  double least;
  double most;
  bool least_open = false;
  bool most_open = false;
  /// A choice `large(max_norm)` brings the argument max_norm of the same op along: `skip=large(1.5)`.
  std::vector<std::string_view> choices = {};
  std::string_view help = {};
  /// What would go wrong at an open end of the range, such as a division by zero.
  std::string_view limit_reason = {};
};

/// A model is a network without data and loss; the trained problems are models, too.
enum class OpKind { transformation, problem, model };
enum class Inner { none, one, many };

struct OpRule {
  std::string_view name;
  OpKind kind;
  Inner inner;
  std::vector<ArgumentRule> arguments;
  std::string_view help;
  /// Holds gradients back over microsteps (apply_every, multi_steps).
  bool accumulates = false;
  /// A problem that may stand where a model is due.
  bool has_model = false;
};

/// The one table: it makes parse, print, errors, help, docs and generators.
std::span<const OpRule> op_table();
/// Throws spec.unknown-op.
const OpRule& op_rule(std::string_view name);
/// The table as Markdown, as it stands in docs/language.md.
std::string language_reference();

/// Throws Error with ids spec.syntax, spec.unknown-op, spec.unknown-argument, spec.missing-argument, spec.out-of-range,
/// spec.wrong-type, spec.duplicate-argument, spec.too-deep; the place shows the text and a caret, next the nearest
/// known name or the range.
Spec parse_spec(std::string_view text, OpKind kind = OpKind::transformation);
/// Canonical: the first argument and variadic sizes positional, all others named, defaults omitted, shortest decimals.
std::string to_string(const Spec& spec);
/// The range and type checks of parse_spec for a spec made in code: unknown op or argument, out of range; defaults are
/// filled in.
Spec checked(Spec spec, OpKind kind = OpKind::transformation);

/// The value of a number, or of a schedule at step (>= 0): the last entry whose from_step is <= step.
double schedule_value(const Value& schedule, std::int64_t step);
/// The nearest of the names by edit distance, empty if none is near. For 'did you mean'.
std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace microstep
