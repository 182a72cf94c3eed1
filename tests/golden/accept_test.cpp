// What waits beside a golden, and is moved over it.
#include <gtest/gtest.h>

#include "microstep/golden/folder.hpp"
#include "sample.hpp"

namespace microstep {
namespace {

namespace fs = std::filesystem;

using Ids = std::vector<std::string>;

TEST(Writer, AcceptsWhatWaits) {
  ScratchFolder folder;
  record_two(folder);
  {
    GoldenWriter writer(folder.text());
    writer.propose(changed("a"));
    writer.propose(sample_golden("c"));
    EXPECT_EQ(writer.accept({"a"}), Ids{"a"});
    EXPECT_TRUE(fs::exists(folder / "c.json.new"));
    EXPECT_EQ(writer.accept(), Ids{"c"});
  }
  GoldenFolder loaded = load_golden_folder(folder.text());
  EXPECT_TRUE(loaded.faults.empty() && loaded.orphans.empty() && loaded.pending.empty());
  ASSERT_EQ(loaded.goldens.size(), 3U);
  EXPECT_EQ(loaded.goldens[0].why, "another reason");
}

TEST(Writer, AcceptsOnlyWhatIsSound) {
  ScratchFolder folder;
  record_two(folder);
  const std::string before = get(folder / "a.json");
  GoldenWriter writer(folder.text());
  writer.propose(changed("a"));
  writer.propose(sample_golden("c"));
  EXPECT_EQ(writer.accept({}, [](const Golden& golden) { return golden.id != "a"; }), Ids{"c"});
  EXPECT_EQ(get(folder / "a.json"), before);
  EXPECT_TRUE(fs::exists(folder / "a.json.new"));
  EXPECT_EQ(refusal([&] { writer.accept({"a", "c"}); }).id(), "golden.nothing-pending");
  EXPECT_EQ(get(folder / "a.json"), before);
}

TEST(Writer, AcceptsNothingThatIsNoGolden) {
  ScratchFolder folder;
  record_two(folder);
  std::string before = get(folder / "a.json");
  GoldenWriter writer(folder.text());
  EXPECT_EQ(refusal([&] { writer.accept({"a"}); }).id(), "golden.nothing-pending");
  EXPECT_EQ(refusal([&] { writer.accept({"../a"}); }).id(), "golden.bad-id");
  put(folder / "a.json.new", "{}");
  EXPECT_EQ(refusal([&] { writer.accept({"a"}); }).id(), "json.missing-key");
  put(folder / "a.json.new", encode_golden(sample_golden("b")));
  EXPECT_EQ(refusal([&] { writer.accept({"a"}); }).id(), "golden.id-mismatch");
  EXPECT_EQ(get(folder / "a.json"), before);
}

}  // namespace
}  // namespace microstep
