#include <fmt/format.h>

#include "merge_markers.hpp"
#include "microstep/golden/folder.hpp"

namespace microstep {
namespace {

constexpr std::size_t hash_digits = 64;

bool is_hash(std::string_view text) {
  return text.size() == hash_digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void check_name(const std::string& name, const std::string& place) {
  if (name.find('/') != std::string::npos || name == "." || name == "..")
    throw Error("golden.outside", "\"" + name + "\" leads out of the folder", place, "plain file names only");
  if (!name.ends_with(".json"))
    throw Error("golden.bad-manifest", "\"" + name + "\" is no .json file", place, "list goldens only");
}

[[noreturn]] void refuse_line(std::string_view line, const std::string& place) {
  if (has_merge_marker(line)) refuse_merge_conflict(place);
  if (line.ends_with('\r'))
    throw Error("golden.bad-manifest", "its lines end in CRLF where LF is due", place,
                "sed -i 's/\\r$//', and keep version control from changing line ends");
  throw Error("golden.bad-manifest", "a line is not `SHA-256  NAME`", place, "sha256sum writes such lines");
}

void add_line(std::string_view line, const std::string& place, Manifest& manifest) {
  if (line.size() < hash_digits + 3 || !is_hash(line.substr(0, hash_digits)) || line.substr(hash_digits, 2) != "  " ||
      line.ends_with('\r'))
    refuse_line(line, place);
  std::string name(line.substr(hash_digits + 2));
  check_name(name, place);
  if (!manifest.emplace(name, line.substr(0, hash_digits)).second)
    throw Error("golden.bad-manifest", "\"" + name + "\" stands twice", place,
                "keep the line of the file that is there");
}

}  // namespace

std::string encode_manifest(const Manifest& manifest) {
  std::string text;
  for (const auto& [name, hash] : manifest) text.append(hash).append("  ").append(name).append("\n");
  return text;
}

Manifest decode_manifest(std::string_view text, const std::string& source) {
  Manifest manifest;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::size_t end = text.find('\n');
    std::string place = source + ':' + fmt::to_string(number);
    if (end == std::string_view::npos)
      throw Error("golden.bad-manifest", "the last line is cut", place, "restore it from version control");
    add_line(text.substr(0, end), place, manifest);
    text.remove_prefix(end + 1);
  }
  return manifest;
}

}  // namespace microstep
