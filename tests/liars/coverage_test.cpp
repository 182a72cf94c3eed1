// Each public report of a transformation's fault has a liar, or a reason why none of ours can show it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/liars/liar.hpp"

namespace microstep::liars {
namespace {

/// The reports whose fault lies in a transformation of gradients (level T).
const std::set<std::string_view> of_transformations = {
    "B011", "B013", "B030", "B031", "B033", "B035", "B039", "B044", "B046", "B047", "B049", "B050", "B052",
    "B053", "B055", "B057", "B058", "B059", "B060", "B063", "B064", "B065", "B071", "B090", "B091", "B093",
    "B095", "B096", "B099", "B100", "B102", "B104", "B106", "B107", "B109", "B110", "B111", "B112", "B113",
    "B115", "B116", "B117", "B120", "B122", "B123", "B126", "B127", "B128", "B150", "B155", "B198"};

/// What the language has no word for, so that no claim of a spec can be false in that way.
const std::map<std::string_view, std::string_view> out_of_reach = {
    {"B046", "Lion is no op; decay-into-gradient does the same to adamw, whose first step is a sign too"},
    {"B063", "the offset of Adafactor's decay schedule: Adafactor is no op, and schedules here begin at step 0"},
    {"B104", "the maximum of AMSGrad is no slot of any op"},
    {"B110", "NAdam's momentum schedule is no op; a golden of the older version is what shows such a change"},
    {"B111", "Adagrad's sum of squares is no op, so it has no surplus state either"},
    {"B112", "where Adafactor multiplies by the rate: Adafactor is no op; rate-inside-momentum does it to sgd"},
    {"B123", "a gradient has leaves that are dense, zero or absent; sparse rows cannot be given"},
    {"B155", "a call with an argument left out never reaches a port, whose request is a whole plan"}};

std::set<std::string_view> tagged() {
  std::set<std::string_view> ids;
  for (const Liar& row : liars()) ids.insert(row.reports.begin(), row.reports.end());
  return ids;
}

TEST(Coverage, EachReportOfATransformationHasALiarOrAReason) {
  const std::set<std::string_view> shown = tagged();
  for (std::string_view id : of_transformations)
    EXPECT_NE(shown.contains(id), out_of_reach.contains(id))
        << id << ": exactly one of a liar's tag and a reason is due";
}

TEST(Coverage, ReasonsAreGivenForReportsOnly) {
  for (const auto& [id, reason] : out_of_reach) {
    EXPECT_TRUE(of_transformations.contains(id)) << id;
    EXPECT_FALSE(reason.empty()) << id;
  }
}

}  // namespace
}  // namespace microstep::liars
