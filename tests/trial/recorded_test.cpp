// Recipes that are refused; recording, explaining behaviours and comparing folders, with our own engine as the library.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "microstep/golden/file.hpp"
#include "microstep/trial/check.hpp"
#include "microstep/trial/diff.hpp"
#include "microstep/trial/evidence.hpp"
#include "microstep/trial/record.hpp"

namespace microstep {
namespace {

namespace fs = std::filesystem;

std::string list_of(const std::string& members) {
  return R"x({"schema":"microstep/experiments/1","experiments":[{"id":"one","why":"w","source":"s",)x" + members +
         "}]}";
}

Recipe recipe_of(const std::string& members) { return read_recipes(list_of(members), "list")[0]; }

struct Refused {
  const char* members;
  const char* id;
};

class RecipeRefusal : public ::testing::TestWithParam<Refused> {};

TEST_P(RecipeRefusal, IsAnErrorOfTheFile) {
  try {
    recipe_of(GetParam().members);
    FAIL() << "not refused";
  } catch (const FileError& error) {
    EXPECT_EQ(error.id(), GetParam().id);
    EXPECT_TRUE(error.place().starts_with("list#/experiments/0")) << error.place();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Members, RecipeRefusal,
    ::testing::Values(Refused{R"x("plans":"same")x", "json.missing-key"},
                      Refused{R"x("spec":"sgd(1)")x", "json.missing-key"},
                      Refused{R"x("spec":"sgd(-1)","plans":"same")x", "spec.out-of-range"},
                      Refused{R"x("spec":"sgd(1)","plans":"equal")x", "recipe.unknown-name"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","leaves":"many")x", "recipe.unknown-name"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","draw":"any")x", "recipe.unknown-name"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","roles":["main"])x", "recipe.unknown-name"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","windows":-1)x", "plan.option"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","windows":"3")x", "json.wrong-type"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","dtype":"int8")x", "json.unknown-dtype"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","broken":["reduction.men"])x", "contract.unknown"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","behaviours":["odd"])x", "behaviour.unknown"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","poisons":[{"microstep":1,"value":0,"at":1}])x",
                              "json.unknown-key"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","poisons":[{"microstep":1,"value":0,"leaf":"c"}])x",
                              "recipe.unknown-name"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","poisons":[{"microstep":1,"value":0,"element":6}])x",
                              "recipe.no-element"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","poisons":[{"microstep":1,"value":0,"element":-1}])x",
                              "recipe.no-element"},
                      Refused{R"x("spec":"sgd(1)","plans":"same","windws":3)x", "json.unknown-key"}));

TEST(RecipePoison, IsOneElementOfTheLeafItNames) {
  const Recipe recipe = recipe_of(
      R"x("spec":"sgd(1)","plans":"same","windows":2,"poisons":[{"microstep":2,"value":96,"leaf":"b","element":1}])x");
  const Plan plan = experiment_of(recipe, PortFacts{}).plans.at(Role::accumulated);
  std::vector<std::string> found;
  for (std::size_t t = 0; t < plan.given.size(); ++t)
    for (std::size_t i = 0; i < plan.given[t].gradient.leaf_count(); ++i)
      for (std::size_t j = 0; j < plan.given[t].gradient.values(i).size(); ++j)
        if (plan.given[t].gradient.values(i)[j] == 96)
          found.push_back(fmt::format("{}{}{}", t, plan.params.leaf(i).name, j));
  EXPECT_EQ(found, std::vector<std::string>{"1b1"});
}

// float64 gradients with full significands under an accumulator whose dtype is left to the library.
const char* mean_of_three = R"x("spec":"multi_steps(sgd(0.5), k=3)","plans":"same","dtype":"float64","draw":"scaled")x";

Answer keeps_float32(const Plan& plan) {
  Plan other = plan;
  other.spec = with_behaviours(plan.spec, std::vector<std::string>{"acc-float32"});
  return own_run(other);
}

Answer twice_the_rate(const Plan& plan) {
  Plan other = plan;
  std::string spec = to_string(plan.spec);
  other.spec = parse_spec(spec.replace(spec.find("0.5"), 3, "1"));
  return own_run(other);
}

class RecordedFolder : public ::testing::Test {
 protected:
  RecordedFolder() {
    std::string pattern = (fs::temp_directory_path() / "microstep-trial-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
  }
  ~RecordedFolder() override { fs::remove_all(root); }
  std::string folder(const std::string& name, const Producer& library, const char* members = mean_of_three) {
    const std::string path = root + "/" + name;
    last = record(path, {recipe_of(members)}, PortFacts{}, library, [](std::size_t) {})[0];
    return path;
  }

  std::string root;
  Recorded last;
};

TEST_F(RecordedFolder, TheDefinitionNeedsNoBehaviour) {
  folder("own", own_run);
  EXPECT_EQ(last.written, Written::created);
  EXPECT_TRUE(last.behaviours.empty());
  EXPECT_TRUE(last.problems.empty());
}

TEST_F(RecordedFolder, AnAccumulatorInFloat32IsNamed) {
  folder("float32", keeps_float32);
  EXPECT_EQ(last.behaviours, std::vector<std::string>{"acc-float32"});
  EXPECT_EQ(last.written, Written::created) << (last.problems.empty() ? "" : last.problems[0]);
}

TEST_F(RecordedFolder, WhatNoBehaviourExplainsIsNotWritten) {
  const std::string path = folder("wrong", twice_the_rate);
  ASSERT_FALSE(last.problems.empty());
  EXPECT_NE(last.problems[0].find("numbers are not the spec's, first"), std::string::npos) << last.problems[0];
  EXPECT_FALSE(fs::exists(path + "/one.json"));
}

TEST_F(RecordedFolder, ExplainingBehavioursAreTheFewest) {
  const Experiment experiment = experiment_of(recipe_of(mean_of_three), PortFacts{});
  auto by = [](Answer (*library)(const Plan&)) { return [library](Role, const Plan& plan) { return library(plan); }; };
  EXPECT_EQ(explaining_behaviours(experiment, by(own_run)), std::vector<std::string>{});
  EXPECT_EQ(explaining_behaviours(experiment, by(keeps_float32)), std::vector<std::string>{"acc-float32"});
  EXPECT_EQ(explaining_behaviours(experiment, by(twice_the_rate)), std::nullopt);
}

TEST_F(RecordedFolder, WhatWasDerivedOtherwiseIsAProblem) {
  const Experiment experiment = experiment_of(recipe_of(mean_of_three), PortFacts{});
  auto own = [](Role, const Plan& plan) { return own_run(plan); };
  EXPECT_TRUE(check_experiment(experiment, {}, own).problems.empty());
  const auto wrong = check_experiment(experiment, {Sameness::different, {"reduction.mean"}, {}}, own);
  ASSERT_EQ(wrong.problems.size(), 2u);
  EXPECT_TRUE(wrong.problems[0].starts_with("reduction.mean: the verdict is holds where broken was derived: "));
}

TEST_F(RecordedFolder, DiffNamesTheDtypeAndTheBehaviour) {
  const FolderDiff found = diff(folder("before", own_run), folder("after", keeps_float32));
  std::vector<std::string> what;
  for (const BehaviourChange& change : found.changes) what.push_back(change.what);
  EXPECT_EQ(what, (std::vector<std::string>{"acc_grads: float64 → float32", "behaviour acc-float32: new"}));
  EXPECT_GT(found.changes[0].largest, 0);
  EXPECT_EQ(found.compared, 1);
}

TEST_F(RecordedFolder, DiffOfAFolderAndItselfIsEmpty) {
  const std::string path = folder("one", own_run);
  const FolderDiff found = diff(path, path);
  EXPECT_TRUE(found.changes.empty() && found.only_before.empty() && found.only_after.empty() && found.faults.empty());
  EXPECT_TRUE(found.leaves.empty());
}

// 1 - b and 1 - b^t formed in float32 or in float64: other last bits, both inside of the ball of an undeclared one.
TEST_F(RecordedFolder, DiffCallsOtherLastBitsRounding) {
  const char* adam = R"x("spec":"multi_steps(adam(0.1), k=3)","plans":"same","draw":"scaled")x";
  auto with = [](HyperPrecision precision) {
    return [precision](const Plan& plan) {
      Plan other = plan;
      other.hyper_precision = precision;
      return own_run(other);
    };
  };
  const FolderDiff found =
      diff(folder("a", with(HyperPrecision::float64), adam), folder("b", with(HyperPrecision::leaf), adam));
  EXPECT_TRUE(last.problems.empty());
  EXPECT_TRUE(found.changes.empty()) << found.changes[0].what;
  EXPECT_FALSE(found.leaves.empty());
  EXPECT_EQ(rounding_in(found).verdict, RoundingKind::rounding);
}

TEST_F(RecordedFolder, DiffSaysThatAnotherArithmeticIsDeclared) {
  const char* adam = R"x("spec":"multi_steps(adam(0.1), k=3)","plans":"same","draw":"scaled")x";
  auto declared = [&](const std::string& name, HyperPrecision precision) {
    PortFacts facts;
    facts.hyper_precision = precision;
    record(root + "/" + name, {recipe_of(adam)}, facts, own_run, [](std::size_t) {});
    return root + "/" + name;
  };
  const FolderDiff found = diff(declared("a", HyperPrecision::float64), declared("b", HyperPrecision::leaf));
  ASSERT_EQ(found.changes.size(), 1u);
  EXPECT_TRUE(found.changes[0].what.starts_with("declared hyper_precision: float64 → leaf; numbers: accumulated: "))
      << found.changes[0].what;
}

// Another learning rate in the list of experiments, the same id.
TEST_F(RecordedFolder, DiffOfOtherExperimentsSaysSoAndComparesNoNumber) {
  const char* faster = R"x("spec":"multi_steps(sgd(1), k=3)","plans":"same","dtype":"float64","draw":"scaled")x";
  const FolderDiff found = diff(folder("slow", own_run), folder("fast", own_run, faster));
  ASSERT_EQ(found.other_experiments.size(), 1u);
  EXPECT_EQ(found.other_experiments[0].id, "one");
  EXPECT_EQ(found.other_experiments[0].fields,
            (std::vector<std::string>{"spec: multi_steps(sgd(0.5), k=3) → multi_steps(sgd(1), k=3)",
                                      "reference: spec: sgd(0.5) → sgd(1)"}));
  EXPECT_TRUE(found.changes.empty());
  EXPECT_EQ(found.compared, 0);
  EXPECT_TRUE(found.leaves.empty());
}

TEST_F(RecordedFolder, DiffSeesOtherNumbersAndRolesOfExperiments) {
  const std::string all = mean_of_three, of_one = all + R"x(,"roles":["accumulated"])x";
  const std::string exact = R"x("spec":"multi_steps(sgd(0.5), k=3)","plans":"same","dtype":"float64")x";
  const std::string first = folder("first", own_run);
  auto fields = [&](const std::string& name, const std::string& members) {
    return diff(first, folder(name, own_run, members.c_str())).other_experiments.at(0).fields;
  };
  EXPECT_EQ(fields("exact", exact), std::vector<std::string>{"given"});
  EXPECT_EQ(fields("one", of_one), std::vector<std::string>{"reference: gone"});
}

TEST_F(RecordedFolder, DiffSaysWhatIsInOneFolderOnly) {
  const std::string before = folder("before", own_run), after = root + "/after";
  fs::create_directory(after);
  write_file(after + "/MANIFEST.sha256", std::string(64, 'a') + "  gone.json\n");
  const FolderDiff found = diff(before, after);
  EXPECT_EQ(found.only_before, std::vector<std::string>{"one"});
  EXPECT_EQ(found.compared, 0);
}

}  // namespace
}  // namespace microstep
