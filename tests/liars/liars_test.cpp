// Every planted fault is caught, the honest run of the same claim is not accused, and no contract is idle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/liars/scene.hpp"

namespace microstep::liars {
namespace {

std::vector<Verdict> broken_among(std::vector<Verdict> verdicts) {
  std::erase_if(verdicts, [](const Verdict& verdict) { return verdict.outcome != Outcome::broken; });
  return verdicts;
}

std::string listed(const std::vector<Verdict>& verdicts) {
  std::string text;
  for (const Verdict& verdict : verdicts)
    text += fmt::format("\n    {} [{}]: {}", verdict.contract, fmt::join(verdict.causes, ", "), verdict.evidence);
  return text;
}

std::string name_of(Carrier carrier) {
  constexpr const char* names[] = {"float32", "float64", "balls"};
  return names[static_cast<int>(carrier)];
}

class EveryLiar : public testing::TestWithParam<std::tuple<std::size_t, Carrier>> {
 protected:
  const Liar& planted() const { return liars()[std::get<0>(GetParam())]; }
  Carrier carrier() const { return std::get<1>(GetParam()); }
};

TEST_P(EveryLiar, HonestRunOfTheClaimBreaksNothing) {
  EXPECT_EQ(listed(broken_among(verdicts_on(planted(), carrier(), true))), "") << planted().spec;
}

TEST_P(EveryLiar, IsCaughtAndNamed) {
  const auto caught = broken_among(verdicts_on(planted(), carrier(), false));
  EXPECT_FALSE(caught.empty()) << planted().id << ": " << planted().does;
  bool named = std::ranges::any_of(caught, [&](const Verdict& verdict) {
    return std::ranges::find(verdict.causes, planted().fault_class) != verdict.causes.end();
  });
  EXPECT_TRUE(named) << planted().id << " is no " << planted().fault_class << " in" << listed(caught);
  fmt::print("{} {}:{}\n", planted().id, name_of(carrier()), listed(caught));
}

INSTANTIATE_TEST_SUITE_P(Planted, EveryLiar,
                         testing::Combine(testing::Range<std::size_t>(0, liars().size()),
                                          testing::Values(Carrier::float32, Carrier::float64, Carrier::balls)),
                         [](const auto& info) {
                           std::string id(liars()[std::get<0>(info.param)].id);
                           std::ranges::replace(id, '-', '_');
                           return id + "_" + name_of(std::get<1>(info.param));
                         });

// In the microstep that took it, before any update shows it.
TEST(Liars, AMicrobatchThatIsKeptIsSeenWhereItIsKept) {
  for (std::string_view id : {"large-kept", "nan-kept"}) {
    const auto verdicts = verdicts_on(liar(id), Carrier::float64, false);
    const auto found = std::ranges::find(verdicts, "state.nonfinite_forgotten", &Verdict::contract);
    ASSERT_TRUE(found != verdicts.end() && found->place) << id;
    EXPECT_EQ(found->place->microstep, 2) << id;
    EXPECT_TRUE(found->place->path.starts_with("state/acc_grads/")) << id;
  }
}

TEST(Liars, AreAtLeastFortyWithDistinctIds) {
  std::set<std::string_view> ids;
  for (const Liar& row : liars()) ids.insert(row.id);
  EXPECT_EQ(ids.size(), liars().size());
  EXPECT_GE(ids.size(), 40U);
}

TEST(Liars, EveryContractCatchesOne) {
  std::map<std::string, std::set<std::string_view>> catches;
  for (const Liar& row : liars())
    for (const Verdict& verdict : broken_among(verdicts_on(row, Carrier::float64, false)))
      catches[verdict.contract].insert(row.id);
  for (const Contract& contract : contracts()) {
    EXPECT_FALSE(catches[std::string(contract.id)].empty()) << contract.id;
    fmt::print("{} catches {}\n", contract.id, fmt::join(catches[std::string(contract.id)], ", "));
  }
}

}  // namespace
}  // namespace microstep::liars
