// What of each transformation the committed goldens of Optax hold: forms, k, dtypes, and where a number is not finite.
#include <fmt/format.h>

#include <set>

#include "goldens_fixture.hpp"

namespace microstep {
namespace {

using Names = std::set<std::string>;

/// Which of the transformations it is; sgd by its momentum.
std::string kind_of(const Spec& spec) {
  if (spec.op != "sgd" || spec.number("momentum") == 0) return spec.op;
  return spec.flag("nesterov") ? "nesterov" : "momentum";
}

/// What the accumulator is around, or the last link behind.
std::string wrapped_kind(const Spec& spec) {
  if (is_alone(spec)) return kind_of(spec);
  if (is_apply_every(spec) && spec.of.size() > 2) return "chain";
  return kind_of(spec.of.front());
}

const Names& every_kind() {
  static const Names kinds{"sgd",
                           "momentum",
                           "nesterov",
                           "trace",
                           "scale",
                           "scale_by_adam",
                           "adam",
                           "adamw",
                           "add_decayed_weights",
                           "clip",
                           "clip_by_global_norm",
                           "scale_by_schedule",
                           "ema",
                           "masked",
                           "chain"};
  return kinds;
}

bool is_plain(const Plan& plan) {
  auto odd = [](const Spec& s) {
    return s.op == "multi_steps" && (s.text("skip") != "never" || s.text("reduce") != "mean");
  };
  return !any_op(plan.spec, odd) && !any_number(plan, [](double x) { return !std::isfinite(x); });
}

/// Of the plain experiments of that form: transformation -> what is found in each plan.
std::map<std::string, Names> found_by_kind(const std::vector<Golden>& goldens, bool (*form)(const Spec&), auto found) {
  std::map<std::string, Names> all;
  for (const std::string& kind : every_kind()) all[kind];
  for (const Golden& golden : goldens) {
    const Plan& plan = golden.plans.at(Role::accumulated);
    if (form(plan.spec) && is_plain(plan)) all[wrapped_kind(plan.spec)].insert(found(plan));
  }
  return all;
}

std::string k_of(const Plan& plan) {
  const Spec& accumulator = is_apply_every(plan.spec) ? plan.spec.of.back() : plan.spec;
  return accumulator.is_list("k") ? "schedule" : fmt::to_string(accumulator.integer("k"));
}

std::string dtype_of(const Plan& plan) { return std::string(to_string(plan.params.leaf(0).dtype)); }

TEST_P(Goldens, HoldEachTransformationAlone) {
  for (const auto& [kind, dtypes] : found_by_kind(goldens(), is_alone, dtype_of)) {
    EXPECT_EQ(dtypes, (Names{"float32", "float64", "bfloat16"})) << kind;
    EXPECT_TRUE(every_kind().contains(kind)) << kind;
  }
}

TEST_P(Goldens, HoldPartialWindowsInThreeDtypesAndUnderASchedule) {
  Names dtypes, ks;
  for (const Golden& golden : goldens()) {
    const Plan& plan = golden.plans.at(Role::accumulated);
    std::int64_t consumed = 0;
    for (const auto& window : windows(plan)) consumed += std::ssize(window);
    const bool is_partial = golden.id.find("partial") != std::string::npos;
    EXPECT_TRUE(!is_partial || consumed < std::ssize(plan.batches)) << golden.id;
    if (!is_partial) continue;
    dtypes.insert(dtype_of(plan));
    ks.insert(k_of(plan));
  }
  EXPECT_EQ(dtypes, (Names{"float32", "float64", "bfloat16"}));
  EXPECT_EQ(ks, (Names{"3", "schedule"}));
}

TEST_P(Goldens, HoldEachTransformationUnderEveryKAndAScheduleOfIt) {
  for (const auto& [kind, ks] : found_by_kind(goldens(), is_multi_steps, k_of))
    EXPECT_EQ(ks, (Names{"1", "2", "3", "4", "schedule"})) << "multi_steps of " << kind;
  for (const auto& [kind, ks] : found_by_kind(goldens(), is_apply_every, k_of))
    EXPECT_EQ(ks, (Names{"1", "2", "3", "4"})) << "apply_every behind " << kind;
}

TEST_P(Goldens, HoldEachTransformationInThreeDtypes) {
  for (bool (*form)(const Spec&) : {is_multi_steps, is_apply_every})
    for (const auto& [kind, dtypes] : found_by_kind(goldens(), form, dtype_of))
      EXPECT_EQ(dtypes, (Names{"float32", "float64", "bfloat16"}))
          << (form == is_multi_steps ? "multi_steps of " : "apply_every behind ") << kind;
}

std::string name_of_nonfinite(double x) { return std::isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity"; }

/// `1 NaN` for a NaN in the first microstep of a window, of those experiments; elsewhere: not in the first number of
/// the first leaf.
Names poisons_where(const std::vector<Golden>& goldens, std::int64_t k, auto wanted, bool elsewhere = false) {
  Names found;
  for (const Golden& golden : goldens) {
    const Plan& plan = golden.plans.at(Role::accumulated);
    if (!has_k(plan.spec, k) || !wanted(plan.spec)) continue;
    for (std::size_t t = 0; t < plan.given.size(); ++t)
      for (std::size_t leaf = 0; leaf < plan.given[t].gradient.leaf_count(); ++leaf)
        for (std::size_t j = 0; j < plan.given[t].gradient.values(leaf).size(); ++j)
          if (double x = plan.given[t].gradient.values(leaf)[j]; !std::isfinite(x) && (leaf + j > 0) == elsewhere)
            found.insert(fmt::format("{} {}", static_cast<std::int64_t>(t) % k + 1, name_of_nonfinite(x)));
  }
  return found;
}

auto multi_steps_of(const char* kind, const char* skip) {
  return [=](const Spec& s) { return is_multi_steps(s) && kind_of(s.of.front()) == kind && s.text("skip") == skip; };
}

void expect_all(const Names& found, const Names& due, const char* what) {
  for (const std::string& each : due) EXPECT_TRUE(found.contains(each)) << what << ": " << each;
}

TEST_P(Goldens, HoldANumberThatIsNotFiniteInEachPosition) {
  const Names both{"1 NaN", "2 NaN", "3 NaN", "1 Infinity", "2 Infinity", "3 Infinity"};
  expect_all(poisons_where(goldens(), 3, multi_steps_of("sgd", "never")), both, "sgd");
  expect_all(poisons_where(goldens(), 3, multi_steps_of("sgd", "not_finite")), both, "sgd, skipped");
  expect_all(poisons_where(goldens(), 3, multi_steps_of("adam", "never")),
             {"1 NaN", "2 NaN", "3 NaN", "1 Infinity", "2 -Infinity", "3 Infinity"}, "adam");
  expect_all(poisons_where(goldens(), 3, multi_steps_of("adam", "not_finite")), {"1 -Infinity", "2 NaN", "3 NaN"},
             "adam, skipped");
  expect_all(poisons_where(goldens(), 2, is_apply_every), {"1 NaN", "2 NaN", "1 Infinity", "2 Infinity"},
             "apply_every");
  EXPECT_GE(count([](const Plan& p) { return is_multi_steps(p.spec) && p.spec.text("skip") == "large"; }), 1);
}

TEST_P(Goldens, HoldANumberThatIsNotFiniteBehindTheFirstAndANegativeOne) {
  expect_all(poisons_where(goldens(), 3, multi_steps_of("sgd", "never")), {"1 -Infinity"}, "sgd");
  expect_all(poisons_where(goldens(), 3, multi_steps_of("sgd", "never"), true), {"2 NaN"}, "sgd");
  expect_all(poisons_where(goldens(), 3, multi_steps_of("sgd", "not_finite"), true), {"2 NaN"}, "sgd, skipped");
  expect_all(poisons_where(goldens(), 2, is_apply_every, true), {"1 -Infinity"}, "apply_every");
}

// Where Optax's compiler selects in place of multiplying by 0 (docs/optax.md), which no other shape shows.
TEST_P(Goldens, HoldANumberThatIsNotFiniteInALeafOfRankZero) {
  auto at_rank_zero = [](const Plan& plan) {
    for (std::size_t leaf = 0; leaf < plan.params.leaf_count(); ++leaf)
      if (plan.params.leaf(leaf).shape.empty())
        for (const GivenGradient& given : plan.given)
          if (!std::isfinite(given.gradient.values(leaf)[0])) return true;
    return false;
  };
  EXPECT_GE(count([&](const Plan& p) { return is_apply_every(p.spec) && at_rank_zero(p); }), 1);
}

}  // namespace
}  // namespace microstep
