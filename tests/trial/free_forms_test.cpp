// Loops that reduce their windows in another form than a running mean, in plain float32: none of them is accused.
#include <fmt/format.h>

#include "trial/renamed_run.hpp"

namespace microstep {
namespace {

enum class Loop { sum_divided, sum_of_quotients, weighted_sum_divided };

struct Window {
  float sum = 0, weight = 0;
};

void add(Window& window, Loop loop, float g, float weight, float k) {
  if (loop == Loop::sum_divided) window.sum += g;
  if (loop == Loop::sum_of_quotients) window.sum += g / k;
  if (loop == Loop::weighted_sum_divided) window.sum += weight * g;
  window.weight += weight;
}

float mean_of(const Window& window, Loop loop, float n) {
  if (loop == Loop::sum_of_quotients) return window.sum;
  return window.sum / (loop == Loop::sum_divided ? n : window.weight);
}

constexpr float lr = 0.5F;

/// What the loop records of one number: sgd(0.5) on the means of windows of k.
void run_number(DumpedTrace& dumped, const std::string& leaf, std::size_t i, Loop loop, std::int64_t k) {
  Window window;
  auto number = [&](const std::string& section, std::int64_t row) -> double& {
    return numbers_of(dumped, section + leaf, row)[i];
  };
  for (std::int64_t row = 1; row < dumped.trace.rows(); ++row) {
    const std::int64_t n = (row - 1) % k + 1;
    if (n == 1) window = {};
    add(window, loop, static_cast<float>(number("gradients/", row)),
        static_cast<float>(dumped.weights[static_cast<std::size_t>(row - 1)]), static_cast<float>(k));
    const float mean = mean_of(window, loop, static_cast<float>(n));
    const float update = n == k ? -lr * mean : 0.0F;
    number("state/acc_grads/", row) = n == k ? 0 : mean;
    number("updates/", row) = update;
    number("params/", row) = static_cast<float>(number("params/", row - 1)) + update;
  }
}

/// Every presence of these columns is dense, so that numbers may be written.
void make_dense(DumpedTrace& dumped) {
  for (std::size_t column = 0; column < dumped.trace.schema().columns().size(); ++column)
    for (std::int64_t row = 0; row < dumped.trace.rows(); ++row) {
      if (dumped.trace.presence(row, column) == Presence::dense) continue;
      dumped.trace.presence(row, column) = Presence::dense;
      std::ranges::fill(dumped.trace.numbers(row, column), 0.0);
    }
}

struct Case {
  Loop loop;
  bool hidden;
  std::int64_t k;
  std::uint64_t seed = 1;
};

std::string claim_of(const Case& c) {
  const char* const reduce = c.loop == Loop::weighted_sum_divided ? ", reduce=weighted" : "";
  return fmt::format("multi_steps(sgd(0.5), k={}{})", c.k, reduce);
}

DumpedTrace run_of(const Case& c) {
  DumpedTrace dumped = dumped_run(claim_of(c), {.windows = 12, .ragged = true, .seed = c.seed});
  make_dense(dumped);
  for (const char* leaf : {"w", "b"})
    for (std::size_t i = 0; i < numbers_of(dumped, "updates/" + std::string(leaf), 1).size(); ++i)
      run_number(dumped, leaf, i, c.loop, c.k);
  run_number(dumped, "s", 0, c.loop, c.k);
  return c.hidden ? renamed(dumped, {{"state/acc_grads/", ""}}) : dumped;
}

class FreeForm : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Honest, FreeForm,
                         testing::Values(Case{Loop::sum_divided, false, 2}, Case{Loop::sum_divided, false, 3},
                                         Case{Loop::sum_divided, false, 8}, Case{Loop::sum_divided, true, 3},
                                         Case{Loop::sum_divided, true, 8}, Case{Loop::sum_of_quotients, true, 3},
                                         Case{Loop::sum_of_quotients, true, 8},
                                         Case{Loop::weighted_sum_divided, false, 2},
                                         Case{Loop::weighted_sum_divided, false, 3},
                                         Case{Loop::weighted_sum_divided, true, 2},
                                         Case{Loop::weighted_sum_divided, true, 8}));

TEST_P(FreeForm, IsNotAccused) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Case c = GetParam();
    c.seed = seed;
    const TraceJudgement judgement = judged_as(claim_of(c), run_of(c));
    // A hidden mean that cancels has a ball as wide as itself.
    const bool undecidable = c.hidden && judgement.faithful.outcome == Outcome::undecidable;
    EXPECT_TRUE(undecidable || judgement.faithful.outcome == Outcome::holds)
        << "seed " << seed << ": " << judgement.faithful.reason
        << (judgement.faithful.first ? judgement.faithful.first->path : "");
    for (const Verdict& verdict : judgement.contracts)
      EXPECT_TRUE(verdict.outcome != Outcome::broken || verdict.contract.ends_with("large_batch")) << verdict.evidence;
  }
}

