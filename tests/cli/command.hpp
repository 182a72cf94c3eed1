#pragma once
// The built binary, run as a user runs it.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace microstep::cli_test {

struct Result {
  /// The exit code; 128 + the signal that ended it.
  int code = -1;
  std::string out, err;

  bool says(const std::string& words) const { return out.find(words) != std::string::npos; }
  bool warns(const std::string& words) const { return err.find(words) != std::string::npos; }
};

struct Surroundings {
  std::map<std::string, std::string> environment = {};
  std::string input = {};
  /// A file in place of the captured standard output.
  std::string output = {};
  /// Not as root, who may read and write everything: as a user who owns nothing where the tests run as root.
  bool unprivileged = false;
};

/// `microstep ARGUMENTS...`
Result microstep(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

/// A folder that goes with the test.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path + "/" + name; }
  /// Writes a file and answers its path.
  std::string write(const std::string& name, const std::string& text) const;
  /// Anyone may enter and write it, and read and write what stands in it; but nobody the closed file, if one is named.
  void open_to_all_but(const std::string& closed) const;
  /// The names in it, sorted, each with the file's text.
  std::map<std::string, std::string> contents() const;

  std::string path;
};

std::string text_of(const std::string& path);
std::string replaced(std::string text, const std::string& what, const std::string& with);
/// A file of the repository.
std::string source(const std::string& path);

/// One message with an id, a reason, a place, a next step, and nothing on standard output.
::testing::AssertionResult refuses(const Result& result, int code, const std::string& id);

}  // namespace microstep::cli_test
