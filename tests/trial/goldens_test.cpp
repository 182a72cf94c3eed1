// What the committed goldens of Optax hold: the counts that the corpus has to have, read from the plans, never from
// names.
#include <fmt/format.h>

#include <set>

#include "goldens_fixture.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/trial/evidence.hpp"
#include "microstep/trial/record.hpp"
#include "microstep/trial/verify.hpp"

namespace microstep {
namespace {

INSTANTIATE_TEST_SUITE_P(Optax, Goldens, testing::Values("0.2.6", "0.2.8"), [](const auto& info) {
  std::string name = std::string("v") + info.param;
  std::ranges::replace(name, '.', '_');
  return name;
});

bool is_dyadic(double x) { return std::isfinite(x) && std::round(x * 1024) == x * 1024; }

bool all_dyadic(const Value& value) {
  if (const auto* list = std::get_if<std::vector<Value>>(&value.data)) return std::ranges::all_of(*list, all_dyadic);
  const auto* number = std::get_if<double>(&value.data);
  return !number || is_dyadic(*number);
}

// eps decides nothing of what is exact: behind a root nothing is.
bool all_dyadic(const Spec& spec) {
  for (const auto& [name, value] : spec.args)
    if (!name.starts_with("eps") && !all_dyadic(value)) return false;
  return std::ranges::all_of(spec.of, [](const Spec& inner) { return all_dyadic(inner); });
}

// Of docs/optax.md: multiples of 12/64, so that running means over 1 to 4 are exact; a poison is no number of the
// probe.
bool is_dyadic_probe(const Plan& plan) {
  auto odd = [](double x) { return !std::isfinite(x) || std::round(x * 64 / 12) * 12 != x * 64; };
  return all_dyadic(plan.spec) && !any_number(plan, odd);
}

bool is_zero(const Plan& plan) {
  return !any_number(plan, [](double x) { return x != 0; });
}

TEST_P(Goldens, AreAtLeastSixtyAndAllUsable) {
  const GoldenFolder& folder = golden_folder(GetParam());
  EXPECT_GE(folder.goldens.size(), 60U);
  for (const Error& fault : folder.faults) ADD_FAILURE() << fault.what();
  EXPECT_EQ(folder.orphans, std::vector<std::string>());
  EXPECT_EQ(folder.pending, std::vector<std::string>());
}

bool is_zero(const Tree<double>& gradient) {
  for (std::size_t i = 0; i < gradient.leaf_count(); ++i)
    if (!std::ranges::all_of(gradient.values(i), [](double x) { return x == 0; })) return false;
  return true;
}

bool are_same(const Tree<double>& a, const Tree<double>& b) {
  for (std::size_t i = 0; i < a.leaf_count(); ++i)
    if (!std::ranges::equal(a.values(i), b.values(i))) return false;
  return true;
}

// Where two microsteps were the same, the first, the last and the mean of both would be, too.
TEST_P(Goldens, RepeatNoMicrostepButZeroOnes) {
  std::size_t compared = 0;
  for (const Golden& golden : goldens()) {
    const auto& given = accumulated(golden).given;
    for (std::size_t t = 0; t < given.size(); ++t)
      for (std::size_t s = 0; s < t; ++s, ++compared)
        EXPECT_TRUE(is_zero(given[t].gradient) || !are_same(given[s].gradient, given[t].gradient))
            << golden.id << " " << s + 1 << " " << t + 1;
  }
  EXPECT_GT(compared, 2000U);
}

TEST_P(Goldens, HaveThreeWindowsAndSomeAPartialOne) {
  std::set<std::string> partial;
  for (const Golden& golden : goldens()) {
    const Plan& plan = accumulated(golden);
    const auto skipped = skipped_microsteps(plan);
    const auto full = windows(plan, skipped);
    EXPECT_GE(full.size(), 3U) << golden.id;
    if (full.back().back() + 1 < static_cast<std::int64_t>(plan.batches.size()) &&
        std::ranges::count(skipped, true) == 0)
      partial.insert(plan.spec.op);
  }
  EXPECT_EQ(partial, (std::set<std::string>{"chain", "multi_steps"}));
}

TEST_P(Goldens, HoldZeroGradientsAndOddShapes) {
  EXPECT_GE(count([](const Plan& p) { return is_zero(p); }), 2);
  auto leaf = [](auto wanted) {
    return [=](const Plan& p) { return std::ranges::any_of(p.params.layout().leaves(), wanted); };
  };
  EXPECT_GE(count(leaf([](const Leaf& l) { return l.shape.size() == 2 && element_count(l.shape) == 0; })), 2);
  EXPECT_GE(count(leaf([](const Leaf& l) { return l.shape.empty(); })), 2);
  EXPECT_GE(count(leaf([](const Leaf& l) { return l.shape.size() == 2 && l.shape[0] != l.shape[1]; })), 60);
}

TEST_P(Goldens, AreDyadicByHalfAndThoseByAThirdOfThree) {
  const std::int64_t all = std::ssize(goldens());
  const std::int64_t dyadic = count([](const Plan& p) { return is_dyadic_probe(p); });
  const std::int64_t three = count([](const Plan& p) { return is_dyadic_probe(p) && has_k(p.spec, 3); });
  fmt::print("optax-{}: {} experiments, {} dyadic, {} of these with k = 3\n", GetParam(), all, dyadic, three);
  EXPECT_GE(2 * dyadic, all);
  EXPECT_GE(3 * three, dyadic);
}

TEST_P(Goldens, SayWhyAndWhereFrom) {
  for (const Golden& golden : goldens()) {
    EXPECT_NE(golden.why, "") << golden.id;
    EXPECT_NE(golden.source, "") << golden.id;
    EXPECT_EQ(golden.provenance.library, "optax") << golden.id;
    EXPECT_EQ(golden.provenance.runtime.at("optax"), GetParam()) << golden.id;
    for (const char* program : {"jax", "jaxlib", "python", "numpy"})
      EXPECT_NE(golden.provenance.runtime.at(program), "") << golden.id;
    EXPECT_NE(golden.provenance.machine, "") << golden.id;
  }
}

TEST_P(Goldens, KeepTheirBytes) {
  for (const Golden& golden : goldens()) {
    const std::string path = golden_folder(GetParam()).path + "/" + file_name_of(golden.id);
    EXPECT_TRUE(encode_golden(golden) == read_file(path)) << golden.id;
  }
}

// The list makes the plans: whoever runs `record` gets the experiments that are kept.
TEST_P(Goldens, AreThoseOfTheList) {
  const std::string list = source_path("golden/optax.experiments.json");
  std::map<std::string, Recipe> recipes;
  for (Recipe& recipe : read_recipes(read_file(list), list)) recipes.emplace(recipe.id, recipe);
  EXPECT_EQ(recipes.size(), goldens().size());
  for (const Golden& golden : goldens()) {
    ASSERT_TRUE(recipes.contains(golden.id)) << golden.id;
    PortFacts facts;
    facts.hyper_precision = golden.provenance.hyper_precision;
    facts.flushes_subnormals = golden.provenance.flushes_subnormals;
    facts.running_mean = true;  // as the port declares
    const Experiment experiment = experiment_of(recipes.at(golden.id), facts);
    for (const auto& [role, plan] : golden.plans)
      EXPECT_TRUE(encode_plan(plan) == encode_plan(experiment.plans.at(role))) << golden.id << " " << to_string(role);
  }
}

// Our engine judges the kept traces; no process is started.
TEST_P(Goldens, AreVerified) {
  const VerifiedFolder verified =
      verify(golden_folder(GetParam()).path, nullptr, false, "", [](std::size_t, std::size_t) {});
  EXPECT_EQ(verified.experiments.size(), goldens().size());
  std::int64_t exact = 0, judged = 0, without_room = 0;
  for (const CheckedExperiment& experiment : verified.experiments) {
    for (const std::string& problem : experiment.problems) ADD_FAILURE() << experiment.id << ": " << problem;
    EXPECT_TRUE(experiment.skipped.empty()) << experiment.id;
    without_room +=
        std::ranges::all_of(experiment.faithful, [](const auto& run) { return run.second.exact == run.second.judged; });
    for (const auto& [role, faithful] : experiment.faithful) {
      exact += faithful.exact;
      judged += faithful.judged;
    }
  }
  fmt::print("optax-{}: {} numbers judged, {} of them with no room at all, so in {} whole experiments\n", GetParam(),
             judged, exact, without_room);
  EXPECT_GE(2 * exact, judged);
  EXPECT_GE(2 * without_room, std::ssize(verified.experiments));
}

}  // namespace
}  // namespace microstep
