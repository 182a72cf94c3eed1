#pragma once
// A small golden, a folder that is gone after the test, and the Error that an action throws.
#include <filesystem>
#include <string>
#include <utility>

#include "microstep/data/error.hpp"
#include "microstep/golden/golden.hpp"

namespace microstep {

Golden sample_golden(const std::string& id = "sgd.alone");

class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string text() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Two goldens, "a" and "b", recorded.
void record_two(const ScratchFolder& folder);
/// The sample for another reason.
Golden changed(const std::string& id);

void put(const std::string& path, const std::string& bytes);
std::string get(const std::string& path);

template <class Action>
Error refusal(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const Error& error) {
    return error;
  }
  return Error("none", "nothing was refused", {}, {});
}

}  // namespace microstep
