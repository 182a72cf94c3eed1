#include "cli/command.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace microstep::cli_test {
namespace {

namespace fs = std::filesystem;

void become(int descriptor, const std::string& path, int flags) {
  int opened = ::open(path.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

// Of another user and of no group, where this is root.
void leave_privileges() {
  constexpr unsigned nobody = 65534;
  if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0))
    ::_exit(125);
}

[[noreturn]] void execute(const std::vector<std::string>& arguments, const Surroundings& surroundings,
                          const Folder& folder) {
  become(0, folder.file("in"), O_RDONLY);
  const bool redirected = !surroundings.output.empty();
  become(1, redirected ? surroundings.output : folder.file("out"), O_WRONLY | (redirected ? 0 : O_CREAT));
  become(2, folder.file("err"), O_WRONLY | O_CREAT);
  ::unsetenv("CI");
  for (const auto& [name, value] : surroundings.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words{const_cast<char*>(MICROSTEP_BINARY)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  // Opened first: another user need not be able to enter the folders above it.
  const int binary = ::open(MICROSTEP_BINARY, O_RDONLY | O_CLOEXEC);
  if (surroundings.unprivileged) leave_privileges();
  ::fexecve(binary, words.data(), environ);
  ::_exit(127);
}

}  // namespace

Result microstep(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  const Folder folder;
  folder.write("in", surroundings.input);
  const pid_t child = ::fork();
  if (child == 0) execute(arguments, surroundings, folder);
  int status = 0;
  ::waitpid(child, &status, 0);
  Result result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (surroundings.output.empty()) result.out = text_of(folder.file("out"));
  result.err = text_of(folder.file("err"));
  return result;
}

Folder::Folder() {
  std::string pattern = (fs::temp_directory_path() / "microstep-cli-XXXXXX").string();
  path = ::mkdtemp(pattern.data());
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

std::string Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name), std::ios::binary) << text;
  return file(name);
}

void Folder::open_to_all_but(const std::string& closed) const {
  fs::permissions(path, fs::perms::all);
  for (const auto& entry : fs::directory_iterator(path))
    fs::permissions(entry.path(), entry.path() == file(closed) ? fs::perms::none : fs::perms::all);
}

std::map<std::string, std::string> Folder::contents() const {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::directory_iterator(path))
    found[entry.path().filename().string()] = entry.is_regular_file() ? text_of(entry.path().string()) : "";
  return found;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  auto at = text.find(what);
  if (at == std::string::npos) throw std::logic_error("the test edits '" + what + "', which is not there");
  return text.replace(at, what.size(), with);
}

std::string source(const std::string& path) { return std::string(MICROSTEP_SOURCE_DIR) + "/" + path; }

::testing::AssertionResult refuses(const Result& result, int code, const std::string& id) {
  const std::string begin = "microstep: " + id + ": ";
  const bool once = result.err.find("microstep: ", 1) == std::string::npos;
  // Each behind the one before it, and with something in it.
  const std::size_t place = result.err.find("\n  at "), next = result.err.find("\n  next: ");
  const bool whole = place != std::string::npos && next != std::string::npos && begin.size() < place &&
                     place + 6 < next && next + 10 < result.err.size();
  if (result.code == code && result.err.starts_with(begin) && once && whole && result.out.empty())
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "exit " << result.code << " where " << code << " was due with " << id
                                       << "\nstandard error:\n"
                                       << result.err << "standard output:\n"
                                       << result.out;
}

}  // namespace microstep::cli_test
