#pragma once
// A Process with short timeouts, the children of tests/port/children, and the check that none of them is left.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "microstep/port/process.hpp"

namespace microstep {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Processes that live in the group, zombies not counted: those belong to whoever has to reap them.
inline int living_in_group(int group) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    if (!std::getline(file, text)) continue;
    std::istringstream rest(text.substr(std::min(text.rfind(')') + 2, text.size())));
    char state = 'Z';
    int parent = 0, its_group = 0;
    rest >> state >> parent >> its_group;
    if (its_group == group && state != 'Z') ++count;
  }
  return count;
}

// A path of this process alone: test programs run side by side.
inline std::string own_path(const std::string& name) {
  return (fs::path(::testing::TempDir()) / (name + fmt::to_string(getpid()))).string();
}

inline std::string our_children() {
  std::string all;
  for (const fs::directory_entry& task : fs::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    std::string text;
    std::getline(file, text);
    all += text;
  }
  return all;
}

class ProcessTest : public ::testing::Test {
 protected:
  ProcessTest() {
    options.request_timeout = 5s;
    options.start_timeout = 5s;
    options.eof_grace = 300ms;
    options.term_grace = 300ms;
    options.drain = 200ms;
    options.environment["PYTHONUNBUFFERED"] = std::nullopt;
  }

  Process& child(const std::string& name, std::vector<std::string> arguments = {}) {
    const std::string path = std::string(MICROSTEP_SOURCE_DIR) + "/tests/port/children/" + name;
    arguments.insert(arguments.begin(), {name.ends_with(".py") ? "/usr/bin/python3" : "/bin/sh", path});
    return command(arguments);
  }

  Process& command(const std::vector<std::string>& argv) {
    process.emplace(argv, options);
    if (process->pid() != 0) groups.push_back(process->pid());
    return *process;
  }

  // The line received; a failure of the test when it is a trouble.
  static std::string line_of(const Process::Received& received) {
    if (const auto* trouble = std::get_if<PortTrouble>(&received)) {
      ADD_FAILURE() << trouble->id << ": " << trouble->message;
      return "";
    }
    return std::get<std::string>(received);
  }

  static PortTrouble trouble_of(const Process::Received& received) {
    if (const auto* line = std::get_if<std::string>(&received)) {
      ADD_FAILURE() << "a line where trouble is due: " << *line;
      return {};
    }
    return std::get<PortTrouble>(received);
  }

  // A killed grandchild needs a moment to die.
  static void expect_gone(int group) {
    for (int tries = 0; tries < 200 && living_in_group(group) > 0; ++tries) std::this_thread::sleep_for(10ms);
    EXPECT_EQ(living_in_group(group), 0) << "of the group of process " << group;
  }

  // After a trouble or a stop nothing of the child is left, even before the Process is destroyed.
  void TearDown() override {
    const bool over = process && process->trouble();
    if (!over) process.reset();
    for (int group : groups) expect_gone(group);
    EXPECT_EQ(our_children(), "");
  }

  ProcessOptions options;
  std::optional<Process> process;
  std::vector<int> groups;
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace microstep
