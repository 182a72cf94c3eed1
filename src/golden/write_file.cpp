#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>

#include "descriptor.hpp"
#include "microstep/data/error.hpp"
#include "microstep/golden/file.hpp"

namespace microstep {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view temporary_end = ".tmp";

[[noreturn]] void refuse_write(const std::string& path, const std::string& step) {
  throw Error("golden.write-failed", step + ": " + std::strerror(errno), path, "what stood there is untouched");
}

/// `.NAME.PID.tmp` beside the file.
std::string temporary_path(const std::string& path) {
  fs::path target(path);
  std::string name = "." + target.filename().string() + "." + fmt::to_string(::getpid()) + std::string(temporary_end);
  return (target.parent_path() / name).string();
}

/// The process that wrote a temporary file.
std::optional<int> writer_of(const std::string& name) {
  if (!name.starts_with('.') || !name.ends_with(temporary_end)) return std::nullopt;
  std::string_view stem = std::string_view(name).substr(0, name.size() - temporary_end.size());
  std::string_view digits = stem.substr(stem.rfind('.') + 1);
  int process = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), process);
  if (error != std::errc() || end != digits.data() + digits.size() || process <= 0) return std::nullopt;
  return process;
}

bool write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void sync_folder(const std::string& path) {
  std::string folder = fs::path(path).parent_path().string();
  Descriptor directory(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) ::fsync(directory.number());
}

/// Removes the file at the end of its scope unless it was kept.
struct Temporary {
  const std::string& path;
  bool kept = false;
  ~Temporary() {
    if (!kept) ::unlink(path.c_str());
  }
};

}  // namespace

void write_file(const std::string& path, std::string_view bytes) {
  std::string temporary = temporary_path(path);
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file) refuse_write(path, "no temporary file beside it");
  Temporary guard{temporary};
  if (!write_all(file, bytes)) refuse_write(path, "writing");
  if (::fsync(file.number()) != 0) refuse_write(path, "fsync");
  if (!file.close()) refuse_write(path, "closing");
  if (::rename(temporary.c_str(), path.c_str()) != 0) refuse_write(path, "renaming");
  guard.kept = true;
  sync_folder(path);
}

void sweep_temporary_files(const std::string& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    std::optional<int> process = writer_of(entry.path().filename().string());
    if (process && ::kill(*process, 0) != 0 && errno == ESRCH) fs::remove(entry.path(), ignored);
  }
}

}  // namespace microstep
