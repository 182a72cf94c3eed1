#include "merge_markers.hpp"

#include "microstep/data/error.hpp"

namespace microstep {

bool has_merge_marker(std::string_view text) {
  for (std::string_view marker : {"<<<<<<< ", ">>>>>>> ", "||||||| ", "======="})
    for (std::size_t at = text.find(marker); at != std::string_view::npos; at = text.find(marker, at + 1))
      if (at == 0 || text[at - 1] == '\n') return true;
  return false;
}

void refuse_merge_conflict(const std::string& place) {
  throw Error("golden.merge-conflict", "the marks of an unfinished merge stand in it", place,
              "take one side whole, then microstep verify; goldens and their manifest are not merged by hand");
}

}  // namespace microstep
