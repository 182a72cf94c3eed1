// A golden that was damaged on its way: each command that reads it exits with 3, says id, place and next step, and
// writes nothing.
#include "cli/command.hpp"
#include "microstep/golden/file.hpp"

namespace microstep::cli_test {
namespace {

constexpr const char* name = "sgd.alone.float32.json";

std::string whole() { return text_of(source("golden/optax-0.2.6/") + name); }

struct Damage {
  std::string what;
  std::string (*done)();
  /// The manifest has the hash of what stands there now: the damage was done before it was listed.
  bool listed;
  std::string id, place;
};

std::string twice() { return replaced(whole(), "\"why\": ", "\"why\": \"another\", \"why\": "); }
std::string newer() { return replaced(whole(), "microstep/golden/1", "microstep/golden/2"); }
// The example's number where the list of the microbatch's examples is due, and a gradient without its axes.
std::string no_batch_axis() { return replaced(whole(), "[[0],[1],[2],[3]]", "[0,1,2,3]"); }
std::string no_gradient_axis() {
  const std::string text = whole();
  const std::size_t first = text.find("\"w\":[", text.find("\"given\"")), last = text.find(']', first);
  return replaced(text, text.substr(first, last + 1 - first), "\"w\":0.9375");
}
std::string truncated() { return whole().substr(0, whole().size() / 2); }
std::string edited() { return replaced(whole(), "\"0.2.6\"", "\"0.2.7\""); }
std::string renamed() { return replaced(whole(), "\"sgd.alone.float32\"", "\"sgd.alone.float64\""); }

void list_as(const Folder& folder, const std::string& text) {
  folder.write("MANIFEST.sha256", sha256_of(text) + "  " + name + "\n");
}

const std::vector<Damage> damages = {
    {"twice", twice, true, "json.duplicate-key", "#\n"},
    {"newer", newer, true, "golden.newer-schema", "#/schema\n"},
    {"no_batch_axis", no_batch_axis, true, "json.wrong-type", "#/plans/accumulated/batches/0\n"},
    {"no_gradient_axis", no_gradient_axis, true, "json.shape-mismatch", "#/plans/accumulated/given/0/gradients/w\n"},
    {"truncated", truncated, true, "json.invalid-json", ":"},
    {"renamed", renamed, true, "golden.id-mismatch", "\n"},
    {"cut_later", truncated, false, "golden.corrupt", "\n"},
    {"edited", edited, false, "golden.corrupt", "\n"},
};

// A file that waits has no hash in the manifest: what only the hash tells is left out.
std::vector<Damage> seen_without_a_hash() {
  std::vector<Damage> seen = damages;
  std::erase_if(seen, [](const Damage& damage) { return damage.id == "golden.corrupt"; });
  return seen;
}

class Damaged : public ::testing::TestWithParam<Damage> {
 protected:
  Damaged() {
    bad.write(name, GetParam().done());
    list_as(bad, GetParam().listed ? GetParam().done() : whole());
    good.write(name, whole());
    list_as(good, whole());
  }
  // In the results, which also tell of the goldens that are whole.
  void expect_fault(const Result& result) const {
    EXPECT_EQ(result.code, 3) << result.out << result.err;
    const std::string begin = "FAULT " + GetParam().id + ": ";
    EXPECT_TRUE(result.says(begin)) << result.out;
    EXPECT_EQ(result.out.find("FAULT "), result.out.rfind("FAULT ")) << result.out;
    EXPECT_TRUE(result.says("\n  at " + bad.file(name) + GetParam().place)) << result.out;
    EXPECT_TRUE(result.says("\n  next: ")) << result.out;
  }

