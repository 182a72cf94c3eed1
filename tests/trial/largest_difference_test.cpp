// What the float run itself showed: of each param the largest difference, recomputed here over both recorded traces.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "microstep/train/run.hpp"
#include "microstep/trial/compare.hpp"

namespace microstep {
namespace {

Comparison compared(const std::string& spec) {
  CompareRequest request{parse_spec(spec), parse_spec("mlp(3, 5, 2)", OpKind::problem), {}, {}};
  request.options.windows = 4;
  return compare(request);
}

/// Of one number at one window's end: the values of both runs, and how far they are apart.
struct Met {
  std::int64_t window, index;
  double accumulated, reference, gap;
};

double gap_of(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::infinity() : std::fabs(a - b);
}

// Window by window, each in the order of the elements. Both runs have the problem's params in the same columns.
std::vector<Met> all_met(const Comparison& found, const std::string& path) {
  const Trace own = run(found.accumulated), other = run(found.reference);
  const std::size_t column = own.schema().find_column(path).value();
  std::vector<Met> met;
  for (std::size_t w = 0; w < found.windows.size(); ++w) {
    const auto a = own.numbers(found.windows[w].back() + 1, column);
    const auto b = other.numbers(static_cast<std::int64_t>(w) + 1, other.schema().find_column(path).value());
    for (std::size_t j = 0; j < a.size(); ++j)
      met.push_back({static_cast<std::int64_t>(w) + 1, static_cast<std::int64_t>(j), a[j], b[j], gap_of(a[j], b[j])});
  }
  return met;
}

bool is_met(const LargestDifference& leaf, const Met& met) {
  auto alike = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return leaf.window == met.window && leaf.index == met.index && alike(leaf.accumulated, met.accumulated) &&
         alike(leaf.reference, met.reference);
}

struct Asked {
  std::string spec;
  /// Leaves of which neither the first nor the last difference is the largest one.
  std::int64_t told_apart;
};

class LargestOf : public testing::TestWithParam<Asked> {};

TEST_P(LargestOf, EveryLeafIsShown) {
  const Comparison found = compared(GetParam().spec);
  ASSERT_EQ(found.shown.size(), 4U);
  std::int64_t told_apart = 0;
  for (const LargestDifference& leaf : found.shown) {
    const std::vector<Met> met = all_met(found, leaf.path);
    const Met& largest = *std::ranges::max_element(met, {}, &Met::gap);
    EXPECT_TRUE(is_met(leaf, largest)) << leaf.path << " window " << leaf.window << " where " << largest.window;
    auto differs = [](const Met& each) { return each.gap > 0; };
    const auto first = std::ranges::find_if(met, differs);
    const auto last = std::find_if(met.rbegin(), met.rend(), differs);
    told_apart += first != met.end() && first->gap < largest.gap && last->gap < largest.gap;
  }
  EXPECT_GE(told_apart, GetParam().told_apart);
}

// The last one's steps are so long that params become infinite and NaN, those of one run a window before the other's: a
// NaN on one side is the largest difference, and what comes later does not take its place.
INSTANTIATE_TEST_SUITE_P(Floats, LargestOf,
                         testing::Values(Asked{"chain(sgd(0.5), apply_every(2))", 1},
                                         Asked{"chain(adam(0.1), apply_every(2))", 1},
                                         Asked{"multi_steps(adam(0.1), k=2)", 1},
                                         Asked{"chain(sgd(1e38), apply_every(2))", 1}));

}  // namespace
}  // namespace microstep
