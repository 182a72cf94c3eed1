#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "microstep/data/error.hpp"
#include "spec_rules.hpp"
#include "spec_syntax.hpp"

namespace microstep {
namespace {

const Value& argument_of(const Spec& spec, const std::string& name) {
  const auto found = spec.args.find(name);
  if (found != spec.args.end()) return found->second;
  throw Error("spec.missing-argument", fmt::format("{} has no argument {}", shown(spec.op), shown(name)),
              to_string(spec), "checked(spec) fills it in");
}

template <class T>
const T& typed(const Spec& spec, const std::string& name, std::string_view type) {
  if (const T* value = std::get_if<T>(&argument_of(spec, name).data)) return *value;
  throw Error("spec.wrong-type", fmt::format("{}: {} is not {}", shown(spec.op), shown(name), type), to_string(spec),
              "checked(spec) says what it takes");
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Optimal string alignment: insert, delete, replace, swap of neighbours; capitals count as small letters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (equal ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

double Spec::number(const std::string& name) const { return typed<double>(*this, name, "a number"); }

std::int64_t Spec::integer(const std::string& name) const {
  const double value = number(name);
  constexpr double largest = 9007199254740992;  // 2^53
  if (std::trunc(value) == value && std::abs(value) <= largest) return static_cast<std::int64_t>(value);
  throw Error("spec.wrong-type", fmt::format("{}: {} is not an integer", shown(op), shown(name)), to_string(*this),
              "round it");
}

bool Spec::flag(const std::string& name) const { return typed<bool>(*this, name, "true or false"); }

const std::string& Spec::text(const std::string& name) const { return typed<std::string>(*this, name, "a name"); }

const std::vector<Value>& Spec::list(const std::string& name) const {
  return typed<std::vector<Value>>(*this, name, "a list");
}

bool Spec::is_list(const std::string& name) const {
  const auto found = args.find(name);
  return found != args.end() && std::holds_alternative<std::vector<Value>>(found->second.data);
}

double schedule_value(const Value& schedule, std::int64_t step) {
  if (const double* constant = std::get_if<double>(&schedule.data)) return *constant;
  const auto& entries = std::get<std::vector<Value>>(schedule.data);
  const auto part = [](const Value& entry, std::size_t i) {
    return std::get<double>(std::get<std::vector<Value>>(entry.data).at(i).data);
  };
  const auto later = std::upper_bound(entries.begin(), entries.end(), static_cast<double>(step),
                                      [&](double s, const Value& entry) { return s < part(entry, 0); });
  if (later != entries.begin()) return part(*(later - 1), 1);
  throw Error("spec.out-of-range", fmt::format("a schedule has no value at step {}", step),
              fmt::format("step {}", step), "steps count from 0, and the first entry of a schedule is from step 0");
}

std::string nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::string_view candidate : known) {
    const std::size_t longer = std::max(name.size(), candidate.size()), near = std::max<std::size_t>(1, longer / 3);
    if (longer - std::min(name.size(), candidate.size()) > near) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance > near || distance >= least || distance == candidate.size()) continue;
    least = distance;
    nearest = candidate;
  }
  return std::string(nearest);
}

std::optional<double> number_from(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Value value_from(const Syntax& syntax) {
  if (syntax.kind == Syntax::Kind::string) return syntax.text;
  if (syntax.kind == Syntax::Kind::list) {
    std::vector<Value> list;
    for (const SyntaxArgument& argument : syntax.arguments) list.push_back(value_from(argument.value));
    return list;
  }
  if (syntax.text == "true" || syntax.text == "false") return syntax.text == "true";
  if (const auto number = number_from(syntax.text)) return *number;
  return syntax.text;
}

}  // namespace microstep
