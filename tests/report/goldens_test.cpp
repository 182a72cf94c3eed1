// Reports of folders from values made by hand.
#include "microstep/report/goldens.hpp"

#include <gtest/gtest.h>

namespace microstep {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

CheckedExperiment experiment(const std::string& id, std::vector<std::string> problems) {
  CheckedExperiment checked;
  checked.id = id;
  checked.problems = std::move(problems);
  checked.faithful[Role::accumulated].judged = 10;
  checked.faithful[Role::accumulated].exact = 4;
  return checked;
}

VerifiedFolder folder() {
  VerifiedFolder verified;
  verified.path = "goldens";
  verified.experiments = {experiment("good", {}), experiment("bad", {"one", "two"}), experiment("left.out", {})};
  verified.experiments[0].largest_share = 0.25;
  verified.experiments[0].largest_path = "accumulated updates/w";
  verified.experiments[2].skipped[Role::accumulated] = "no float16";
  verified.faults.emplace_back("golden.missing", "it is not there", "goldens/gone.json", "restore it");
  verified.orphans = {"stray.json"};
  verified.pending = {"bad.json.new"};
  verified.proposed = {"bad"};
  return verified;
}

TEST(Verified, EverythingWrongIsInSight) {
  const std::string text = text_report(folder());
  for (const char* line :
       {"FAIL bad: one\n", "FAIL bad: two\n", "SKIP left.out (accumulated): no float16\n",
        "FAULT golden.missing: it is not there", "ORPHAN stray.json", "PENDING bad.json.new", "WRITTEN bad.json.new",
        "30 numbers judged, 12 of them with no room at all; largest share of a bound 0.25 in good accumulated "
        "updates/w\n",
        "1 pass, 1 fail, 1 skipped, 1 faults, 1 orphans\n"})
    EXPECT_TRUE(has(text, line)) << line << "\nis missing in\n" << text;
}

TEST(Verified, JsonHasTheSame) {
  const std::string text = json_report(folder());
  for (const char* part : {"{\"id\":\"good\",\"verdict\":\"pass\"", "{\"id\":\"bad\",\"verdict\":\"fail\"",
                           "{\"id\":\"left.out\",\"verdict\":\"skipped\"", "\"problems\":[\"one\",\"two\"]",
                           "\"numbers\": 30", "\"exact\": 12", "\"pass\": 1", "\"fail\": 1", "\"skipped\": 1"})
    EXPECT_TRUE(has(text, part)) << part << "\nis missing in\n" << text;
}

TEST(Verified, JsonSaysWhatTheNumbersAre) {
  VerifiedFolder verified = folder();
  Faithfulness& good = verified.experiments[0].faithful[Role::accumulated];
  good.max_ratio = 0.25;
  good.max_place = "microstep 4, params/w[1]";
  EXPECT_TRUE(
      has(json_report(verified),
          R"("rounding":{"verdict":"rounding","max_ratio":0.25,"path":"accumulated, microstep 4, params/w[1]"})"));
  EXPECT_TRUE(has(json_report(verified), R"("rounding": {"verdict":"rounding","max_ratio":0.25,)"
                                         R"("path":"good, accumulated, microstep 4, params/w[1]"})"));
  verified.experiments[1].faithful[Role::accumulated].outside = 1;
  verified.experiments[2].faithful.clear();
  EXPECT_TRUE(has(json_report(verified), R"("rounding":null)"));
  EXPECT_TRUE(has(json_report(verified), R"("rounding": {"verdict":"semantic")"));
}

TEST(Recorded, RoundingIsSaid) {
  std::vector<Recorded> recorded(2);
  recorded[0].id = "a";
  EXPECT_FALSE(has(text_report(recorded), "rounding"));
  EXPECT_TRUE(has(json_report(recorded), R"("rounding": null)"));
  recorded[0].rounding = Rounding{RoundingKind::rounding, 0.25, "reference, microstep 4, params/w[1]"};
  EXPECT_TRUE(has(text_report(recorded),
                  "rounding: at most 0.25 of a bound, in a, reference, microstep 4, params/w[1]\n2 unchanged\n"));
  EXPECT_TRUE(
      has(json_report(recorded),
          R"("rounding":{"verdict":"rounding","max_ratio":0.25,"path":"reference, microstep 4, params/w[1]"})"));
  recorded[0].rounding = Rounding{};
  EXPECT_TRUE(has(text_report(recorded), "rounding: none, every number is exact\n"));
}

TEST(Recorded, EachOutcomeIsCounted) {
  std::vector<Recorded> recorded(4);
  recorded[0] = {"new", Written::created, {"acc-float32"}, {}, {}};
  recorded[1] = {"other", Written::pending, {}, {}, {}};
  recorded[2] = {"wrong", Written::unchanged, {}, {"not as derived"}, {}};
  recorded[3] = {"left.out", Written::unchanged, {}, {}, "no float16"};
  const std::string text = text_report(recorded);
  for (const char* line :
       {"new: behaves as acc-float32\n", "wrong: not written: not as derived\n", "left.out: skipped: no float16\n",
        "1 created\n", "1 pending\n", "1 refused\n", "1 skipped\n"})
    EXPECT_TRUE(has(text, line)) << line << "\nis missing in\n" << text;
  EXPECT_FALSE(has(text, "unchanged"));
  EXPECT_TRUE(has(json_report(recorded), "{\"id\":\"wrong\",\"outcome\":\"refused\""));
}

// Leaves of two experiments, one of them in two runs.
FolderDiff rounded() {
  FolderDiff diff;
  diff.compared = 2;
  diff.leaves = {{"a", Role::accumulated, "params/w", 3, 0.25, "microstep 4, params/w[1]"},
                 {"a", Role::reference, "params/w", 1, 0.5, "microstep 2, params/w[0]"},
                 {"a", Role::reference, "state/mu/w", 1, 0.125, "microstep 2, state/mu/w[0]"},
                 {"b", Role::accumulated, "params/w", 4, 0.375, "microstep 3, params/w[2]"}};
  return diff;
}

TEST(Diffed, RoundingIsSummedByLeaf) {
  EXPECT_EQ(
      text_report(rounded()),
      "params/w: rounding, 0.5 of the bound (8 numbers in 2 experiments, most in a)\n"
      "state/mu/w: rounding, 0.125 of the bound (1 numbers in 1 experiments, most in a)\n"
      "2 experiments compared, 0 changes of behaviour; elsewhere 9 numbers differ, all by rounding (largest share "
      "of a bound 0.5)\n");
}

TEST(Diffed, RoundingIsShownByExperimentWhereAllIsAskedFor) {
  const std::string text = text_report(rounded(), true);
  for (const char* line :
       {"most in a)\n  a (accumulated): 0.25 of the bound, 3 numbers, most in microstep 4, params/w[1]\n",
        "  a (reference): 0.5 of the bound, 1 numbers, most in microstep 2, params/w[0]\n",
        "  b (accumulated): 0.375 of the bound, 4 numbers, most in microstep 3, params/w[2]\nstate"})
    EXPECT_TRUE(has(text, line)) << line << "\nis missing in\n" << text;
}

TEST(Diffed, JsonHasEachLeafAndTheLargest) {
  const std::string text = json_report(rounded());
  for (const char* part :
       {R"({"experiment":"b","role":"accumulated","path":"params/w","numbers":4,"share":0.375,)"
        R"("place":"microstep 3, params/w[2]"})",
        R"("rounding": {"verdict":"rounding","max_ratio":0.5,"path":"a, reference, microstep 2, params/w[0]"})",
        R"("rounded": 9)", R"("largest_share": 0.5)"})
    EXPECT_TRUE(has(text, part)) << part << "\nis missing in\n" << text;
  EXPECT_TRUE(has(json_report(FolderDiff{}), R"("rounding": {"verdict":"undecidable","max_ratio":0,"path":null})"));
}

TEST(Diffed, AChangeIsShownWithItsEffect) {
  FolderDiff diff;
  diff.compared = 3;
  diff.leaves = {{"a", Role::accumulated, "params/w", 3, 0.25, "microstep 4, params/w[1]"},
                 {"b", Role::reference, "params/w", 4, 0.5, "microstep 2, params/w[0]"}};
  diff.changes.push_back({"acc_grads: float64 → float32", {"a", "b"}, 0.5, 0.25, 8, Dtype::float64, 2, 2.5});
  diff.only_after = {"c"};
  const std::string text = text_report(diff);
  EXPECT_TRUE(has(text,
                  "acc_grads: float64 → float32\n  float64 updates differ by up to 0.5: 2 → 2.5 (0.25 relative, 8 "
                  "ULP)\n  in a, b\nonly in the second: c\n"))
      << text;
  EXPECT_TRUE(has(text, "3 experiments compared, 1 changes of behaviour; elsewhere 7 numbers differ")) << text;
  EXPECT_TRUE(has(json_report(diff), "{\"what\":\"acc_grads: float64 → float32\",\"largest\":0.5"))
      << json_report(diff);
}

}  // namespace
}  // namespace microstep
