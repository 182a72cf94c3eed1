#include "experiment_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace microstep {
namespace {

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

bool same_tree(const Tree<double>& a, const Tree<double>& b) {
  if (a.layout() != b.layout()) return false;
  for (std::size_t i = 0; i < a.leaf_count(); ++i) {
    if (a.presence(i) != b.presence(i)) return false;
    if (a.presence(i) == Presence::dense && !std::ranges::equal(a.values(i), b.values(i), same_bits)) return false;
  }
  return true;
}

bool same_given(const GivenGradient& a, const GivenGradient& b) {
  return same_bits(a.weight, b.weight) && same_tree(a.gradient, b.gradient);
}

std::string exchanged(const std::string& field, const std::string& before, const std::string& after) {
  return before == after ? "" : fmt::format("{}: {} → {}", field, before, after);
}

std::vector<std::string> fields_of(const Plan& a, const Plan& b) {
  auto named = [](const char* field, bool is_same) { return std::string(is_same ? "" : field); };
  std::vector<std::string> fields = {exchanged("spec", to_string(a.spec), to_string(b.spec)),
                                     exchanged("problem", to_string(a.problem), to_string(b.problem)),
                                     named("params", same_tree(a.params, b.params)),
                                     named("gradient_dtypes", *a.gradient_layout == *b.gradient_layout),
                                     named("given", std::ranges::equal(a.given, b.given, same_given)),
                                     named("batches", a.batches == b.batches),
                                     exchanged("loss", std::string(to_string(a.loss)), std::string(to_string(b.loss))),
                                     named("interruptions", a.interruptions == b.interruptions),
                                     named("training", a.training == b.training),
                                     exchanged("seed", fmt::to_string(a.seed), fmt::to_string(b.seed))};
  std::erase(fields, "");
  return fields;
}

}  // namespace

std::vector<std::string> differing_fields(const std::map<Role, Plan>& before, const std::map<Role, Plan>& after) {
  std::vector<std::string> all;
  for (const auto& [role, plan] : before) {
    const std::string at = role == Role::accumulated ? "" : std::string(to_string(role)) + ": ";
    auto other = after.find(role);
    if (other == after.end())
      all.push_back(fmt::format("{}: gone", to_string(role)));
    else
      for (const std::string& field : fields_of(plan, other->second))
        if (std::ranges::find(all, field) == all.end()) all.push_back(at + field);
  }
  for (const auto& [role, plan] : after)
    if (!before.contains(role)) all.push_back(fmt::format("{}: new", to_string(role)));
  return all;
}

}  // namespace microstep
