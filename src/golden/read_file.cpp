#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "input.hpp"
#include "microstep/data/error.hpp"

namespace microstep {
namespace {

constexpr const char* unreadable_next = "look at its permissions and its disk";

[[noreturn]] void refuse_open(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR)
    throw Error("file.not-found", "there is no such file", path, "look at the name, or make the file");
  if (error == ELOOP)
    throw Error("file.is-link", "a symbolic link where a file is due", path, "put the file itself there");
  throw Error("file.unreadable", std::strerror(error), path, unreadable_next);
}

std::int64_t checked_size(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw Error("file.unreadable", std::strerror(errno), path, unreadable_next);
  if (S_ISDIR(status.st_mode)) throw Error("file.is-folder", "a folder where a file is due", path, "name a file in it");
  if (!S_ISREG(status.st_mode))
    throw Error("file.not-a-file", "a device, pipe or socket where a file is due", path, "save it to a file first");
  return status.st_size;
}

void check_length(std::int64_t size, const std::string& path) {
  if (size == 0) throw Error("file.empty", "there is nothing in it", path, "restore it, or write it anew");
  if (size > largest_file)
    throw Error("file.too-large", fmt::to_string(size) + " bytes", path, "at most 1 GiB is read");
}

}  // namespace

Input::Input(const std::string& path, Links links)
    : file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | (links == Links::refuse ? O_NOFOLLOW : 0))) {
  if (!file) refuse_open(path, errno);
  size = checked_size(file, path);
}

void read_at(const Descriptor& file, std::span<char> bytes, std::int64_t at, const std::string& path) {
  while (!bytes.empty()) {
    ssize_t count = ::pread(file.number(), bytes.data(), bytes.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error("file.unreadable", std::strerror(errno), path, unreadable_next);
    if (count == 0)
      throw Error("file.short-read", "it became shorter while it was read", path, "wait until it is written");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    at += count;
  }
}

std::string read_file(const std::string& path, Links links) {
  const Input input(path, links);
  check_length(input.size, path);
  std::string bytes(static_cast<std::size_t>(input.size), '\0');
  read_at(input.file, bytes, 0, path);
  return bytes;
}

}  // namespace microstep
