#include "microstep/draw/specs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace microstep {
namespace {

constexpr std::uint64_t cases = 3000;

void visit(const Spec& spec, const std::function<void(const Spec&)>& action) {
  action(spec);
  for (const Spec& inner : spec.of) visit(inner, action);
}

std::set<std::string> ops_drawn(const SpecLimits& limits) {
  std::set<std::string> ops;
  for (std::uint64_t i = 0; i < cases; ++i)
    visit(draw_spec(Stream("spec", 1), i, limits), [&](const Spec& spec) { ops.insert(spec.op); });
  return ops;
}

std::set<std::string> ops_of_table(bool accumulators) {
  std::set<std::string> ops;
  for (const OpRule& rule : op_table())
    if (rule.kind == OpKind::transformation && (accumulators || !rule.accumulates)) ops.emplace(rule.name);
  return ops;
}

void visit_numbers(const Value& value, const std::function<void(double)>& action) {
  if (const double* number = std::get_if<double>(&value.data)) action(*number);
  if (const auto* list = std::get_if<std::vector<Value>>(&value.data))
    for (const Value& entry : *list) visit_numbers(entry, action);
}

int depth(const Spec& spec) {
  int deepest = 0;
  for (const Spec& inner : spec.of) deepest = std::max(deepest, depth(inner));
  return deepest + 1;
}

TEST(Specs, AreAFunctionOfSeedAndCase) {
  SpecLimits limits;
  limits.accumulators = Accumulators::anywhere;
  std::set<std::string> printed;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Spec spec = draw_spec(Stream("spec", 7), i, limits);
    EXPECT_EQ(spec, draw_spec(Stream("spec", 7), i, limits));
    printed.insert(to_string(spec));
  }
  EXPECT_GT(printed.size(), 90U);
  EXPECT_NE(draw_spec(Stream("spec", 8), 3, limits), draw_spec(Stream("spec", 7), 3, limits));
}

TEST(Specs, ReachEveryOpOfTheTable) {
  SpecLimits limits;
  EXPECT_EQ(ops_drawn(limits), ops_of_table(false));
  limits.accumulators = Accumulators::anywhere;
  EXPECT_EQ(ops_drawn(limits), ops_of_table(true));
}

TEST(Specs, AreCheckedAndNoDeeperThanAsked) {
  SpecLimits limits;
  limits.accumulators = Accumulators::anywhere;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Spec spec = draw_spec(Stream("spec", 2), i, limits);
    EXPECT_EQ(checked(spec), spec);
    EXPECT_LE(depth(spec), limits.depth);
  }
}

TEST(Specs, HaveOneAccumulatorOutermost) {
  SpecLimits limits;
  limits.accumulators = Accumulators::outermost;
  for (std::uint64_t i = 0; i < cases; ++i) {
    int accumulators = 0;
    const Spec spec = draw_spec(Stream("spec", 3), i, limits);
    visit(spec, [&](const Spec& node) { accumulators += op_rule(node.op).accumulates ? 1 : 0; });
    EXPECT_EQ(spec.op, "multi_steps");
    EXPECT_EQ(accumulators, 1);
  }
}

TEST(Specs, ReachNestedAccumulatorsSchedulesAndMasksOfThem) {
  SpecLimits limits;
  limits.accumulators = Accumulators::anywhere;
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < cases; ++i)
    visit(draw_spec(Stream("spec", 4), i, limits), [&](const Spec& spec) {
      if (spec.op == "multi_steps" && spec.is_list("k")) seen.insert("schedule of k");
      if (spec.op == "chain" && spec.of.empty()) seen.insert("empty chain");
      if (spec.of.empty() || !op_rule(spec.of[0].op).accumulates) return;
      if (spec.op == "multi_steps") seen.insert("nested");
      if (spec.op == "masked") seen.insert("masked");
    });
  EXPECT_EQ(seen, (std::set<std::string>{"schedule of k", "empty chain", "nested", "masked"}));
}

TEST(Specs, ReachEveryChoice) {
  SpecLimits limits;
  limits.accumulators = Accumulators::outermost;
  std::map<std::string, std::set<std::string>> seen;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Spec spec = draw_spec(Stream("spec", 5), i, limits);
    for (const auto& [name, value] : spec.args)
      if (const auto* text = std::get_if<std::string>(&value.data)) seen[name].insert(*text);
  }
  for (const ArgumentRule& argument : op_rule("multi_steps").arguments) {
    if (argument.type != ArgumentType::choice) continue;
    EXPECT_EQ(seen[std::string(argument.name)].size(), argument.choices.size()) << argument.name;
  }
}

TEST(Specs, KeepToTheChoicesNamed) {
  SpecLimits limits;
  limits.accumulators = Accumulators::outermost;
  limits.choices = {{"skip", {"not_finite"}}, {"reduce", {"sum", "weighted"}}};
  limits.least_k = limits.k = 3;
  limits.schedules = false;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Spec spec = draw_spec(Stream("spec", 6), i, limits);
    EXPECT_EQ(spec.text("skip"), "not_finite");
    EXPECT_NE(spec.text("reduce"), "mean");
    EXPECT_EQ(spec.integer("k"), 3);
  }
}

// n/2^s with n < 16 and s <= 8, so 2^8 times it is an integer; presets are as the table says.
TEST(Specs, HaveDyadicHyperParametersWhereAsked) {
  SpecLimits limits;
  limits.dyadic = true;
  const std::set<double> presets = {0.9, 0.999, 1e-8, 1e-4};
  for (std::uint64_t i = 0; i < cases; ++i)
    visit(draw_spec(Stream("spec", 9), i, limits), [&](const Spec& spec) {
      for (const auto& [name, value] : spec.args)
        visit_numbers(value, [&](double x) {
          EXPECT_TRUE(presets.contains(x) || std::trunc(256 * x) == 256 * x) << to_string(spec);
        });
    });
}

TEST(Specs, HaveDecimalsToo) {
  SpecLimits limits;
  int decimals = 0;
  for (std::uint64_t i = 0; i < cases; ++i)
    visit(draw_spec(Stream("spec", 10), i, limits), [&](const Spec& spec) {
      for (const auto& [name, value] : spec.args)
        visit_numbers(value, [&](double x) { decimals += std::trunc(1024 * x) != 1024 * x ? 1 : 0; });
    });
  EXPECT_GT(decimals, 1000);
}

}  // namespace
}  // namespace microstep