// Without the wider balls some of them are outside: the sum of a window rounds where its running mean would not.
TEST(FreeForm, IsNotThatOfARunningMean) {
  int outside = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DumpedTrace dumped = run_of({Loop::sum_divided, false, 8, seed});
    dumped.running_mean = true;
    outside += judged_as("multi_steps(sgd(0.5), k=8)", dumped).faithful.outcome == Outcome::broken ? 1 : 0;
  }
  EXPECT_GT(outside, 0);
}

TEST(FreeForm, StillSeesASumAndADivisorThatIsOff) {
  for (const Case& c : {Case{Loop::sum_divided, false, 3}, Case{Loop::sum_divided, true, 3}}) {
    DumpedTrace dumped = run_of(c);
    for (std::int64_t row = 3; row < dumped.trace.rows(); row += 3)
      for (double& x : numbers_of(dumped, "updates/w", row)) x *= 1 + 0x1p-18;
    EXPECT_EQ(judged_as(claim_of(c), dumped).faithful.outcome, Outcome::broken);
  }
}

// 1 - 0.999^t in bfloat16 is 0 if 0.999 is rounded first, and some number if not.
TEST(InfinitelyWide, IsNoPass) {
  DumpedTrace dumped = dumped_run("multi_steps(adam(0.1), k=2)", {.windows = 4, .dtype = Dtype::bfloat16});
  dumped.hyper_precision = HyperPrecision::undeclared;
  const TraceJudgement honest = judged_as("multi_steps(adam(0.1), k=2)", dumped);
  EXPECT_EQ(honest.faithful.outcome, Outcome::undecidable);
  EXPECT_GT(honest.faithful.infinite, 0);
  EXPECT_TRUE(honest.faithful.reason.ends_with("state its hyper_precision")) << honest.faithful.reason;
  dumped.hyper_precision = HyperPrecision::float64;
  EXPECT_EQ(judged_as("multi_steps(adam(0.1), k=2)", dumped).faithful.outcome, Outcome::holds);
  EXPECT_EQ(judged_as("multi_steps(adam(0.4), k=2)", dumped).faithful.outcome, Outcome::broken);
}

// The update is not certain; that it was added is.
TEST(InfinitelyWide, UpdatesStillHaveToReachTheParams) {
  DumpedTrace dumped = dumped_run("multi_steps(adam(0.1), k=2)", {.windows = 4, .dtype = Dtype::bfloat16});
  dumped.hyper_precision = HyperPrecision::undeclared;
  for (std::int64_t row = 2; row < dumped.trace.rows(); row += 2)
    for (double& x : numbers_of(dumped, "updates/w", row)) x *= 2;
  const TraceJudgement judgement = judged_as("multi_steps(adam(0.1), k=2)", dumped);
  ASSERT_EQ(judgement.faithful.outcome, Outcome::broken);
  EXPECT_EQ(judgement.faithful.first->path, "params/w");
}

}  // namespace
}  // namespace microstep
