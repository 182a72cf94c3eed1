#pragma once
// Whole files in and out: an input is refused before it is read in, an output is there whole or not at all.
#include <cstdint>
#include <string>
#include <string_view>

#include "microstep/data/error.hpp"

namespace microstep {

inline constexpr std::int64_t largest_file = std::int64_t{1} << 30;

enum class Links { follow, refuse };
/// Throws file.not-found, file.is-folder, file.not-a-file, file.is-link, file.unreadable, file.empty, file.too-large,
/// file.short-read; the place is the path.
std::string read_file(const std::string& path, Links links = Links::follow);

/// Through a temporary file beside it, fsync and rename. Throws golden.write-failed; an old file is then untouched and
/// the temporary one removed.
void write_file(const std::string& path, std::string_view bytes);
/// Removes what writers that are dead left in the folder.
void sweep_temporary_files(const std::string& folder);

/// An Error about what stands in a file, whatever room refused it; the place names the file.
class FileError : public Error {
 public:
  using Error::Error;
};

/// decode(), whose Errors become FileErrors of that source; what is of a file already stays so.
template <class Decode>
auto in_file(const std::string& source, Decode decode) {
  try {
    return decode();
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    const std::string& place = error.place();
    const bool named = place.starts_with(source);
    const bool pointer = place.starts_with('#');
    throw FileError(error.id(), error.message(),
                    named                      ? place
                    : place.empty() || pointer ? source + place
                                               : source + '\n' + place,
                    error.next());
  }
}

/// 64 lower-case hexadecimal digits.
std::string sha256_of(std::string_view bytes);

}  // namespace microstep
