#include "layers/source.hpp"

#include <gtest/gtest.h>

#include "layers/rooms.hpp"

namespace microstep::layers {
namespace {

TEST(Source, CommentsAndLiteralsBecomeBlanks) {
  EXPECT_EQ(without_comments_and_literals("a // b\nc"), "a     \nc");
  EXPECT_EQ(without_comments_and_literals("a /* b\n */ c"), "a     \n    c");
  EXPECT_EQ(without_comments_and_literals(R"(f("x\"y") + 'z')"), R"(f("    ") + ' ')");
  EXPECT_EQ(without_comments_and_literals("1'000'000 + n"), "1'000'000 + n");
}

TEST(Source, RawLiteralsEndAtTheirOwnMark) {
  EXPECT_EQ(without_comments_and_literals("R\"x(a)\" // )x\" + b"), "R\"           \" + b");
}

TEST(Source, CodeHoldsNoDirectives) {
  EXPECT_EQ(code_of("#define A \\\n  B\nint a;\n  # if C\n"), "           \n   \nint a;\n        \n");
}

TEST(Source, IncludesAreReadFromLiveLinesOnly) {
  const SourceFile file{"a.hpp",
                        "#include <a.h>\n// #include <b.h>\n#  include \"c/d.h\"\nx = \"\\\n#include <e.h>\";\n"};
  EXPECT_EQ(includes_of(file), (std::vector<std::string>{"a.h", "c/d.h"}));
  EXPECT_TRUE(includes_of({"a.hpp", "x = R\"(\n#include <e.h>\n)\";\n"}).empty());
}

TEST(Rooms, UsesAreClosedOverAndLinksAreNoRooms) {
  const Rooms rooms = parse_rooms(
      "microstep_room(a LINKS q)\n# microstep_room(x)\nmicrostep_room(b USES a LINKS z)\n"
      "microstep_room(c  USES b PRIVATE_LINKS y)\n");
  ASSERT_EQ(rooms.size(), 3u);
  EXPECT_EQ(rooms.at("a"), (std::set<std::string>{"a"}));
  EXPECT_EQ(rooms.at("c"), (std::set<std::string>{"a", "b", "c"}));
}

TEST(Rooms, APathKnowsItsRoom) {
  const Rooms rooms{{"a", {"a"}}};
  EXPECT_EQ(room_of(rooms, "include/microstep/a/x.hpp"), "a");
  EXPECT_EQ(room_of(rooms, "src/a/x.cpp"), "a");
  EXPECT_EQ(room_of(rooms, "tests/a/x_test.cpp"), "a");
  EXPECT_EQ(room_of(rooms, "src/b/x.cpp"), "");
  EXPECT_EQ(room_of(rooms, "tools/a/x.cpp"), "");
}

}  // namespace
}  // namespace microstep::layers
