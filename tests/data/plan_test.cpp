// What a plan must not contradict.
#include "microstep/data/plan.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace microstep {
namespace {

Plan good() {
  Plan plan;
  plan.spec = parse_spec("multi_steps(sgd(1), k=2)");
  plan.problem = parse_spec("replay", OpKind::problem);
  plan.gradient_layout = make_layout({{"w", {2}}, {"s", {}}});
  plan.params = filled(plan.gradient_layout, 0.0);
  for (int i = 0; i < 3; ++i) plan.given.push_back({filled(plan.gradient_layout, 1.0), 1});
  plan.batches = {{0}, {1, 2}, {0}};
  plan.interruptions = {1, 3};
  return plan;
}

struct Spoilt {
  const char* id;
  const char* place;
  std::function<void(Plan&)> spoil;
};

class Check : public testing::TestWithParam<Spoilt> {};

TEST_P(Check, RefusesWithItsIdAndPlace) {
  Plan plan = good();
  GetParam().spoil(plan);
  try {
    check(plan);
    FAIL() << GetParam().id;
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), GetParam().id);
    EXPECT_EQ(error.place(), GetParam().place);
    EXPECT_FALSE(error.next().empty());
  }
}

constexpr double infinity = std::numeric_limits<double>::infinity();
const auto other_shape = make_layout({{"w", {3}}, {"s", {}}});
const auto other_name = make_layout({{"v", {2}}, {"s", {}}});
const auto fewer = make_layout({{"w", {2}}});
const auto other_dtype = make_layout({{"w", {2}, Dtype::float64}, {"s", {}}});

INSTANTIATE_TEST_SUITE_P(
    Plan, Check,
    testing::Values(
        Spoilt{"plan.no-params", "/params", [](Plan& p) { p.params = {}; }},
        Spoilt{"plan.gradient-shape", "/gradients", [](Plan& p) { p.gradient_layout = nullptr; }},
        Spoilt{"plan.gradient-shape", "/gradients", [](Plan& p) { p.gradient_layout = fewer; }},
        Spoilt{"plan.gradient-shape", "/given", [](Plan& p) { p.gradient_layout = other_shape; }},
        Spoilt{"plan.gradient-shape", "/given", [](Plan& p) { p.gradient_layout = other_name; }},
        Spoilt{"plan.gradient-shape", "/given/1", [](Plan& p) { p.given[1].gradient = filled(other_shape, 1.0); }},
        Spoilt{"plan.gradient-shape", "/given/0", [](Plan& p) { p.given[0].gradient = filled(other_dtype, 1.0); }},
        Spoilt{"plan.gradient-shape", "/given/2", [](Plan& p) { p.given[2].gradient = {}; }},
        Spoilt{"plan.gradient-of-absent", "/given/0", [](Plan& p) { p.params.mark(1, Presence::absent); }},
        Spoilt{"plan.gradient-of-absent", "/given/2",
               [](Plan& p) {
                 p.params.mark(0, Presence::absent);
                 for (std::size_t i : {0, 1}) p.given[i].gradient.mark(0, Presence::absent);
                 p.given[2].gradient.mark(0, Presence::zero);
               }},
        Spoilt{"plan.weight", "/given/0", [](Plan& p) { p.given[0].weight = 0; }},
        Spoilt{"plan.weight", "/given/2", [](Plan& p) { p.given[2].weight = -1; }},
        Spoilt{"plan.weight", "/given/1", [](Plan& p) { p.given[1].weight = infinity; }},
        Spoilt{"plan.weight", "/given/1", [](Plan& p) { p.given[1].weight = infinity - infinity; }},
        Spoilt{"plan.empty-batch", "/batches/1", [](Plan& p) { p.batches[1] = {}; }},
        Spoilt{"plan.batch-index", "/batches/2", [](Plan& p) { p.batches[2] = {3}; }},
        Spoilt{"plan.batch-index", "/batches/0", [](Plan& p) { p.batches[0] = {-1}; }},
        Spoilt{"plan.interruption", "/interruptions", [](Plan& p) { p.interruptions = {0}; }},
        Spoilt{"plan.interruption", "/interruptions", [](Plan& p) { p.interruptions = {4}; }},
        Spoilt{"plan.switches", "/switches", [](Plan& p) { p.switches = {{"matmul", "loops"}}; }}));

TEST(Check, AcceptsWhatFits) {
  Plan plan = good();
  EXPECT_NO_THROW(check(plan));
  plan.gradient_layout = with_dtype(plan.gradient_layout, Dtype::bfloat16);
  for (GivenGradient& given : plan.given) given.gradient.replace_layout(plan.gradient_layout);
  EXPECT_NO_THROW(check(plan));
}

TEST(Check, AcceptsAFrozenLeafWithoutGradients) {
  Plan plan = good();
  plan.params.mark(1, Presence::absent);
  for (GivenGradient& given : plan.given) given.gradient.mark(1, Presence::absent);
  EXPECT_NO_THROW(check(plan));
}

TEST(Check, ATrainedProblemHasAllExamplesThatItsBatchesName) {
  Plan plan = good();
  plan.problem = parse_spec("linear_regression", OpKind::problem);
  plan.given.clear();
  plan.batches = {{5000}};
  plan.interruptions.clear();
  EXPECT_NO_THROW(check(plan));
}

TEST(Role, HasANameAndIsFoundByIt) {
  for (Role role : {Role::accumulated, Role::reference, Role::interrupted, Role::permuted, Role::single, Role::clean})
    EXPECT_EQ(role_from_name(to_string(role)), role);
  EXPECT_EQ(role_from_name("other"), std::nullopt);
}

}  // namespace
}  // namespace microstep
