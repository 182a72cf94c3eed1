#include "microstep/golden/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "microstep/golden/file.hpp"
#include "sample.hpp"

namespace microstep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> fault_ids(const std::string& folder) {
  std::vector<std::string> ids;
  for (const Error& fault : load_golden_folder(folder).faults) ids.push_back(fault.id());
  return ids;
}

void list_hash(const ScratchFolder& folder, const std::string& name) {
  std::string path = folder / std::string(manifest_name);
  Manifest manifest = decode_manifest(get(path), path);
  manifest[name] = sha256_of(get(folder / name));
  put(path, encode_manifest(manifest));
}

using Ids = std::vector<std::string>;

TEST(Folder, LoadsWhatWasRecorded) {
  ScratchFolder folder;
  record_two(folder);
  GoldenFolder loaded = load_golden_folder(folder.text());
  ASSERT_EQ(loaded.goldens.size(), 2U);
  EXPECT_EQ(loaded.goldens[0].id, "a");
  EXPECT_EQ(encode_golden(loaded.goldens[1]), encode_golden(sample_golden("b")));
  EXPECT_TRUE(loaded.faults.empty() && loaded.orphans.empty() && loaded.pending.empty());
}

TEST(Folder, HasAManifestThatSha256sumChecks) {
  ScratchFolder folder;
  record_two(folder);
  std::string manifest = get(folder / "MANIFEST.sha256");
  EXPECT_EQ(manifest,
            sha256_of(get(folder / "a.json")) + "  a.json\n" + sha256_of(get(folder / "b.json")) + "  b.json\n");
}

TEST(Folder, RefusesAnEditedGoldenWithBothHashes) {
  ScratchFolder folder;
  record_two(folder);
  std::string before = sha256_of(get(folder / "a.json"));
  put(folder / "a.json", get(folder / "a.json") + " ");
  GoldenFolder loaded = load_golden_folder(folder.text());
  ASSERT_EQ(loaded.faults.size(), 1U);
  EXPECT_EQ(loaded.faults[0].id(), "golden.corrupt");
  EXPECT_EQ(loaded.faults[0].place(), folder / "a.json");
  EXPECT_NE(loaded.faults[0].message().find(before), std::string::npos);
  EXPECT_NE(loaded.faults[0].message().find(sha256_of(get(folder / "a.json"))), std::string::npos);
  EXPECT_EQ(loaded.goldens.size(), 1U);
}

TEST(Folder, ReportsEveryFaultAtOnce) {
  ScratchFolder folder;
  record_two(folder);
  fs::remove(folder / "a.json");
  put(folder / "b.json", "");
  EXPECT_EQ(fault_ids(folder.text()), (Ids{"golden.missing", "file.empty"}));
}

TEST(Folder, RefusesAFolderALinkAndACutFileInPlaceOfAGolden) {
  ScratchFolder folder;
  record_two(folder);
  fs::rename(folder / "a.json", folder / "elsewhere");
  fs::create_symlink(folder / "elsewhere", folder / "a.json");
  put(folder / "b.json", get(folder / "b.json").substr(0, 300));
  list_hash(folder, "b.json");
  EXPECT_EQ(fault_ids(folder.text()), (Ids{"golden.outside", "json.invalid-json"}));
  fs::remove(folder / "a.json");
  fs::create_directory(folder / "a.json");
  EXPECT_EQ(fault_ids(folder.text())[0], "file.is-folder");
}

TEST(Folder, RefusesAGoldenUnderAnotherName) {
  ScratchFolder folder;
  record_two(folder);
  put(folder / "a.json", encode_golden(sample_golden("c")));
  list_hash(folder, "a.json");
  EXPECT_EQ(fault_ids(folder.text()), Ids{"golden.id-mismatch"});
}

TEST(Folder, ListsOrphansAndWhatWaits) {
  ScratchFolder folder;
  record_two(folder);
  put(folder / "c.json", encode_golden(sample_golden("c")));
  GoldenWriter(folder.text()).propose(changed("a"));
  GoldenFolder loaded = load_golden_folder(folder.text());
  EXPECT_EQ(loaded.orphans, Ids{"c.json"});
  EXPECT_EQ(loaded.pending, Ids{"a.json.new"});
}

