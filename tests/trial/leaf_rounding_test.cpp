// Between two folders, what is rounding is said by leaf, and nothing of what is equal.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "goldens_fixture.hpp"
#include "microstep/trial/diff.hpp"
#include "nudged.hpp"

namespace microstep {
namespace {

const Golden& kept(const std::string& id) {
  const auto& goldens = golden_folder("0.2.6").goldens;
  return *std::ranges::find(goldens, id, &Golden::id);
}

// Two folders with one golden each.
FolderDiff between(const Golden& before, const Golden& after) {
  const std::string path = testing::TempDir() + "microstep-leaves-" + fmt::to_string(::getpid());
  for (const auto& [name, golden] : {std::pair("/before", &before), std::pair("/after", &after)})
    GoldenWriter(path + name).record(*golden);
  FolderDiff found = diff(path + "/before", path + "/after");
  std::filesystem::remove_all(path);
  return found;
}

const Golden& rounded() { return kept("sgd.multi_steps3.float32.scaled"); }

TEST(LeafRounding, OfOneNumberNamesItsLeafAndPlace) {
  const auto other = nudged(rounded());
  ASSERT_TRUE(other);
  const FolderDiff found = between(rounded(), *other);
  EXPECT_TRUE(found.changes.empty()) << found.changes.front().what;
  ASSERT_EQ(found.leaves.size(), 1U);
  const LeafRounding& leaf = found.leaves.front();
  EXPECT_EQ(leaf.numbers, 1);
  EXPECT_EQ(leaf.role, Role::accumulated);
  EXPECT_TRUE(leaf.path.starts_with("params/")) << leaf.path;
  const std::int64_t last = other->traces.at(Role::accumulated).microsteps();
  EXPECT_TRUE(leaf.place.starts_with("microstep " + fmt::to_string(last) + ", " + leaf.path)) << leaf.place;
  EXPECT_TRUE(leaf.share > 0 && leaf.share <= 1) << leaf.share;
  EXPECT_EQ(rounding_in(found).verdict, RoundingKind::rounding);
  EXPECT_EQ(rounding_in(found).max_ratio, leaf.share);
}

// Both lie half of the grid's step, or less, from the exact number, in a ball of at least that: together a step.
TEST(LeafRounding, IsTheLargerShareOfBothFolders) {
  const Golden other = nudged(rounded()).value();
  const FolderDiff forth = between(rounded(), other), back = between(other, rounded());
  EXPECT_EQ(forth.leaves.at(0).share, back.leaves.at(0).share);
  EXPECT_GE(forth.leaves.at(0).share, 0.5);
}

TEST(LeafRounding, OfEqualNumbersIsNone) {
  const FolderDiff found = between(rounded(), rounded());
  EXPECT_TRUE(found.leaves.empty());
  EXPECT_EQ(rounding_in(found).verdict, RoundingKind::exact);
}

TEST(LeafRounding, OfANumberOutsideIsNone) {
  Golden other = rounded();
  Trace& trace = other.traces.at(Role::accumulated);
  const auto column = trace.schema().find_column("params/b").value();
  trace.numbers(trace.rows() - 1, column)[0] += 1;
  const FolderDiff found = between(rounded(), other);
  EXPECT_TRUE(found.leaves.empty());
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_TRUE(found.changes[0].what.starts_with("numbers: accumulated: ")) << found.changes[0].what;
  EXPECT_EQ(rounding_in(found).verdict, RoundingKind::semantic);
}

// What differs beside a change of behaviour may follow from it.
TEST(LeafRounding, IsNotSaidOfAnExperimentWhoseBehaviourChanged) {
  Golden other = nudged(rounded()).value();
  other.expected.plans = Sameness::different;
  const FolderDiff found = between(rounded(), other);
  EXPECT_EQ(found.changes.size(), 1U);
  EXPECT_TRUE(found.leaves.empty());
}

}  // namespace
}  // namespace microstep
