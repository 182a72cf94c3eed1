// What happens to a law that is false: tested with one that is false on purpose.
#include "property/law.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "microstep/bound/semantics.hpp"
#include "microstep/json/plan.hpp"
#include "property/runs.hpp"

namespace microstep::property {
namespace {

PlanLimits sums() {
  PlanLimits limits;
  limits.spec.accumulators = Accumulators::outermost;
  limits.spec.least_k = 2;
  limits.spec.choices = {{"reduce", {"sum"}}, {"skip", {"never"}}};
  return limits;
}

// False: the sum of a window is k times its mean.
Ruling a_sum_is_a_mean(const Plan& plan) {
  const Plan reference = large_batch_of(plan);
  return same(decide({plan, reference, windows(plan)}));
}

class FalseLaw : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("microstep-false-law-{}", getpid());
    std::filesystem::remove_all(folder_);
    const char* named = std::getenv("MICROSTEP_FAILURES");
    before_ = named ? named : "";
    setenv("MICROSTEP_FAILURES", folder_.c_str(), 1);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    before_.empty() ? unsetenv("MICROSTEP_FAILURES") : setenv("MICROSTEP_FAILURES", before_.c_str(), 1);
  }

  Plan kept() const {
    const std::filesystem::directory_entry entry = *std::filesystem::directory_iterator(folder_);
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    return decode_experiment(text.str()).plans.at(Role::accumulated);
  }

  std::filesystem::path folder_;
  std::string before_;
};

Plan drawn_breaker() {
  for (std::uint64_t i = 0;; ++i) {
    Plan plan = draw_plan(Stream("false", 1), i, sums());
    if (a_sum_is_a_mean(plan).kind == Ruling::Kind::broken && plan.params.leaf_count() > 1) return plan;
  }
}

TEST_F(FalseLaw, ShrinksToTheLeastPlan) {
  failure_report("a-sum-is-a-mean", drawn_breaker(), a_sum_is_a_mean);
  const Plan least = kept();
  EXPECT_EQ(to_string(least.spec), "multi_steps(sgd(1), k=2, reduce=sum)");
  EXPECT_EQ(windows(least).size(), 1U);
  EXPECT_EQ(least.batches, (std::vector<std::vector<std::int64_t>>{{0}, {1}}));
  EXPECT_EQ(least.params.leaf_count(), 1U);
  EXPECT_EQ(least.params.layout().size(), 1);
  for (const GivenGradient& given : least.given) {
    const double g = given.gradient.values(0)[0];
    EXPECT_TRUE(g >= 1 && g <= 9 && static_cast<double>(static_cast<int>(g)) == g) << g;
  }
}

TEST_F(FalseLaw, KeepsAPlanThatBreaksItAgain) {
  failure_report("a-sum-is-a-mean", drawn_breaker(), a_sum_is_a_mean);
  EXPECT_EQ(a_sum_is_a_mean(kept()).kind, Ruling::Kind::broken);
}

TEST_F(FalseLaw, SaysSpecPlaceAndFile) {
  const std::string report = failure_report("a-sum-is-a-mean", drawn_breaker(), a_sum_is_a_mean);
  EXPECT_NE(report.find("the law a-sum-is-a-mean is broken: window 1, updates/"), std::string::npos) << report;
  EXPECT_NE(report.find("spec: multi_steps(sgd(1), k=2, reduce=sum)"), std::string::npos) << report;
  EXPECT_NE(report.find(folder_.string()), std::string::npos) << report;
}

TEST_F(FalseLaw, FailsAsAProperty) {
  const auto result = rc::detail::checkTestable([] { obey("a-sum-is-a-mean", sums(), a_sum_is_a_mean); });
  EXPECT_TRUE(result.is<rc::detail::FailureResult>());
  EXPECT_FALSE(std::filesystem::is_empty(folder_));
}

TEST(Law, DiscardsWhatIsUndecided) {
  const auto never = [](const Plan&) { return undecided("on purpose"); };
  const auto result = rc::detail::checkTestable([&] { obey("never", sums(), never); });
  EXPECT_TRUE(result.is<rc::detail::GaveUpResult>());
}

TEST(Law, PassesWhatHolds) {
  const auto always = [](const Plan&) { return holds(); };
  EXPECT_TRUE(rc::detail::checkTestable([&] { obey("always", sums(), always); }).is<rc::detail::SuccessResult>());
}

TEST(Law, CountsWhatItSaysNothingOf) {
  const auto of_some = [](const Plan& plan) { return plan.batches.size() > 3 ? beside("long") : holds(); };
  EXPECT_TRUE(rc::detail::checkTestable([&] { obey("of-some", sums(), of_some, 0); }).is<rc::detail::SuccessResult>());
  const Share share = shares().at("of-some");
  EXPECT_GT(share.judged, 0);
  EXPECT_GT(share.beside, 0);
}

TEST(Law, MustJudgeTheShareThatIsDue) {
  EXPECT_EQ(complaint({500, 500, 0.5}), "");
  EXPECT_EQ(complaint({499, 501, 0.5}), "it judged 499 of 1000 cases where 0.5 of them were due");
  EXPECT_NE(complaint({999, 1, 1}), "");
  EXPECT_EQ(complaint({0, 10, 1}), "") << "too few cases to tell";
}

TEST(Law, KeepsFailuresInTheTemporaryFolderUnlessTold) {
  if (std::getenv("MICROSTEP_FAILURES")) GTEST_SKIP() << "MICROSTEP_FAILURES is set";
  EXPECT_EQ(failures_folder(), (std::filesystem::temp_directory_path() / "microstep-failures").string());
}

}  // namespace
}  // namespace microstep::property
