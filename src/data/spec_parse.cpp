#include <fmt/format.h>

#include <map>

#include "microstep/data/error.hpp"
#include "spec_rules.hpp"
#include "spec_syntax.hpp"

namespace microstep {
namespace {

/// Binds one call of the syntax tree to its row of the table.
class Call {
 public:
  Call(std::string_view text, const Syntax& syntax, OpKind kind, int depth = 1)
      : text_(text), syntax_(syntax), depth_(depth) {
    if (depth > deepest_spec) fail(syntax.begin, too_deep());
    if (syntax.kind != Syntax::Kind::call && syntax.kind != Syntax::Kind::word)
      fail(syntax.begin, {"spec.wrong-type", fmt::format("expected {}, found a value", word_for(kind)),
                          "an op is written like adam(0.1)"});
    if (const auto fault = wrong_op(syntax.text, kind)) fail(syntax.begin, *fault);
    rule_ = find_op(syntax.text);
    spec_.op = syntax.text;
  }

  Spec bound() {
    for (const SyntaxArgument& argument : syntax_.arguments) bind(argument);
    if (const auto fault = complete(spec_, *rule_)) fail(offset_of(*fault), *fault);
    return std::move(spec_);
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const Fault& fault) const {
    const Fault told = spec_.op.empty() ? fault : of_op(fault, spec_.op);
    fail_at(text_, offset, told.id, told.message, told.next);
  }

  std::size_t offset_of(const Fault& fault) const {
    const auto found = places_.find(fault.argument);
    if (found == places_.end()) return syntax_.begin;
    const Syntax* place = found->second;
    for (std::size_t index : fault.path) place = &place->arguments[index].value;
    return place->begin;
  }

  void bind(const SyntaxArgument& argument) {
    if (!argument.name.empty()) return bind_named(argument);
    if (named_)
      fail(argument.begin, {"spec.syntax", "a positional argument after a named one", "write it as name=value"});
    bind_positional(argument.value);
  }

  void bind_named(const SyntaxArgument& argument) {
    named_ = true;
    if (rule_->inner == Inner::one && argument.name == inner_name) return bind_inner(argument.value, argument.begin);
    const ArgumentRule* rule = find_argument(*rule_, argument.name);
    if (!rule) fail(argument.begin, unknown_argument(*rule_, argument.name));
    assign(*rule, argument.value, argument.begin);
  }

  void bind_positional(const Syntax& value) {
    if (rule_->inner == Inner::many || (rule_->inner == Inner::one && spec_.of.empty()))
      return bind_inner(value, value.begin);
    const auto& rules = rule_->arguments;
    if (next_ < rules.size() && rules[next_].type == ArgumentType::sizes) return append(rules[next_], value);
    if (next_ == rules.size()) fail(value.begin, too_many_arguments(*rule_));
    assign(rules[next_++], value, value.begin);
  }

  void bind_inner(const Syntax& value, std::size_t begin) {
    if (rule_->inner == Inner::one && !spec_.of.empty()) fail(begin, duplicate(inner_name));
    spec_.of.push_back(Call(text_, value, OpKind::transformation, depth_ + 1).bound());
  }

  Fault duplicate(std::string_view name) const {
    return {"spec.duplicate-argument", fmt::format("{} is given twice", name), "keep one of the two"};
  }

  /// Variadic sizes are gathered into a list whose places are those of the single values.
  void append(const ArgumentRule& rule, const Syntax& value) {
    gathered_.kind = Syntax::Kind::list;
    gathered_.begin = syntax_.begin;
    gathered_.arguments.push_back({{}, value.begin, value});
    places_[std::string(rule.name)] = &gathered_;
    Value& sizes = spec_.args.try_emplace(std::string(rule.name), std::vector<Value>{}).first->second;
    std::get<std::vector<Value>>(sizes.data).push_back(value_of(value, rule));
  }

  void assign(const ArgumentRule& rule, const Syntax& value, std::size_t begin) {
    const std::string name(rule.name);
    if (spec_.args.contains(name)) fail(begin, duplicate(name));
    places_[name] = &value;
    if (value.kind == Syntax::Kind::call && rule.type == ArgumentType::choice) return assign_choice(rule, value);
    spec_.args[name] = value_of(value, rule);
  }

  /// `skip=large(1.5)`
  void assign_choice(const ArgumentRule& rule, const Syntax& value) {
    spec_.args[std::string(rule.name)] = value.text;
    const Choice choice = choice_named(rule, value.text);
    if (choice.argument.empty())
      fail(value.begin, {"spec.wrong-type", fmt::format("{} takes no op", rule.name),
                         fmt::format("{} takes {}", rule.name, takes(rule))});
    for (const SyntaxArgument& argument : value.arguments) {
      if (!argument.name.empty() && argument.name != choice.argument)
        fail(argument.begin,
             {"spec.unknown-argument", fmt::format("{} has no argument {}", value.text, shown(argument.name)),
              fmt::format("write {}({})", choice.name, choice.argument)});
      assign(*find_argument(*rule_, choice.argument), argument.value, argument.begin);
    }
  }

  Value value_of(const Syntax& syntax, const ArgumentRule& rule) const {
    refuse_no_value(syntax, rule);
    return value_from(syntax);
  }

  void refuse_no_value(const Syntax& syntax, const ArgumentRule& rule) const {
    const std::string next = fmt::format("{} takes {}", rule.name, takes(rule));
    if (syntax.kind == Syntax::Kind::call)
      fail(syntax.begin, {"spec.wrong-type", fmt::format("{} takes no op", rule.name), next});
    if (syntax.kind == Syntax::Kind::number && !number_from(syntax.text))
      fail(syntax.begin, {"spec.out-of-range", fmt::format("{} is no finite double", shown(syntax.text)), next});
    for (const SyntaxArgument& argument : syntax.arguments) refuse_no_value(argument.value, rule);
  }

  std::string_view text_;
  const Syntax& syntax_;
  int depth_;
  const OpRule* rule_ = nullptr;
  Spec spec_;
  std::map<std::string, const Syntax*> places_;
  Syntax gathered_{Syntax::Kind::list, 0, {}, {}};
  std::size_t next_ = 0;
  bool named_ = false;
};

}  // namespace

Spec parse_spec(std::string_view text, OpKind kind) { return Call(text, read_call(text), kind).bound(); }

}  // namespace microstep
