#pragma once
// The committed folders of goldens, read once, and what their plans are made of.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "microstep/golden/folder.hpp"

namespace microstep {

inline std::string source_path(const std::string& name) { return std::string(MICROSTEP_SOURCE_DIR) + "/" + name; }

inline const GoldenFolder& golden_folder(const std::string& version) {
  static std::map<std::string, GoldenFolder> folders;
  auto found = folders.find(version);
  if (found == folders.end())
    found = folders.emplace(version, load_golden_folder(source_path("golden/optax-" + version))).first;
  return found->second;
}

class Goldens : public testing::TestWithParam<const char*> {
 protected:
  const std::vector<Golden>& goldens() const { return golden_folder(GetParam()).goldens; }

  std::int64_t count(const auto& wanted) const {
    return std::ranges::count_if(goldens(), [&](const Golden& g) { return wanted(accumulated(g)); });
  }

  static const Plan& accumulated(const Golden& golden) { return golden.plans.at(Role::accumulated); }
};

/// True for the spec or one within it.
inline bool any_op(const Spec& spec, const auto& wanted) {
  return wanted(spec) || std::ranges::any_of(spec.of, [&](const Spec& inner) { return any_op(inner, wanted); });
}

inline bool has_op(const Spec& spec, std::string_view op) {
  return any_op(spec, [&](const Spec& each) { return each.op == op; });
}

inline bool is_multi_steps(const Spec& spec) { return spec.op == "multi_steps"; }
inline bool is_apply_every(const Spec& spec) { return spec.op == "chain" && spec.of.back().op == "apply_every"; }
inline bool is_alone(const Spec& spec) { return !has_op(spec, "multi_steps") && !has_op(spec, "apply_every"); }

inline bool has_k(const Spec& spec, std::int64_t k) {
  return any_op(spec, [&](const Spec& each) { return each.args.contains("k") && each.args.at("k") == Value(k); });
}

/// Of the given gradients in the order of the microsteps.
inline bool any_number(const Plan& plan, const auto& wanted) {
  for (const GivenGradient& given : plan.given)
    for (std::size_t i = 0; i < given.gradient.leaf_count(); ++i)
      if (std::ranges::any_of(given.gradient.values(i), wanted)) return true;
  return false;
}

}  // namespace microstep
