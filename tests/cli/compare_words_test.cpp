// What compare says of means behind means, of microsteps behind the last window, and where there is none.
#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

TEST(CompareWords, AMeanOfAMeanIsNoSum) {
  const Result result = microstep({"compare", "chain(multi_steps(adam(0.1), k=2), multi_steps(sgd(1), k=2))"});
  EXPECT_TRUE(
      result.says("  sum-mean: means are taken one behind another, which divide by 4 in all, where the large "
                  "batch divides by 2\n"))
      << result.out;
  const Result sum = microstep({"compare", "chain(apply_every(2), multi_steps(adam(0.1), k=3))"});
  EXPECT_TRUE(sum.says("  sum-mean: the sum of the window's gradients is used")) << sum.out;
}

TEST(CompareWords, MicrostepsBehindTheLastWindowAreNamed) {
  const std::vector<std::string> asked = {"compare", "multi_steps(sgd(0.1), k=4)", "--partial", "1"};
  const std::string words = "microstep 13, which fills no window";
  const Result text = microstep(asked);
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(text.says("SAME: over 3 windows")) << text.out;
  EXPECT_TRUE(text.says("not compared, no counterpart: " + words + "\n")) << text.out;
  std::vector<std::string> in_json = asked;
  in_json.emplace_back("--json");
  EXPECT_TRUE(microstep(in_json).says("\"not_compared\": [\"" + words + "\"]")) << microstep(in_json).out;
}

TEST(CompareWords, NoWindowHasNoLargestDifference) {
  const Result result = microstep({"compare", "multi_steps(sgd(0.1), k=2, skip=large(0.000001))"});
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.says("UNDECIDABLE: no window closes")) << result.out;
  EXPECT_FALSE(result.says("the float run itself")) << result.out;
}

}  // namespace
}  // namespace microstep::cli_test
