// docs/experiments.md shows a recording that works: its list is saved, its commands are run in order by a shell.
#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

// The text of every block of that language, one after the other.
std::string blocks_of(const std::string& page, const std::string& language) {
  std::istringstream lines(page);
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```"))
      inside = line == "```" + language;
    else if (inside)
      text += line + "\n";
  }
  return text;
}

std::string said_by_shell(const std::string& folder, const std::string& command) {
  const std::string tools = std::filesystem::path(MICROSTEP_BINARY).parent_path().string();
  const std::string line = "cd '" + folder + "' && unset CI; PATH='" + tools + "':$PATH; export PATH; " + command;
  FILE* pipe = ::popen(line.c_str(), "r");
  std::string text;
  std::array<char, 4096> part{};
  while (std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), count);
  ::pclose(pipe);
  return text;
}

TEST(ExperimentsPage, ShowsARecordingThatWorks) {
  const std::string page = text_of(source("docs/experiments.md"));
  const Folder folder;
  folder.write("mine.experiments.json", blocks_of(page, "json"));
  const std::string shown = blocks_of(page, "console");
  std::istringstream lines(shown);
  std::string ran;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("$ ")) ran += line + "\n" + said_by_shell(folder.path, line.substr(2));
  EXPECT_NE(shown.find("3 created"), std::string::npos);
  EXPECT_EQ(ran, shown);
}

}  // namespace
}  // namespace microstep::cli_test
