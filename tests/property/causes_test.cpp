// Of drawn specs and options: wherever compare says different it names a cause, and a cause is named nowhere else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "microstep/draw/specs.hpp"
#include "microstep/trial/compare.hpp"

namespace microstep::property {
namespace {

constexpr std::uint64_t cases = 1000;

PlanOptions drawn_options(Dice& dice) {
  PlanOptions options;
  options.windows = dice.between(1, 2);
  options.partial = dice.below(3);
  options.examples = dice.between(1, 2);
  options.ragged = dice.chance(0.3);
  options.dtype = dice.one_of<Dtype>({Dtype::float64, Dtype::float32, Dtype::bfloat16, Dtype::float16});
  options.loss = dice.chance(0.3) ? Loss::sum : Loss::mean;
  options.seed = static_cast<std::uint64_t>(dice.below(1000));
  return options;
}

// A third of the references is another optimizer, so that what differs need not be the accumulation.
CompareRequest drawn_request(std::uint64_t which_case) {
  const Stream stream("compare-names-a-cause", 1);
  Dice dice(stream, which_case);
  SpecLimits limits;
  limits.accumulators = dice.chance(0.5) ? Accumulators::outermost : Accumulators::anywhere;
  CompareRequest request{draw_spec(dice, limits), parse_spec("replay", OpKind::problem), drawn_options(dice), {}};
  limits.accumulators = Accumulators::none;
  if (dice.chance(0.3)) request.against = draw_spec(dice, limits);
  return request;
}

// Nothing where the spec accumulates nothing, has windows that do not end together or a mask without a leaf.
std::optional<Comparison> compared(const CompareRequest& request) {
  try {
    return compare(request);
  } catch (const Error& error) {
    const std::set<std::string> due = {"spec.no-accumulator", "plan.no-common-windows", "plan.mask"};
    EXPECT_TRUE(due.contains(error.id())) << error.what();
    return std::nullopt;
  }
}

TEST(Causes, AreNamedWhereverPlansDifferAndNowhereElse) {
  std::map<Sameness, std::uint64_t> found;
  for (std::uint64_t which_case = 0; which_case < cases; ++which_case) {
    const CompareRequest request = drawn_request(which_case);
    const std::optional<Comparison> comparison = compared(request);
    if (!comparison) continue;
    const Sameness verdict = comparison->semantics.verdict;
    ++found[verdict];
    EXPECT_EQ(comparison->causes.empty(), verdict != Sameness::different)
        << "case " << which_case << ": " << to_string(request.spec) << " against "
        << to_string(comparison->reference.spec) << " is " << to_string(verdict) << " with "
        << comparison->causes.size() << " causes";
  }
  EXPECT_GE(found[Sameness::different], cases / 4);
  EXPECT_GE(found[Sameness::same], cases / 10);
  fmt::print("{} different, {} same, {} undecidable of {}\n", found[Sameness::different], found[Sameness::same],
             found[Sameness::undecidable], cases);
}

}  // namespace
}  // namespace microstep::property
