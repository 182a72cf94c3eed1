#include "microstep/golden/file.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.hpp"

namespace microstep {
namespace {

namespace fs = std::filesystem;

std::string id_of_reading(const std::string& path, Links links = Links::follow) {
  Error error = refusal([&] { read_file(path, links); });
  EXPECT_TRUE(error.id() == "none" || error.place() == path);
  return error.id();
}

// FIPS 180-4 examples (one block, empty message).
TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(File, ReadsAllBytes) {
  ScratchFolder folder;
  std::string bytes = std::string("a\0b\r\n", 5) + std::string(100000, 'x');
  put(folder / "f", bytes);
  EXPECT_EQ(read_file(folder / "f"), bytes);
}

TEST(File, RefusesWhatCannotBeRead) {
  ScratchFolder folder;
  put(folder / "empty", "");
  put(folder / "f", "x");
  fs::create_symlink(folder / "f", folder / "link");
  fs::create_symlink(folder / "nowhere", folder / "dangling");
  ::mkfifo((folder / "pipe").c_str(), 0600);
  EXPECT_EQ(id_of_reading(folder / "none"), "file.not-found");
  EXPECT_EQ(id_of_reading(folder / "f/below"), "file.not-found");
  EXPECT_EQ(id_of_reading(folder.text()), "file.is-folder");
  EXPECT_EQ(id_of_reading(folder / "empty"), "file.empty");
  EXPECT_EQ(id_of_reading(folder / "pipe"), "file.not-a-file");
  EXPECT_EQ(id_of_reading("/dev/zero"), "file.not-a-file");
  EXPECT_EQ(id_of_reading(folder / "link"), "none");
  EXPECT_EQ(id_of_reading(folder / "link", Links::refuse), "file.is-link");
  EXPECT_EQ(id_of_reading(folder / "dangling"), "file.not-found");
  EXPECT_EQ(id_of_reading(folder / std::string(300, 'a')), "file.unreadable");
}

TEST(File, RefusesAHugeFileWithoutReadingIt) {
  ScratchFolder folder;
  put(folder / "huge", "x");
  fs::resize_file(folder / "huge", 10'000'000'000);
  EXPECT_EQ(id_of_reading(folder / "huge"), "file.too-large");
}

/// In a child that is not root, who may read everything: 0 if the closed file is refused as it should be and the open
/// one is read.
int read_as_another(const ScratchFolder& folder) {
  if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0)) return 2;
  const Error none = refusal([&] { read_file(folder / "open"); });
  const Error error = refusal([&] { read_file(folder / "closed"); });
  if (none.id() != "none") return 3;
  return error.id() == "file.unreadable" && error.place() == folder / "closed" && !error.next().empty() ? 0 : 1;
}

TEST(File, RefusesWhatItMayNotRead) {
  ScratchFolder folder;
  for (const char* name : {"open", "closed"}) put(folder / name, "x");
  fs::permissions(folder.text(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(folder / "open", fs::perms::all);
  fs::permissions(folder / "closed", fs::perms::none);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(read_as_another(folder));
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(File, IsWrittenWhole) {
  ScratchFolder folder;
  put(folder / "f", "old");
  write_file(folder / "f", "new");
  EXPECT_EQ(get(folder / "f"), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.text()), fs::directory_iterator()), 1);
}

TEST(File, IsNotWrittenWhereItCannotBe) {
  ScratchFolder folder;
  put(folder / "f", "old");
  fs::create_directory(folder / "d");
  for (const std::string& path :
       {folder / "none/f", folder / "f/below", folder / std::string(300, 'a'), folder / "d"}) {
    Error error = refusal([&] { write_file(path, "x"); });
    EXPECT_EQ(error.id(), "golden.write-failed") << path;
    EXPECT_EQ(error.place(), path);
  }
  EXPECT_EQ(get(folder / "f"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.text()), fs::directory_iterator()), 2);
}

/// In a child whose files may not grow beyond 100 bytes, as on a full disk: 0 if the write is refused as it should be.
int write_on_a_full_disk(const std::string& path) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{100, 100};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  Error error = refusal([&] { write_file(path, std::string(1000, 'x')); });
  return error.id() == "golden.write-failed" ? 0 : 1;
}

TEST(File, KeepsTheOldOneWhenTheDiskIsFull) {
  ScratchFolder folder;
  put(folder / "f", "old");
  pid_t child = ::fork();
  if (child == 0) ::_exit(write_on_a_full_disk(folder / "f"));
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(get(folder / "f"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.text()), fs::directory_iterator()), 1);
}

pid_t dead_process() {
  pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(File, SweepsWhatDeadWritersLeft) {
  ScratchFolder folder;
  std::string dead = folder / (".a.json." + fmt::to_string(dead_process()) + ".tmp");
  std::string alive = folder / (".a.json." + fmt::to_string(::getpid()) + ".tmp");
  std::string other = folder / ".notes.tmp";
  for (const std::string& path : {dead, alive, other}) put(path, "x");
  sweep_temporary_files(folder.text());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive));
  EXPECT_TRUE(fs::exists(other));
}

}  // namespace
}  // namespace microstep
