// A run that goes through bytes after every microstep shows the rows of one that does not, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "microstep/train/run.hpp"
#include "microstep/train/setup.hpp"
#include "microstep/trial/evidence.hpp"

namespace microstep {
namespace {

constexpr std::string_view specs[] = {
    "multi_steps(adamw(0.1), k=3, acc_dtype=\"bfloat16\")",
    "multi_steps(chain(clip(1), trace(0.9), ema(0.5)), k=2, reduce=\"weighted\")",
    "chain(scale_by_schedule([[0, 1], [2, 0.5]]), apply_every(2), sgd(0.1, momentum=0.9))",
    "multi_steps(masked(adam([[0, 0.1], [3, 0.01]]), mask=[\"w\"]), k=2, skip=\"not_finite\")",
};

Plan plan_of(std::string_view spec, Dtype dtype) {
  PlanOptions options;
  options.dtype = dtype;
  options.partial = 1;
  Plan plan = make_plan(parse_spec(spec), parse_spec("replay", OpKind::problem), options);
  plan.given[1].gradient.mark(1, Presence::absent);
  plan.given[2].gradient.mark(0, Presence::zero);
  plan.given[5].gradient.values(0)[1] = -0.0;
  plan.given[8].gradient.values(0)[0] = std::nan("");
  return plan;
}

Trace interrupted(Plan plan) {
  plan.interruptions.resize(plan.batches.size());
  std::iota(plan.interruptions.begin(), plan.interruptions.end(), 1);
  return std::get<Trace>(own_run(plan));
}

void expect_same_bits(const Trace& a, const Trace& b) {
  ASSERT_EQ(a.schema(), b.schema());
  ASSERT_EQ(a.rows(), b.rows());
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    for (std::size_t i = 0; i < a.schema().count_paths().size(); ++i) EXPECT_EQ(a.count(row, i), b.count(row, i));
    for (std::size_t c = 0; c < a.schema().columns().size(); ++c) {
      ASSERT_EQ(a.presence(row, c), b.presence(row, c)) << row << " " << a.schema().columns()[c].path;
      if (a.presence(row, c) != Presence::dense) continue;
      EXPECT_EQ(std::memcmp(a.numbers(row, c).data(), b.numbers(row, c).data(), a.numbers(row, c).size_bytes()), 0);
    }
  }
}

TEST(OwnRun, GoesOnAfterBytesAsIfNothingHadHappened) {
  for (std::string_view spec : specs)
    for (Dtype dtype : all_dtypes()) {
      SCOPED_TRACE(std::string(spec) + " in " + std::string(to_string(dtype)));
      const Plan plan = plan_of(spec, dtype);
      const Trace trace = interrupted(plan);
      expect_same_bits(trace, std::get<Trace>(own_run(plan)));
      EXPECT_TRUE(trace.deviations.empty());
    }
}

}  // namespace
}  // namespace microstep