  Folder bad, good;
};

TEST_P(Damaged, IsNotVerified) {
  const auto before = bad.contents();
  expect_fault(microstep({"verify", bad.path}));
  EXPECT_EQ(bad.contents(), before);
}

TEST_P(Damaged, IsNotVerifiedAgainstAPortEither) {
  const auto before = bad.contents();
  expect_fault(microstep({"verify", bad.path, "--", MICROSTEP_BINARY, "serve"}));
  EXPECT_EQ(bad.contents(), before);
}

TEST_P(Damaged, IsNotComparedOnEitherSide) {
  const auto before = bad.contents();
  expect_fault(microstep({"diff", bad.path, good.path}));
  expect_fault(microstep({"diff", good.path, bad.path}));
  EXPECT_EQ(bad.contents(), before);
  EXPECT_EQ(good.contents(), (std::map<std::string, std::string>{
                                 {name, whole()}, {"MANIFEST.sha256", sha256_of(whole()) + "  " + name + "\n"}}));
}

INSTANTIATE_TEST_SUITE_P(Golden, Damaged, ::testing::ValuesIn(damages),
                         [](const auto& info) { return info.param.what; });

// A golden or the manifest that this user may not read; the folder can be written, so that only restraint keeps it.
class Unreadable : public ::testing::TestWithParam<const char*> {
 protected:
  Unreadable() {
    for (const Folder* each : {&folder, &good}) {
      each->write(name, whole());
      list_as(*each, whole());
      each->open_to_all_but("");
    }
  }
  static Result unprivileged(const std::vector<std::string>& arguments) {
    return microstep(arguments, Surroundings{{}, {}, {}, true});
  }
  // While the file is closed.
  void expect_refused(const std::vector<std::string>& arguments) const {
    const auto before = folder.contents();
    folder.open_to_all_but(GetParam());
    const Result result = unprivileged(arguments);
    folder.open_to_all_but("");
    const std::string all = result.out + result.err, begin = "file.unreadable: ";
    EXPECT_EQ(result.code, 3) << all;
    EXPECT_NE(all.find(begin), std::string::npos) << all;
    EXPECT_EQ(all.find(begin), all.rfind(begin)) << all;
    EXPECT_NE(all.find("\n  at " + folder.file(GetParam()) + "\n  next: "), std::string::npos) << all;
    EXPECT_EQ(folder.contents(), before);
  }

  Folder folder, good;
};

TEST_P(Unreadable, IsNotVerifiedAndNothingIsWritten) {
  EXPECT_EQ(unprivileged({"verify", folder.path}).code, 0);
  expect_refused({"verify", folder.path});
}

TEST_P(Unreadable, IsNotComparedOnEitherSide) {
  EXPECT_EQ(unprivileged({"diff", folder.path, good.path}).code, 0);
  expect_refused({"diff", folder.path, good.path});
  expect_refused({"diff", good.path, folder.path});
}

INSTANTIATE_TEST_SUITE_P(Golden, Unreadable, ::testing::Values(name, "MANIFEST.sha256"),
                         [](const auto& info) { return info.param == std::string(name) ? "golden" : "manifest"; });

// What waits has no line in the manifest: an edit of it is for the reader's eyes, unless it is no golden of that name.
class DamagedWaiting : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedWaiting, IsNotAccepted) {
  const Folder folder;
  folder.write(name, whole());
  list_as(folder, whole());
  const std::string waiting = folder.write(std::string(name) + ".new", GetParam().done());
  const auto before = folder.contents();
  for (const std::vector<std::string>& ids : {std::vector<std::string>{}, {"sgd.alone.float32"}}) {
    std::vector<std::string> arguments = {"accept", folder.path};
    arguments.insert(arguments.end(), ids.begin(), ids.end());
    const Result result = microstep(arguments);
    EXPECT_TRUE(refuses(result, 3, GetParam().id));
    EXPECT_TRUE(result.warns("\n  at " + waiting + GetParam().place)) << result.err;
    EXPECT_EQ(folder.contents(), before);
  }
}

TEST_P(DamagedWaiting, KeepsTheOthersWaiting) {
  const Folder folder;
  const std::string other = "adam.alone.float32.json";
  folder.write(other + ".new", text_of(source("golden/optax-0.2.6/") + other));
  folder.write(std::string(name) + ".new", GetParam().done());
  folder.write(name, whole());
  list_as(folder, whole());
  const auto before = folder.contents();
  EXPECT_TRUE(refuses(microstep({"accept", folder.path}), 3, GetParam().id));
  EXPECT_EQ(folder.contents(), before);
}

INSTANTIATE_TEST_SUITE_P(Golden, DamagedWaiting, ::testing::ValuesIn(seen_without_a_hash()),
                         [](const auto& info) { return info.param.what; });

}  // namespace
}  // namespace microstep::cli_test
