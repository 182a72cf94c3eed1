// clear=multiply: what is not finite stays as NaN, as in libraries that multiply by 0; clear=select forgets it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "microstep/optim/transform.hpp"
#include "microstep/scalar/plain.hpp"

namespace microstep {
namespace {

using A = Plain<double>;

// The updates of one scalar leaf over the gradients.
std::vector<double> updates_of(const char* spec, const std::vector<double>& gradients) {
  const auto transformation = build<A>(parse_spec(spec));
  const LayoutPointer layout = make_layout({{"w", {}, Dtype::float64}});
  const Tree<double> params = filled(layout, 0.0);
  State<double> state = transformation->init(A{}, params);
  std::vector<double> updates;
  for (double g : gradients) {
    Tree<double> update = filled(layout, g);
    transformation->update(A{}, update, state, params, {});
    updates.push_back(update.is_dense(0) ? update.values(0)[0] : 0.0);
  }
  return updates;
}

const double inf = std::numeric_limits<double>::infinity();

// Held: 0 * -inf. The window: -(inf + 2). The next one: 0 * inf stays in the sum.
TEST(ClearByMultiplication, KeepsAnInfinityForEver) {
  const auto updates = updates_of("multi_steps(sgd(1), k=2, reduce=sum, clear=multiply)", {inf, 2, 3, 5});
  EXPECT_TRUE(std::isnan(updates[0]));
  EXPECT_EQ(updates[1], -inf);
  EXPECT_TRUE(std::isnan(updates[2]));
  EXPECT_TRUE(std::isnan(updates[3]));
}

TEST(ClearBySelection, ForgetsItWithTheWindow) {
  const auto updates = updates_of("multi_steps(sgd(1), k=2, reduce=sum)", {inf, 2, 3, 5});
  EXPECT_EQ(updates, (std::vector<double>{0, -inf, 0, -8}));
}

TEST(ClearByMultiplication, StaysBehindApplyEvery) {
  const auto updates = updates_of("apply_every(2, clear=multiply)", {inf, 2, 3, 5});
  EXPECT_TRUE(std::isnan(updates[0]));
  EXPECT_EQ(updates[1], inf);
  EXPECT_TRUE(std::isnan(updates[3]));
  EXPECT_EQ(updates_of("apply_every(2)", {inf, 2, 3, 5}), (std::vector<double>{0, inf, 0, 8}));
}

// On finite gradients both are the same, and the inner sleeps through held microsteps: Adam's count is 1 a window.
TEST(ClearByMultiplication, ChangesNothingThatIsFinite) {
  const std::vector<double> gradients = {2, 4, 1, 3};
  EXPECT_EQ(updates_of("multi_steps(adam(0.5), k=2, clear=multiply)", gradients),
            updates_of("multi_steps(adam(0.5), k=2)", gradients));
  EXPECT_EQ(updates_of("apply_every(2, clear=multiply)", gradients), (std::vector<double>{0, 6, 0, 4}));
}

}  // namespace
}  // namespace microstep
