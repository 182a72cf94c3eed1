// Lines of a manifest that are none, each refused by the reason that helps.
#include <gtest/gtest.h>

#include "microstep/golden/folder.hpp"
#include "sample.hpp"

namespace microstep {
namespace {

TEST(Manifest, RefusesLinesThatAreNone) {
  std::string hash(64, 'a');
  const std::pair<std::string, std::string> table[] = {
      {hash + "  a.json", "golden.bad-manifest"},
      {hash + " a.json\n", "golden.bad-manifest"},
      {std::string(64, 'A') + "  a.json\n", "golden.bad-manifest"},
      {hash.substr(1) + "  aa.json\n", "golden.bad-manifest"},
      {hash + "  a.txt\n", "golden.bad-manifest"},
      {hash + "  a.json\n" + hash + "  a.json\n", "golden.bad-manifest"},
      {"<<<<<<< HEAD\n", "golden.merge-conflict"},
      {hash + "  a.json\n=======\n", "golden.merge-conflict"},
      {hash + "  a.json\r\n", "golden.bad-manifest"},
      {"\n", "golden.bad-manifest"},
      {hash + "  ../a.json\n", "golden.outside"},
      {hash + "  /etc/a.json\n", "golden.outside"},
      {hash + "  d/a.json\n", "golden.outside"},
  };
  for (const auto& [text, id] : table) EXPECT_EQ(refusal([&t = text] { decode_manifest(t, "M"); }).id(), id) << text;
  EXPECT_EQ(refusal([&] { decode_manifest(hash + "  a.json\nx\n", "M"); }).place(), "M:2");
}

TEST(Manifest, TellsOfLineEndsThatAreNotItsOwn) {
  const Error error = refusal([] { decode_manifest(std::string(64, 'a') + "  a.json\r\n", "M"); });
  EXPECT_EQ(error.place(), "M:1");
  EXPECT_NE(error.message().find("CRLF"), std::string::npos) << error.message();
}

}  // namespace
}  // namespace microstep
