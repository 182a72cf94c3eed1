#include <algorithm>
#include <filesystem>

#include "merge_markers.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/golden/folder.hpp"

namespace microstep {
namespace {

namespace fs = std::filesystem;

std::string below(const std::string& folder, std::string_view name) { return (fs::path(folder) / name).string(); }

Manifest read_manifest(const std::string& folder) {
  std::string path = below(folder, manifest_name);
  try {
    return decode_manifest(read_file(path, Links::refuse), path);
  } catch (const Error& error) {
    if (error.id() != "file.not-found") throw;
    throw Error("golden.no-manifest", "the folder has no " + std::string(manifest_name), folder,
                "microstep record makes it");
  }
}

std::string read_listed(const std::string& path) {
  try {
    return read_file(path, Links::refuse);
  } catch (const Error& error) {
    if (error.id() == "file.not-found")
      throw Error("golden.missing", "the manifest lists it, but it is not there", path, "restore or record it");
    if (error.id() == "file.is-link") throw Error("golden.outside", error.message(), path, "put the file itself there");
    throw;
  }
}

Golden load_listed(const std::string& folder, const std::string& name, const std::string& hash) {
  std::string path = below(folder, name);
  std::string text = read_listed(path);
  std::string found = sha256_of(text);
  if (found != hash && has_merge_marker(text)) refuse_merge_conflict(path);
  if (found != hash)
    throw Error("golden.corrupt", "its SHA-256 is " + found + " where the manifest says " + hash, path,
                "restore it, or record again and accept");
  Golden golden = decode_golden(text, path);
  if (file_name_of(golden.id) != name)
    throw Error("golden.id-mismatch", "it says that it is \"" + golden.id + "\"", path,
                "give it the name of its id, or record it again");
  return golden;
}

void list_others(GoldenFolder& folder, const Manifest& manifest) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path)) {
    std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && !manifest.contains(name)) folder.orphans.push_back(name);
    if (name.ends_with(".json.new")) folder.pending.push_back(name);
  }
  std::ranges::sort(folder.orphans);
  std::ranges::sort(folder.pending);
}

}  // namespace

GoldenFolder load_golden_folder(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_directory(path, ignored))
    throw Error("golden.not-a-folder", "it is a file where a folder is due", path,
                "name the folder of goldens; --filter chooses in it");
  if (!fs::is_directory(path, ignored))
    throw Error("golden.not-a-folder", "there is no such folder", path, "name a folder that microstep record made");
  GoldenFolder folder{path, {}, {}, {}, {}};
  Manifest manifest = read_manifest(path);
  for (const auto& [name, hash] : manifest) try {
      folder.goldens.push_back(load_listed(path, name, hash));
    } catch (const Error& error) {
      folder.faults.push_back(error);
    }
  list_others(folder, manifest);
  return folder;
}

}  // namespace microstep
