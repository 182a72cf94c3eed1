// What a comparison would hold in memory is known before it is held.
#include <gtest/gtest.h>

#include <cstdlib>

#include "microstep/trial/compare.hpp"

namespace microstep {
namespace {

CompareRequest asked(const std::string& spec, const std::string& problem, std::int64_t windows) {
  CompareRequest request{parse_spec(spec), parse_spec(problem, OpKind::problem), {}, {}};
  request.options.windows = windows;
  request.memory = 0;
  return request;
}

// Refused for no memory at all; the figure that it names.
double mebibytes(const CompareRequest& request) {
  try {
    compare(request);
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "plan.too-large");
    EXPECT_NE(error.next(), "");
    const std::string words = "needs about ";
    return std::strtod(error.message().c_str() + error.message().find(words) + words.size(), nullptr);
  }
  ADD_FAILURE() << "it was taken";
  return 0;
}

// 4096 * 4096 + 4096 params; Adam in multi_steps has mu, nu and acc_grads beside gradient, update and param: 6 numbers.
// Four runs of 12 microsteps with their start, one of them with the steps that are due; the reference and k = 1 have 4
// rows of 5 and 6. All of them are kept, in 32 bytes.
TEST(Memory, OfALargeProblemIsThatOfItsRowsOfBalls) {
  const double params = 4096.0 * 4096 + 4096, rows = 4 * 13 * 6 + 4 * 5 + 4 * 6, kept = params * rows * 32;
  const double found = mebibytes(asked("multi_steps(adam(0.1), k=4)", "mlp(4096, 4096)", 3)) * 1024 * 1024;
  EXPECT_GT(found, kept);
  EXPECT_LT(found, 1.5 * kept);
}

TEST(Memory, GrowsWithMicrostepsAndExamples) {
  const std::string spec = "multi_steps(sgd(0.1), k=1000)", small = "mlp(32, 32)";
  EXPECT_GT(mebibytes(asked(spec, small, 6)), 1.9 * mebibytes(asked(spec, small, 3)));
  EXPECT_GT(mebibytes(asked("multi_steps(sgd(0.1), k=2, skip=large(1))", small, 3000)),
            1.15 * mebibytes(asked("multi_steps(sgd(0.1), k=2)", small, 3000)));
  CompareRequest batch = asked("multi_steps(sgd(0.1), k=4)", small, 1);
  const double one = mebibytes(batch);
  batch.options.examples = 10000;
  // Inputs, outputs and targets of 40000 examples in 32 bytes are the least.
  EXPECT_GT(mebibytes(batch) - one, 40000 * 3 * 32 * 32 / (1024.0 * 1024));
}

// The windows of 64 channels at 128^2 pixels, in a batch of 4 examples and 32 bytes, are the least.
TEST(Memory, OfAConvolutionIsThatOfItsWindows) {
  const double windows = 128.0 * 128 * 64 * 9 * 4 * 32 / (1024 * 1024);
  const std::string spec = "multi_steps(sgd(0.1), k=2)";
  EXPECT_GT(mebibytes(asked(spec, "tiny_conv_net(64, size=128)", 1)), windows);
  EXPECT_LT(mebibytes(asked(spec, "tiny_conv_net(4, size=5)", 1)), 16);
}

TEST(Memory, IsTakenWhereThereIsEnough) {
  CompareRequest request = asked("multi_steps(sgd(0.1), k=2)", "mlp(3, 5, 2)", 3);
  request.memory = 1e9;
  EXPECT_EQ(compare(request).semantics.verdict, Sameness::same);
}

TEST(Compare, TellsHowFarItIs) {
  CompareRequest request = asked("multi_steps(sgd(0.1), k=2)", "mlp(3, 5, 2)", 3);
  request.memory.reset();
  std::vector<std::size_t> told;
  request.done = [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(all, 7U);  // five runs, the search for causes, the floats
    told.push_back(done);
  };
  compare(request);
  EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace microstep
