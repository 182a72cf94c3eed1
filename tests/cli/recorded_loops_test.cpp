// What the recorder of tools/ports/python wrote of other people's libraries, judged without them.
#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

// recorded/torch_loop is what docs/torch_loop.py wrote with PyTorch 1.13.0 (Debian 12), on CPU.
std::string torch_loop(const std::string& name) { return source("tests/cli/recorded/torch_loop/" + name); }

TEST(TorchLoop, IsFaithful) {
  const Result result = microstep({"judge", torch_loop("run.json")});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(result.says("\nFAITHFUL: every one of")) << result.out;
}

TEST(TorchLoop, IsNotThatOfASum) {
  const Result result =
      microstep({"judge", torch_loop("run.json"), "--spec", "multi_steps(adam(0.1), k=2, reduce=sum)"});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_TRUE(result.says("sum-mean")) << result.out;
}

// The last number of the last tensor, one bit off.
TEST(TorchLoop, WithOneOtherNumberIsNot) {
  const Folder folder;
  std::string bytes = text_of(torch_loop("run.safetensors"));
  bytes[bytes.size() - 2] = static_cast<char>(bytes[bytes.size() - 2] ^ 0x40);
  folder.write("run.safetensors", bytes);
  const Result result = microstep({"judge", folder.write("run.json", text_of(torch_loop("run.json")))});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_TRUE(result.says("NOT FAITHFUL: 1 of")) << result.out;
}

}  // namespace
}  // namespace microstep::cli_test
