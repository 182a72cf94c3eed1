// What the reports behind `floor` measured on other machines, in kind, with our kernels.
#include "microstep/trial/floor.hpp"

#include <gtest/gtest.h>

#include "microstep/report/floor.hpp"

namespace microstep {
namespace {

using Kernels = std::map<std::string, std::string>;
using Groups = std::vector<std::size_t>;

FloorRequest asked(const std::string& model, std::vector<std::int64_t> batches = {1, 2, 8, 15, 16, 32}) {
  FloorRequest request;
  request.model = parse_spec(model, OpKind::model);
  request.batches = std::move(batches);
  request.port = {MICROSTEP_BINARY, "serve"};
  return request;
}

const FloorLine& line_of(const std::vector<FloorLine>& lines, const std::string& what) {
  for (const FloorLine& line : lines)
    if (line.what == what) return line;
  throw std::out_of_range(what);
}

bool says(const Floor& floor, const std::string& words) {
  for (const std::string& sentence : conclusion(floor))
    if (sentence.find(words) != std::string::npos) return true;
  return false;
}

// Batches 1 to 15 are bitwise equal, from 16 on another kernel runs; the difference is the float32 floor (1e-7 to 1e-4)
// and so is the error, which grows with the fast path.
TEST(Floor, OfAConvolutionSwitchesWhereItsPathDoes) {
  const Floor found = floor(asked("conv2d"));
  const ByBatch& table = found.by_batch.at(0);
  EXPECT_EQ(table.groups, (Groups{0, 0, 0, 0, 1, 1}));
  const FloorLine &before = table.lines[3], &after = table.lines[4];
  EXPECT_EQ(before.kernels, (Kernels{{"conv2d", "im2col"}}));
  EXPECT_EQ(after.kernels, (Kernels{{"conv2d", "winograd4"}}));
  EXPECT_TRUE(before.between.same_bits());
  EXPECT_GT(after.between.absolute, 1e-7);
  EXPECT_LT(after.between.absolute, 1e-4);
  EXPECT_GT(after.to_exact.absolute, before.to_exact.absolute);
  EXPECT_LT(before.bound.share, after.bound.share);
  EXPECT_TRUE(says(found, "It switches at batch 16: conv2d winograd4 runs in place of conv2d im2col"));
  EXPECT_TRUE(says(found, "Rounding, all of it"));
}

// Of one channel Winograd's transforms weigh more than the nine products: no order of the sum comes near them. With
// tf32 inputs the products do.
TEST(Floor, OfWinogradLiesOutsideOfEveryOrder) {
  const Floor found = floor(asked("conv2d(1, images=1, size=16)", {16}));
  EXPECT_EQ(line_of(found.by_switch, "conv2d=direct").bound.rule, "any order");
  EXPECT_EQ(line_of(found.by_switch, "conv2d=winograd4").bound.rule, "winograd4");
  EXPECT_EQ(line_of(found.by_switch, "matmul_inputs=tf32").bound.rule, "winograd4 of tf32 inputs");
}

// Gone in float64: the same paths, with less than the smallest difference between two float32 near 1e-3.
TEST(Floor, IsGoneInFloat64) {
  FloorRequest request = asked("conv2d", {1, 16});
  request.dtype = Dtype::float64;
  const Floor found = floor(request);
  const FloorLine& after = found.by_batch.at(0).lines.at(1);
  EXPECT_EQ(after.kernels.at("conv2d"), "winograd4");
  EXPECT_FALSE(after.between.same_bits());
  EXPECT_LT(after.between.absolute, 0x1p-34);
  EXPECT_TRUE(says(found, "No class changes"));
}

// Batch 10 against 10 000, as in the report: the same bits where the path is the same; with another order of the sums
// some rows are off and others exactly 0.
TEST(Floor, OfAnMlpIsThatOfTheOrderOfItsSums) {
  const Floor found = floor(asked("mlp(2, 10, 10, 2)", {10, 10000}));
  EXPECT_EQ(found.by_batch.at(0).groups, (Groups{0, 0}));
  const FloorLine& loops = line_of(found.by_switch, "tanh=scalar");
  EXPECT_EQ(loops.between.rows, 10000);
  EXPECT_GT(loops.between.equal_rows, 0);
  EXPECT_LT(loops.between.equal_rows, loops.between.rows);
  EXPECT_LT(loops.between.absolute, 1e-4);
  EXPECT_EQ(loops.bound.rule, "any order");
}

// From 4 rows on Eigen's product takes another way by the same name.
TEST(Floor, OfAProductThatChoosesWithin) {
  const Floor found = floor(asked("linear", {1, 3, 4, 1000}));
  EXPECT_EQ(found.by_batch.at(0).groups, (Groups{0, 0, 1, 1}));
  EXPECT_TRUE(
      says(found, "It switches at batch 4: the paths have the same names: one of them chooses by shape within"));
}

// A single row is off, all batches agree.
TEST(Floor, OfOneRowIsThatOfItsOwnPath) {
  FloorRequest request = asked("linear", {1, 2, 3});
  request.switches = {{"one_row", "reversed"}};
  const Floor found = floor(request);
  ASSERT_EQ(found.by_batch.size(), 2U);
  EXPECT_EQ(found.by_batch[0].groups, (Groups{0, 0, 0}));
  EXPECT_EQ(found.by_batch[1].setting, "one_row=reversed");
  EXPECT_EQ(found.by_batch[1].groups, (Groups{0, 1, 1}));
  EXPECT_EQ(found.by_batch[1].lines[0].kernels.at("matmul"), "loops");
}

// float32 arrays, products in tf32: far outside of what any order of float32 sums could give, inside of its own rule.
TEST(Floor, OfTf32InputsIsNamedByItsRule) {
  const Floor found = floor(asked("linear", {4}));
  const FloorLine &tf32 = line_of(found.by_switch, "matmul_inputs=tf32"),
                  &bfloat16 = line_of(found.by_switch, "matmul_inputs=bfloat16");
  EXPECT_EQ(tf32.bound.rule, "tf32 inputs");
  EXPECT_EQ(bfloat16.bound.rule, "bfloat16 inputs");
  EXPECT_GT(bfloat16.between.absolute, tf32.between.absolute);
  EXPECT_TRUE(says(found, "Only inputs that were rounded explain: matmul_inputs=tf32, matmul_inputs=bfloat16."));
  EXPECT_TRUE(says(found, "Of the switches matmul_inputs=bfloat16 moves the outputs most"));
}

// Winograd chosen by the total input size, batch included: 8 images of 16 x 8 x 8 are 8192 numbers.
TEST(Floor, OfAThresholdBySizeSwitchesThere) {
  FloorRequest request = asked("conv2d", {1, 4, 8, 15});
  request.switches = {{"auto_elements", "8192"}};
  const Floor found = floor(request);
  EXPECT_EQ(found.by_batch.at(0).groups, (Groups{0, 0, 0, 0}));
  EXPECT_EQ(found.by_batch.at(1).groups, (Groups{0, 0, 1, 1}));
}

// Whole net alone against batched: far apart with the fast path, far less without; a layer alone shows whose it is.
TEST(Floor, OfAWholeNetIsThatOfItsFastLayers) {
  const Floor found = floor(asked("tiny_conv_net(8, size=8)", {32}));
  ASSERT_EQ(found.row_by_row.size(), 2U);
  const auto &fast = found.row_by_row[0].lines, &plain = found.row_by_row[1].lines;
  EXPECT_EQ(found.row_by_row[1].setting, "fast paths off");
  ASSERT_EQ(fast.size(), 5U);
  EXPECT_GT(fast[0].between.absolute, 10 * plain[0].between.absolute);
  EXPECT_GT(fast[1].between.absolute, 1e-7);
  EXPECT_EQ(fast[1].what, "layer 1: conv2d(8, images=2, act=relu)");
  EXPECT_TRUE(fast[3].between.same_bits());
}

TEST(Floor, SaysThatThereIsNoEffect) {
  FloorRequest request = asked("linear", {2, 4});
  request.switches = {{"conv2d", "direct"}};
  const Floor found = floor(request);
  EXPECT_TRUE(found.by_switch.at(1).between.same_bits());
  EXPECT_TRUE(says(found, "No effect: conv2d=direct."));
}

TEST(Floor, NamesWhatIsBeyondTheBudget) {
  FloorRequest request = asked("conv2d", {1, 15, 16});
  request.budget.absolute = 1e-9;
  const Floor found = floor(request);
  EXPECT_EQ(found.beyond_budget.at(0), "batch 16 (as it is)");
  EXPECT_TRUE(says(found, "BEYOND THE BUDGET: batch 16 (as it is); "));
  request.budget = {{}, 10.0};
  EXPECT_TRUE(floor(request).beyond_budget.empty());
}

TEST(Floor, IsTheSameTwice) {
  const FloorRequest request = asked("tiny_conv_net", {1, 16});
  EXPECT_EQ(json_report(floor(request)), json_report(floor(request)));
  FloorRequest other = request;
  other.seed = 2;
  EXPECT_NE(json_report(floor(request)), json_report(floor(other)));
}

}  // namespace
}  // namespace microstep
