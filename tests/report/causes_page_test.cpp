// docs/causes.md lists the causes that there are, each with its sentence, in the order of the table.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "microstep/report/compare.hpp"

namespace microstep {
namespace {

TEST(CausesPage, HoldsTheTable) {
  std::vector<std::string> due, rows;
  for (const Cause& cause : known_causes())
    due.push_back("| `" + std::string(cause.id) + "` | " + std::string(cause.sentence) + " |");
  std::ifstream page(MICROSTEP_SOURCE_DIR "/docs/causes.md");
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) rows.push_back(line);
  EXPECT_FALSE(due.empty());
  EXPECT_EQ(rows, due);
}

}  // namespace
}  // namespace microstep
