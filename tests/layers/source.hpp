#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace microstep::layers {

/// One source file: path relative to the project, text as it stands on disk.
struct SourceFile {
  std::string path;
  std::string text;
};

using SourceTree = std::vector<SourceFile>;

/// Every .hpp, .h, .cpp and .py file under include, src, tools and tests of `root`, sorted by path.
SourceTree load_tree(const std::filesystem::path& root);

std::string read_text(const std::filesystem::path& file);

bool is_header(const SourceFile& file);
bool is_cpp(const SourceFile& file);

std::vector<std::string> lines_of(std::string_view text);

/// The text with comments and the insides of literals replaced by blanks; line and column of all else stay.
std::string without_comments_and_literals(std::string_view text);

/// The same with preprocessor lines blanked too: what the compiler sees as code.
std::string code_of(std::string_view text);

/// What the file's include directives name, without brackets or quotes; those inside literals do not count.
std::vector<std::string> includes_of(const SourceFile& file);

}  // namespace microstep::layers
