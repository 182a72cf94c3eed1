#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "golden_id.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/golden/folder.hpp"

namespace microstep {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view new_end = ".new";

std::string below(const std::string& folder, std::string_view name) { return (fs::path(folder) / name).string(); }

/// The process that holds a flock on the file, by /proc/locks: `1: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE 0 EOF`.
std::string holder_of(int descriptor) {
  struct stat status {};
  ::fstat(descriptor, &status);
  std::string inode = ':' + fmt::to_string(status.st_ino) + ' ';
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::size_t at = line.find(inode), write = line.find("WRITE ");
    if (line.find("FLOCK") == std::string::npos || at == std::string::npos || write == std::string::npos) continue;
    return line.substr(write + 6, line.find(' ', write + 6) - write - 6);
  }
  return "?";
}

int locked_folder(const std::string& path, std::chrono::milliseconds patience) {
  std::error_code failure;
  fs::create_directories(path, failure);
  int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    throw Error("golden.write-failed", std::string("the folder: ") + std::strerror(errno), path,
                "look at its permissions and the free space");
  auto end = std::chrono::steady_clock::now() + patience;
  while (::flock(folder, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= end) {
      std::string holder = holder_of(folder);
      ::close(folder);
      throw Error("golden.locked", "another run writes it (process " + holder + ")", path, "wait for it or stop it");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return folder;
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

Manifest known_manifest(const std::string& path) {
  return is_there(path) ? decode_manifest(read_file(path, Links::refuse), path) : Manifest();
}

}  // namespace

GoldenWriter::GoldenWriter(std::string path, std::chrono::milliseconds patience)
    : path_(std::move(path)), lock_(locked_folder(path_, patience)) {
  try {
    known_manifest(below(path_, manifest_name));
  } catch (...) {
    ::close(lock_);
    throw;
  }
  sweep_temporary_files(path_);
}

GoldenWriter::~GoldenWriter() { ::close(lock_); }

void GoldenWriter::list(const std::string& name, const std::string& text) {
  std::string path = below(path_, manifest_name);
  Manifest manifest = known_manifest(path);
  std::string hash = sha256_of(text);
  if (std::exchange(manifest[name], hash) == hash) return;
  write_file(path, encode_manifest(manifest));
}

Written GoldenWriter::beside(const std::string& name, const std::string& text) {
  write_file(below(path_, name + std::string(new_end)), text);
  return Written::pending;
}

Written GoldenWriter::record(const Golden& golden) {
  std::string name = file_name_of(golden.id);
  std::string text = encode_golden(golden);
  if (is_there(below(path_, name))) {
    Written written = propose(golden);
    if (written == Written::unchanged) list(name, text);
    return written;
  }
  write_file(below(path_, name), text);
  list(name, text);
  return Written::created;
}

Written GoldenWriter::propose(const Golden& golden) {
  std::string text = encode_golden(golden), name = file_name_of(golden.id), path = below(path_, name);
  if (!is_there(path) || read_file(path, Links::refuse) != text) return beside(name, text);
  std::error_code ignored;
  fs::remove(path + std::string(new_end), ignored);
  return Written::unchanged;
}

/// Its text; empty where it is not sound.
std::string GoldenWriter::waiting_golden(const std::string& id,
                                         const std::function<bool(const Golden&)>& is_sound) const {
  check_golden_id(id, path_);
  std::string waiting = below(path_, file_name_of(id)) + std::string(new_end);
  if (!is_there(waiting))
    throw Error("golden.nothing-pending", "\"" + id + "\" has no .new file", path_,
                "microstep verify " + path_ + " lists what waits as PENDING");
  std::string text = read_file(waiting, Links::refuse);
  const Golden golden = decode_golden(text, waiting);
  if (golden.id != id)
    throw Error("golden.id-mismatch", "it is not \"" + id + "\"", waiting,
                "remove it, and verify against the port again");
  return is_sound && !is_sound(golden) ? std::string() : text;
}

void GoldenWriter::accept_one(const std::string& id, const std::string& text) {
  std::string name = file_name_of(id), path = below(path_, name);
  write_file(path, text);
  list(name, text);
  std::error_code ignored;
  fs::remove(path + std::string(new_end), ignored);
}

std::vector<std::string> GoldenWriter::accept(const std::vector<std::string>& ids,
                                              const std::function<bool(const Golden&)>& is_sound) {
  std::vector<std::string> accepted = ids;
  if (ids.empty())
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
      std::string name = entry.path().filename().string(), end = ".json" + std::string(new_end);
      if (name.ends_with(end)) accepted.push_back(name.substr(0, name.size() - end.size()));
    }
  std::ranges::sort(accepted);
  accepted.erase(std::unique(accepted.begin(), accepted.end()), accepted.end());
  std::map<std::string, std::string> texts;
  for (const std::string& id : accepted) texts[id] = waiting_golden(id, is_sound);
  accepted.clear();
  for (const auto& [id, text] : texts) {
    if (text.empty()) continue;
    accept_one(id, text);
    accepted.push_back(id);
  }
  return accepted;
}

}  // namespace microstep
