// The committed goldens of Optax, judged and compared; and folders that are not as they were recorded.
#include <filesystem>

#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

namespace fs = std::filesystem;

const std::string older = source("golden/optax-0.2.6"), newer = source("golden/optax-0.2.8");

// A folder with one golden of the corpus and its line of the manifest.
class OneGolden : public ::testing::Test {
 protected:
  static constexpr const char* name = "sgd.alone.float32.json";

  OneGolden() {
    folder.write(name, text_of(older + "/" + name));
    const std::string manifest = text_of(older + "/MANIFEST.sha256");
    const std::size_t end = manifest.find(name);
    const std::size_t begin = manifest.rfind('\n', end) + 1;
    folder.write("MANIFEST.sha256", manifest.substr(begin, manifest.find('\n', end) + 1 - begin));
  }
  void edit(const std::string& what, const std::string& with) {
    folder.write(name, replaced(text_of(folder.file(name)), what, with));
  }
  Result verify() { return microstep({"verify", folder.path}); }

  Folder folder;
};

TEST_F(OneGolden, ThatIsOfNoUseSaysWhatToDo) {
  folder.write(name, "");
  const Result result = verify();
  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(result.says("FAULT file.empty: there is nothing in it\n  at ")) << result.out;
  EXPECT_TRUE(result.says("\n  next: restore it, or write it anew\n")) << result.out;
}

class Corpus : public ::testing::TestWithParam<std::string> {};

TEST_P(Corpus, EveryGoldenIsInTheBallsOfOurEngine) {
  const Result result = microstep({"verify", GetParam()});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(result.says(" 0 fail, 0 skipped, 0 faults, 0 orphans")) << result.out;
  EXPECT_TRUE(result.says("largest share of a bound")) << result.out;
}

TEST_P(Corpus, JsonCountsThem) {
  const Result result = microstep({"verify", GetParam(), "--json"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.says("\"schema\": \"microstep/verify/1\"")) << result.out;
  EXPECT_TRUE(result.says("\"fail\": 0")) << result.out;
}

INSTANTIATE_TEST_SUITE_P(Optax, Corpus, ::testing::Values(older, newer));

TEST(Diff, TellsWhatChangedInBehaviour) {
  const Result result = microstep({"diff", older, newer});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.says("acc_grads: float64 → float32\n  float64 updates differ by up to ")) << result.out;
}

TEST(Diff, AFolderIsItself) {
  const Result result = microstep({"diff", older, older});
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_TRUE(result.says(" 0 changes of behaviour; elsewhere 0 numbers differ")) << result.out;
}

TEST(Diff, JsonListsTheChanges) {
  const Result result = microstep({"diff", older, newer, "--json"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.says("{\"what\":\"acc_grads: float64 → float32\"")) << result.out;
}

TEST(Diff, NeedsTwoFolders) { EXPECT_TRUE(refuses(microstep({"diff", older, "/nowhere"}), 3, "golden.not-a-folder")); }

TEST_F(OneGolden, IsVerified) { EXPECT_EQ(verify().code, 0) << verify().out << verify().err; }

TEST_F(OneGolden, EditedIsCorruptWithBothHashes) {
  edit("\"why\"", "\"why\" ");
  const Result result = verify();
  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(result.says("golden.corrupt: its SHA-256 is ")) << result.out;
  EXPECT_TRUE(result.says(" where the manifest says ")) << result.out;
}

TEST_F(OneGolden, MissingIsAFault) {
  fs::remove(folder.file(name));
  const Result result = verify();
  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(result.says("golden.missing")) << result.out;
}

TEST_F(OneGolden, AFolderInItsPlaceIsAFault) {
  fs::remove(folder.file(name));
  fs::create_directory(folder.file(name));
  const Result result = verify();
  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(result.says("file.is-folder")) << result.out;
}

TEST_F(OneGolden, AnOrphanFails) {
  folder.write("stray.json", "{}");
  const Result result = verify();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.says("ORPHAN stray.json")) << result.out;
}

TEST_F(OneGolden, AFilterThatFindsNothingExitsWith4) {
  EXPECT_EQ(microstep({"verify", folder.path, "--filter", "nothing"}).code, 4);
}

TEST_F(OneGolden, VerifyWritesNothing) {
  const auto before = folder.contents();
  folder.write("stray.json", "{}");
  verify();
  fs::remove(folder.file("stray.json"));
  EXPECT_EQ(folder.contents(), before);
}

TEST_F(OneGolden, ABadManifestIsRefused) {
  folder.write("MANIFEST.sha256", "no hash  file.json\n");
  EXPECT_TRUE(refuses(verify(), 3, "golden.bad-manifest"));
  folder.write("MANIFEST.sha256", std::string(64, 'a') + "  ../file.json\n");
  EXPECT_TRUE(refuses(verify(), 3, "golden.outside"));
}

TEST(Verify, NeedsAFolderWithAManifest) {
  const Folder folder;
  EXPECT_TRUE(refuses(microstep({"verify", folder.path}), 3, "golden.no-manifest"));
  EXPECT_TRUE(refuses(microstep({"verify", folder.file("none")}), 3, "golden.not-a-folder"));
  EXPECT_TRUE(refuses(microstep({"verify", folder.write("file", "x")}), 3, "golden.not-a-folder"));
}

TEST_F(OneGolden, AcceptWithNothingWaitingIsRefused) {
  EXPECT_EQ(microstep({"accept", folder.path}).code, 4);
  EXPECT_TRUE(refuses(microstep({"accept", folder.path, "absent"}), 4, "golden.nothing-pending"));
}

}  // namespace
}  // namespace microstep::cli_test
