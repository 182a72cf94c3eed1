#include "microstep/draw/specs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "choice.hpp"

namespace microstep {
namespace {

constexpr int most_accumulators = 2;

// "7e-3" is read as a person would write 0.007, so that the double is the nearest one.
double decimal(std::int64_t digits, std::int64_t exponent) {
  char text[32];
  char* end = std::to_chars(text, text + 24, digits).ptr;
  *end++ = 'e';
  end = std::to_chars(end, text + 32, exponent).ptr;
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

class SpecMaker {
 public:
  SpecMaker(Dice& dice, const SpecLimits& limits) : dice_(dice), limits_(limits) {}

  Spec whole() {
    if (limits_.accumulators == Accumulators::outermost) return call(op_rule("multi_steps"), limits_.depth);
    return call(draw_op(limits_.depth), limits_.depth);
  }

 private:
  bool may_stand(const OpRule& rule, int depth) const {
    if (rule.kind != OpKind::transformation || (rule.inner != Inner::none && depth <= 1)) return false;
    if (rule.accumulates) return limits_.accumulators == Accumulators::anywhere && accumulators_ < most_accumulators;
    return limits_.ops.empty() || std::ranges::find(limits_.ops, rule.name) != limits_.ops.end();
  }

  const OpRule& draw_op(int depth) {
    std::vector<const OpRule*> allowed;
    for (const OpRule& rule : op_table())
      if (may_stand(rule, depth)) allowed.push_back(&rule);
    return allowed.empty() ? op_rule("sgd") : *dice_.one_of(allowed);
  }

  Spec call(const OpRule& rule, int depth) {
    accumulators_ += rule.accumulates ? 1 : 0;
    Spec spec{std::string(rule.name), {}, {}};
    for (std::int64_t inner = inner_count(rule); inner > 0; --inner)
      spec.of.push_back(call(draw_op(depth - 1), depth - 1));
    for (const ArgumentRule& argument : rule.arguments)
      if (!is_brought(rule, argument.name)) add_argument(spec, rule, argument);
    return checked(std::move(spec));
  }

  std::int64_t inner_count(const OpRule& rule) {
    if (rule.inner != Inner::many) return rule.inner == Inner::one ? 1 : 0;
    return dice_.below(16) == 0 ? 0 : dice_.between(1, limits_.links);
  }

  // A third of the optional arguments keep their presets.
  void add_argument(Spec& spec, const OpRule& rule, const ArgumentRule& argument) {
    const std::string name(argument.name);
    const bool keeps = !argument.preset.empty() && argument.name != "k" && dice_.below(3) == 0;
    if (argument.type == ArgumentType::choice) return add_choice(spec, rule, argument, keeps);
    if (!keeps) spec.args[name] = value(argument);
  }

  void add_choice(Spec& spec, const OpRule& rule, const ArgumentRule& argument, bool keeps) {
    const std::string name(argument.name);
    std::vector<DrawnChoice> allowed;
    for (std::string_view text : argument.choices)
      if (may_choose(name, drawn_choice(text).name)) allowed.push_back(drawn_choice(text));
    const DrawnChoice drawn = keeps ? allowed.front() : dice_.one_of(allowed);
    spec.args[name] = Value(drawn.name);
    for (const ArgumentRule& other : rule.arguments)
      if (other.name == drawn.brings) spec.args[drawn.brings] = value(other);
  }

  bool may_choose(const std::string& argument, const std::string& choice) const {
    const auto named = limits_.choices.find(argument);
    return named == limits_.choices.end() || std::ranges::find(named->second, choice) != named->second.end();
  }

  Value value(const ArgumentRule& rule) {
    switch (rule.type) {
      case ArgumentType::flag:
        return Value(dice_.below(2) == 1);
      case ArgumentType::globs:
        return globs(rule);
      case ArgumentType::number_schedule:
      case ArgumentType::integer_schedule:
        return limits_.schedules && dice_.below(3) == 0 ? schedule(rule) : single(rule);
      default:
        return single(rule);
    }
  }

  Value single(const ArgumentRule& rule) {
    if (rule.type == ArgumentType::integer || rule.type == ArgumentType::integer_schedule)
      return Value(dice_.between(limits_.least_k, limits_.k));
    return Value(std::isfinite(rule.most) ? fraction(rule) : magnitude(rule));
  }

  Value schedule(const ArgumentRule& rule) {
    std::vector<Value> entries;
    std::int64_t step = 0;
    for (std::int64_t left = dice_.between(1, 3); left > 0; --left) {
      entries.emplace_back(std::vector<Value>{Value(step), single(rule)});
      step += dice_.between(1, 2);
    }
    return Value(std::move(entries));
  }

  bool draws_dyadic() { return limits_.dyadic || dice_.below(2) == 0; }

  double fraction(const ArgumentRule& rule) {
    if (dice_.below(16) == 0) return rule.least_open || dice_.below(2) == 0 ? rule.most - 0.5 : rule.least;
    return draws_dyadic() ? static_cast<double>(dice_.between(1, 15)) / 16 : decimal(dice_.between(1, 99), -2);
  }

  double magnitude(const ArgumentRule& rule) {
    const bool takes_zero = rule.least < 0 || (rule.least == 0 && !rule.least_open);
    if (takes_zero && dice_.below(16) == 0) return 0;
    const auto digits = dice_.between(1, 15);
    const double size = draws_dyadic() ? std::ldexp(static_cast<double>(digits), -static_cast<int>(dice_.between(2, 8)))
                                       : decimal(digits, -dice_.between(1, 3));
    return rule.least < 0 && dice_.below(2) == 0 ? -size : size;
  }

  Value globs(const ArgumentRule& rule) {
    static const std::vector<std::string> wide = {"*", "layer*", "?", "*/w"};
    std::vector<Value> list;
    const std::int64_t least = rule.preset.empty() ? 1 : 0;
    for (std::int64_t left = dice_.between(least, 2); left > 0; --left)
      list.emplace_back(dice_.one_of(dice_.below(3) == 0 ? wide : drawn_leaf_names()));
    return Value(std::move(list));
  }

  Dice& dice_;
  const SpecLimits& limits_;
  int accumulators_ = 0;
};

}  // namespace

const std::vector<std::string>& drawn_leaf_names() {
  static const std::vector<std::string> names = {"w", "b", "layer0/w", "s"};
  return names;
}

Spec draw_spec(Dice& dice, const SpecLimits& limits) { return SpecMaker(dice, limits).whole(); }

Spec draw_spec(const Stream& stream, std::uint64_t which_case, const SpecLimits& limits) {
  Dice dice(stream, which_case);
  return draw_spec(dice, limits);
}

}  // namespace microstep
