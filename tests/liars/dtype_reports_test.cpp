// The reports that a number of float64 alone cannot show: the dtype itself, and what rounding to it leaves.
#include <gtest/gtest.h>

#include "support/liars/scene.hpp"

namespace microstep::liars {
namespace {

constexpr const char* mean_of_two = "multi_steps(sgd(1), k=2)";

Dtype dtype_of(const Envelope& trace, const std::string& path) {
  return trace.schema().columns()[trace.schema().find_column(path).value()].dtype;
}

// The update has the dtype of the param, whatever is wrapped around.
TEST(DtypeReports, B091ShowsInTheDtypeOfTheUpdate) {
  const Plan plan = scalar_plan(parse_spec(mean_of_two), 1, {2, 4});
  const Dtype due = plan.params.leaf(0).dtype;
  for (Carrier carrier : {Carrier::float64, Carrier::balls}) {
    EXPECT_EQ(dtype_of(observed(plan, carrier, nullptr), "updates/w"), due);
    EXPECT_EQ(dtype_of(observed(plan, carrier, &liar("update-dtype")), "updates/w"), Dtype::float16);
  }
}

// bfloat16 has eight bits: the next number after 1 is 1 + 2^-7, so a gradient of 1 + 2^-9 becomes 1 in an accumulator of
// it, and the mean with the second one is 1 + 2^-10. float64 keeps both.
TEST(DtypeReports, B099ShowsWhereTheAccumulatorIsRounded) {
  const double g = 1 + 0x1p-9;
  const Plan right = scalar_plan(parse_spec(mean_of_two), 0, {g, g});
  Plan faulty = right;
  faulty.spec = parse_spec(liar("accumulator-downcast").detail);
  const auto after = [](const Plan& plan, const std::string& path, std::int64_t microstep) {
    const Trace trace = run(plan);
    return trace.numbers(microstep, trace.schema().find_column(path).value())[0];
  };
  EXPECT_EQ(after(right, "state/acc_grads/w", 1), g);
  EXPECT_EQ(after(right, "updates/w", 2), -g);
  EXPECT_EQ(after(faulty, "state/acc_grads/w", 1), 1);
  EXPECT_EQ(after(faulty, "updates/w", 2), -(1 + 0x1p-10));
}

}  // namespace
}  // namespace microstep::liars
