#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "descriptor.hpp"
#include "microstep/data/error.hpp"
#include "microstep/golden/file.hpp"

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
  if (status.st_size == 0) throw Error("file.empty", "there is nothing in it", path, "restore it, or write it anew");
  if (status.st_size > largest_file)
    throw Error("file.too-large", fmt::to_string(status.st_size) + " bytes", path, "at most 1 GiB is read");
  return status.st_size;
}

std::string read_all(const Descriptor& file, std::size_t size, const std::string& path) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    ssize_t count = ::read(file.number(), bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error("file.unreadable", std::strerror(errno), path, unreadable_next);
    if (count == 0)
      throw Error("file.short-read", "it became shorter while it was read", path, "wait until it is written");
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace

std::string read_file(const std::string& path, Links links) {
  int link_flag = links == Links::refuse ? O_NOFOLLOW : 0;
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | link_flag));
  if (!file) refuse_open(path, errno);
  auto size = static_cast<std::size_t>(checked_size(file, path));
  return read_all(file, size, path);
}

}  // namespace microstep
