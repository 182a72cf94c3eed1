#pragma once
// A folder of goldens, one .json file an experiment, listed with hashes in MANIFEST.sha256 (as sha256sum writes it). A
// differing golden is written beside as `.new`, never over; accept moves it over.
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/data/error.hpp"
#include "microstep/golden/golden.hpp"

namespace microstep {

inline constexpr std::string_view manifest_name = "MANIFEST.sha256";

/// File name → hash.
using Manifest = std::map<std::string, std::string>;
std::string encode_manifest(const Manifest& manifest);
/// Throws golden.bad-manifest, golden.outside (a name that is a path).
Manifest decode_manifest(std::string_view text, const std::string& source);

struct GoldenFolder {
  std::string path;
  /// By file name; those with a fault are left out.
  std::vector<Golden> goldens;
  /// One a file that cannot be used: golden.corrupt (both hashes), golden.missing, golden.id-mismatch, file.*, json.*.
  std::vector<Error> faults;
  /// .json files that the manifest does not list.
  std::vector<std::string> orphans;
  /// .new files that wait for accept.
  std::vector<std::string> pending;
};

/// Reads everything that can be read. Throws golden.not-a-folder, golden.no-manifest, golden.bad-manifest,
/// golden.outside.
GoldenFolder load_golden_folder(const std::string& path);

enum class Written { created, unchanged, pending };

/// Holds the lock of a folder while it lives.
class GoldenWriter {
 public:
  /// Makes the folder if it is not there. Throws golden.write-failed, golden.locked after `patience`, and
  /// golden.bad-manifest, golden.outside before anything in it is touched.
  explicit GoldenWriter(std::string path, std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~GoldenWriter();
  GoldenWriter(const GoldenWriter&) = delete;
  GoldenWriter& operator=(const GoldenWriter&) = delete;

  /// A golden that is not there is created and listed; one that differs goes to NAME.json.new. Throws
  /// golden.write-failed.
  Written record(const Golden& golden);
  /// The same without creating: what is not there goes to NAME.json.new, too.
  Written propose(const Golden& golden);
  /// Moves NAME.json.new over NAME.json and lists its hash; all that wait for no ids, and of these what `is_sound` says
  /// yes to. Returns the ids. Throws golden.nothing-pending, json.* if a waiting file is no golden; then none is moved.
  std::vector<std::string> accept(const std::vector<std::string>& ids = {},
                                  const std::function<bool(const Golden&)>& is_sound = nullptr);

 private:
  Written beside(const std::string& name, const std::string& text);
  std::string waiting_golden(const std::string& id, const std::function<bool(const Golden&)>& is_sound) const;
  void accept_one(const std::string& id, const std::string& text);
  void list(const std::string& name, const std::string& text);

  std::string path_;
  int lock_ = -1;
};

}  // namespace microstep
