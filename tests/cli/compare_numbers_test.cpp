// A first difference that is a number: index, both values with their bits and the distance in ULP. Without state
// apply_every emits the sum where the large batch has the mean: of two microsteps exactly twice as much. A factor of 2
// is one binade, 2^(p-1) steps of a format of p significant bits.
#include <cmath>
#include <cstdio>
#include <regex>

#include "cli/command.hpp"
#include "microstep/json/document.hpp"
#include "microstep/scalar/dtype.hpp"

namespace microstep::cli_test {
namespace {

const std::string doubled = "chain(sgd(0.5), apply_every(2))";

class NumericDivergence : public ::testing::TestWithParam<const char*> {
 protected:
  Result run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"compare", doubled, "--dtype", GetParam()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return microstep(arguments);
  }
  /// The decimal's bits in the dtype.
  std::string bits(const std::string& decimal) const { return bits_text(dtype, round_to(dtype, std::stod(decimal))); }
  double binade() const { return std::ldexp(1.0, facts(dtype).significand - 1); }

  Dtype dtype = *dtype_from_name(GetParam());
};

TEST_P(NumericDivergence, IsShownWithIndexBitsAndDistance) {
  const Result result = run();
  EXPECT_EQ(result.code, 1);
  const std::regex form(
      "first difference: window 1, microstep 2, updates/w0\\[0, 0\\], (\\S+) ULP of (\\S+) apart\n"
      "  accumulated (\\S+) \\((0x[0-9a-f]+)\\)\n  large batch (\\S+) \\((0x[0-9a-f]+)\\)\n");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(result.out, found, form)) << result.out;
  char distance[32];
  std::snprintf(distance, sizeof distance, "%.3g", binade());
  EXPECT_EQ(found[1], distance);
  EXPECT_EQ(found[2], GetParam());
  EXPECT_EQ(found[4], bits(found[3]));
  EXPECT_EQ(found[6], bits(found[5]));
  EXPECT_EQ(from_bits(dtype, std::stoull(found[4], nullptr, 16)),
            2 * from_bits(dtype, std::stoull(found[6], nullptr, 16)));
}

TEST_P(NumericDivergence, IsTheSameInJson) {
  const Document first = Document::parse(run({"--json"}).out).at("first_divergence");
  EXPECT_EQ(first.at("window").integer(), 1);
  EXPECT_EQ(first.at("microstep").integer(), 2);
  EXPECT_EQ(first.at("path").text(), "updates/w0");
  ASSERT_EQ(first.at("index").size(), 2U);
  for (std::size_t axis : {0, 1}) EXPECT_EQ(first.at("index").element(axis).integer(), 0);
  const double large = first.at("reference").number(dtype), sum = first.at("accumulated").number(dtype);
  EXPECT_NE(large, 0);
  EXPECT_EQ(sum, 2 * large);
  EXPECT_EQ(first.at("ulps").number(), binade());
  const std::string text = run().out;
  for (double value : {sum, large}) EXPECT_NE(text.find(" (" + bits_text(dtype, value) + ")\n"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Compare, NumericDivergence, ::testing::Values("float64", "float32", "bfloat16", "float16"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace microstep::cli_test