TEST(Folder, NeedsAFolderAndAManifest) {
  ScratchFolder folder;
  EXPECT_EQ(refusal([&] { load_golden_folder(folder / "none"); }).id(), "golden.not-a-folder");
  EXPECT_EQ(refusal([&] { load_golden_folder(folder.text()); }).id(), "golden.no-manifest");
  put(folder / "f", "x");
  const Error file = refusal([&] { load_golden_folder(folder / "f"); });
  EXPECT_EQ(file.id() + ": " + file.message(), "golden.not-a-folder: it is a file where a folder is due");
}

TEST(Folder, TellsOfAnUnfinishedMergeInAGolden) {
  ScratchFolder folder;
  record_two(folder);
  std::string whole = get(folder / "a.json");
  std::string half = whole.substr(0, whole.find('\n') + 1);
  put(folder / "a.json", half + "<<<<<<< ours\n" + whole);
  EXPECT_EQ(fault_ids(folder.text()), Ids{"golden.merge-conflict"});
  put(folder / "a.json", "{\"why\": \"<<<<<<< is no mark within a line\"}");
  EXPECT_EQ(fault_ids(folder.text()), Ids{"golden.corrupt"});
}

TEST(Writer, NeverWritesOver) {
  ScratchFolder folder;
  record_two(folder);
  std::string before = get(folder / "a.json");
  GoldenWriter writer(folder.text());
  EXPECT_EQ(writer.record(sample_golden("a")), Written::unchanged);
  EXPECT_EQ(writer.record(changed("a")), Written::pending);
  EXPECT_EQ(get(folder / "a.json"), before);
  EXPECT_EQ(get(folder / "a.json.new"), encode_golden(changed("a")));
  EXPECT_EQ(writer.propose(sample_golden("c")), Written::pending);
  EXPECT_FALSE(fs::exists(folder / "c.json"));
}

TEST(Writer, TakesBackWhatNoLongerDiffers) {
  ScratchFolder folder;
  record_two(folder);
  GoldenWriter writer(folder.text());
  writer.propose(changed("a"));
  EXPECT_EQ(writer.propose(sample_golden("a")), Written::unchanged);
  EXPECT_FALSE(fs::exists(folder / "a.json.new"));
}

TEST(Writer, DoesNotBlessAnEditedGolden) {
  ScratchFolder folder;
  record_two(folder);
  put(folder / "a.json", get(folder / "a.json") + " ");
  GoldenWriter writer(folder.text());
  writer.propose(sample_golden("c"));
  writer.accept();
  EXPECT_EQ(fault_ids(folder.text()), Ids{"golden.corrupt"});
}

TEST(Writer, ListsAGoldenWhoseRunDiedBeforeTheManifest) {
  ScratchFolder folder;
  record_two(folder);
  put(folder / "c.json", encode_golden(sample_golden("c")));
  EXPECT_EQ(GoldenWriter(folder.text()).record(sample_golden("c")), Written::unchanged);
  EXPECT_TRUE(load_golden_folder(folder.text()).orphans.empty());
}

TEST(Writer, NamesTheProcessThatHoldsTheLock) {
  ScratchFolder folder;
  GoldenWriter writer(folder.text());
  Error error = refusal([&] { GoldenWriter(folder.text(), std::chrono::milliseconds(50)); });
  EXPECT_EQ(error.id(), "golden.locked");
  EXPECT_NE(error.message().find("process " + fmt::to_string(::getpid())), std::string::npos) << error.message();
}

TEST(Writer, WaitsForTheLock) {
  ScratchFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    GoldenWriter writer(folder.text());
    (void)!::write(ready[1], "x", 1);
    ::usleep(200'000);
    ::_exit(0);
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(refusal([&] { GoldenWriter(folder.text()).record(sample_golden("a")); }).id(), "none");
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(Writer, SaysThatAFolderCannotBeMade) {
  ScratchFolder folder;
  put(folder / "f", "x");
  EXPECT_EQ(refusal([&] { GoldenWriter(folder / "f"); }).id(), "golden.write-failed");
  EXPECT_EQ(refusal([&] { GoldenWriter(folder / "f/below"); }).id(), "golden.write-failed");
}

}  // namespace
}  // namespace microstep
