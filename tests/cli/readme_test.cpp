// What README.md and docs/trace.md show is what the tool prints: every `$ microstep ...` block of them is run.
#include <gtest/gtest.h>

#include <sstream>

#include "command.hpp"

namespace microstep::cli_test {
namespace {

struct Shown {
  std::string command;
  std::string output;
};

// The ```console blocks: a line `$ microstep ...`, then its output up to the fence.
std::vector<Shown> shown_in(const std::string& page) {
  std::vector<Shown> all;
  std::istringstream lines(text_of(source(page)));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```console") {
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside && line.starts_with("$ microstep ")) {
      all.push_back({line.substr(12), ""});
    } else if (inside && !all.empty()) {
      all.back().output += line + "\n";
    }
  }
  return all;
}

// Words split at spaces, quoted ones whole; the page is read in the folder of the repository.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (char c : command) {
    if (c == '\'')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  for (std::string& word : words) {
    if (word.starts_with("golden/")) word = source(word);
    // What docs/numpy_pair.py prints.
    if (word.ends_with(".json")) word = source("tests/json/recorded/numpy_" + word);
  }
  return words;
}

class Page : public ::testing::TestWithParam<std::pair<const char*, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(Docs, Page, ::testing::Values(std::pair("README.md", 3), std::pair("docs/trace.md", 2)),
                         [](const auto& info) { return info.index == 0 ? "Readme" : "Trace"; });

TEST_P(Page, ShowsWhatTheToolPrints) {
  const std::vector<Shown> all = shown_in(GetParam().first);
  ASSERT_GE(all.size(), GetParam().second);
  for (const Shown& shown : all) EXPECT_EQ(microstep(words_of(shown.command)).out, shown.output) << shown.command;
}

TEST(FloorPage, ShowsWhatTheToolPrints) {
  const std::vector<Shown> all = shown_in("docs/floor.md");
  ASSERT_GE(all.size(), 5U);
  for (const Shown& shown : all) EXPECT_EQ(microstep(words_of(shown.command)).out, shown.output) << shown.command;
}

}  // namespace
}  // namespace microstep::cli_test
