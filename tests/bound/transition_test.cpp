// Honest float traces lie in their one-step balls; wrong ones do not.
#include <fmt/format.h>

#include "bound/plans.hpp"

namespace microstep::testing_bound {
namespace {

// The first place outside its ball, "row path"; empty if there is none. `exact` counts balls of radius 0.
std::string outside(const Trace& trace, const Envelope& balls, std::int64_t* exact = nullptr) {
  for (std::int64_t row = 0; row < trace.rows(); ++row) {
    for (std::size_t i = 0; i < trace.schema().count_paths().size(); ++i)
      if (trace.count(row, i) != balls.count(row, i)) return trace.schema().count_paths()[i];
    for (std::size_t c = 0; c < trace.schema().columns().size(); ++c) {
      const std::string& path = trace.schema().columns()[c].path;
      if (path == "loss" || trace.presence(row, c) == Presence::absent) continue;
      for (std::size_t j = 0; j < trace.numbers(row, c).size(); ++j) {
        const bool zero = trace.presence(row, c) == Presence::zero,
                   ball_zero = balls.presence(row, c) != Presence::dense;
        const Ball ball = ball_zero ? exactly(0) : balls.numbers(row, c)[j];
        if (!contains(ball, zero ? 0.0 : trace.numbers(row, c)[j])) return fmt::format("{} {}", row, path);
        if (exact) *exact += ball.radius == 0 && !zero;
      }
    }
  }
  return {};
}

std::string judged(const Plan& plan, const Trace& trace) {
  return outside(trace, transitions(plan, embedded(trace)));
}

class Honest : public testing::TestWithParam<std::tuple<Dtype, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Transitions, Honest,
    testing::Combine(testing::ValuesIn(std::vector<Dtype>(all_dtypes().begin(), all_dtypes().end())),
                     testing::Values("multi_steps(adam(0.1), k=3)",
                                     "chain(adamw(0.1, weight_decay=0.3), apply_every(2))",
                                     "multi_steps(sgd(0.1, momentum=0.9, nesterov=true), k=3, reduce=weighted)",
                                     "chain(clip_by_global_norm(0.5), ema(0.9), scale(-0.3))",
                                     "multi_steps(adam(0.1), k=2, acc_dtype=float32, partial=flush)",
                                     "multi_steps(chain(clip(0.25), trace(0.9), sgd([[0, 0.1], [2, 0.01]])), k=2)")));

TEST_P(Honest, TracesLieInTheirBalls) {
  const auto& [dtype, spec] = GetParam();
  for (const char* problem : {"replay", "mlp(3, 5, 2)"}) {
    const Plan plan = plan_of(spec, problem, {.windows = 10, .partial = 1, .ragged = true, .dtype = dtype});
    EXPECT_EQ(judged(plan, run(plan)), "") << problem;
  }
}

TEST(Transitions, OnDyadicNumbersAreExact) {
  const Plan plan = replay_of("multi_steps(sgd(0.5, momentum=0.5), k=3)", {6, 12, 3, 0, -9, 6});
  const Trace trace = run(plan);
  std::int64_t exact = 0;
  EXPECT_EQ(outside(trace, transitions(plan, embedded(trace)), &exact), "");
  EXPECT_GT(exact, 10);
}

TEST(Transitions, OneUlpOnDyadicNumbersIsOutside) {
  const Plan plan = replay_of("multi_steps(sgd(0.5, momentum=0.5), k=3)", {6, 12, 3, 0, -9, 6});
  for (const char* path : {"params/w", "updates/w", "state/of[0]/trace/w"}) {
    Trace trace = run(plan);
    double& x = trace.numbers(3, *trace.schema().find_column(path))[0];
    x = std::nextafter(static_cast<float>(x), 100.0F);
    EXPECT_EQ(judged(plan, trace), std::string("3 ") + path);
  }
}

TEST(Transitions, AWrongSpecLeavesItsFirstTrace) {
  const Plan mean = plan_of("multi_steps(adam(0.1), k=2)", "mlp(3, 5, 2)");
  Plan sum = mean;
  sum.spec = parse_spec("multi_steps(adam(0.1), k=2, reduce=sum)");
  EXPECT_EQ(judged(mean, run(sum)), "2 state/of[0]/mu/w0");
  Plan hat = mean;
  hat.spec = parse_spec("multi_steps(adam(0.1, b2=0.9999), k=2)");
  EXPECT_EQ(judged(mean, run(hat)), "2 state/of[0]/nu/w0");
}

TEST(Transitions, ACountThatStandsStillIsOutside) {
  const Plan plan = plan_of("multi_steps(adam(0.1), k=2)", "replay");
  Trace trace = run(plan);
  trace.count(4, *trace.schema().find_count("state/of[0]/count")) = 1;
  EXPECT_EQ(judged(plan, trace), "state/of[0]/count");
}

TEST(Transitions, JudgeEachStepFromWhatWasRecorded) {
  // A wrong number is outside once; the steps after it follow from it.
  const Plan plan = replay_of("sgd(0.5, momentum=0.5)", {2, 4, 6, 8});
  Plan other = plan;
  other.given[1].gradient.values(0)[0] = 5;
  Trace trace = run(other);
  trace.numbers(2, *trace.schema().find_column("gradients/w"))[0] = 4;
  const Envelope balls = transitions(plan, embedded(trace));
  const std::size_t u = *trace.schema().find_column("updates/w");
  EXPECT_FALSE(contains(balls.numbers(2, u)[0], trace.numbers(2, u)[0]));
  EXPECT_TRUE(contains(balls.numbers(3, u)[0], trace.numbers(3, u)[0]));
}

Trace with_paths(const Trace& trace, std::string_view from, std::string_view to, Shape shape = {1}) {
  std::vector<Column> columns = trace.schema().columns();
  for (Column& column : columns)
    if (column.path == from) column = {std::string(to), shape, column.dtype};
  Trace other = trace;
  other.replace_schema(std::make_shared<const Schema>(std::move(columns), trace.schema().count_paths()));
  return other;
}

std::string refused(const Plan& plan, const Trace& trace) {
  try {
    transitions(plan, embedded(trace));
  } catch (const Error& error) {
    return error.id() + " " + error.place();
  }
  return {};
}

std::vector<Ball> column_of(const Envelope& rows, std::string_view path) {
  std::vector<Ball> balls;
  for (std::int64_t row = 1; row < rows.rows(); ++row)
    balls.push_back(rows.presence(row, *rows.schema().find_column(path)) == Presence::dense
                        ? rows.numbers(row, *rows.schema().find_column(path))[0]
                        : exactly(0));
  return balls;
}

void expect_exactly(const std::vector<Ball>& balls, const std::vector<double>& due) {
  ASSERT_EQ(balls.size(), due.size());
  for (std::size_t i = 0; i < due.size(); ++i) {
    EXPECT_EQ(static_cast<double>(balls[i].value), due[i]) << i;
    EXPECT_EQ(balls[i].radius, 0) << i;
  }
}

// The trace is 2, then 4 + 2/2, then 6 + 5/2.
TEST(Transitions, CarryOnAHiddenSlot) {
  const Plan plan = replay_of("sgd(0.5, momentum=0.5)", {2, 4, 6});
  const Trace hidden = with_paths(run(plan), "state/trace/w", "state/momentum/w");
  const Envelope balls = transitions(plan, embedded(hidden));
  expect_exactly(column_of(balls, "state/trace/w"), {2, 5, 8.5});
  expect_exactly(column_of(balls, "updates/w"), {-1, -2.5, -4.25});
}

TEST(Transitions, CarryOnHiddenCounts) {
  const Plan plan = replay_of("multi_steps(sgd(1), k=2)", {2, 4, 8, 8});
  Trace trace = run(plan);
  trace.replace_schema(std::make_shared<const Schema>(trace.schema().columns(), std::vector<std::string>{"a", "b"}));
  const Envelope balls = transitions(plan, embedded(trace));
  expect_exactly(column_of(balls, "updates/w"), {0, -3, 0, -8});
  EXPECT_EQ(balls.count(4, *balls.schema().find_count("state/gradient_step")), 2);
}

TEST(Transitions, CarryOnWhatARowLacks) {
  const Plan plan = replay_of("multi_steps(sgd(1), k=2)", {2, 4, 8, 8});
  Trace trace = run(plan);
  trace.presence(2, *trace.schema().find_column("params/w")) = Presence::absent;
  trace.hide_count(3, *trace.schema().find_count("state/mini_step"));
  trace.count(3, *trace.schema().find_count("state/mini_step")) = 0;
  const Envelope balls = transitions(plan, embedded(trace));
  expect_exactly(column_of(balls, "params/w"), {0, -3, -3, -11});
  expect_exactly(column_of(balls, "updates/w"), {0, -3, 0, -8});
}

// A gradient, and then none; the accumulator's zeros are numbers, as in a file. memory: the trace before microstep 2.
Trace with_zeros(const Plan& plan, double memory) {
  Trace trace = run(plan);
  const std::size_t acc = *trace.schema().find_column("state/acc_grads/w");
  for (std::int64_t row : {0, 1, 2}) trace.presence(row, acc) = Presence::dense;
  for (std::int64_t row : {0, 1, 2}) trace.numbers(row, acc)[0] = 0;
  const std::size_t slot = *trace.schema().find_column("state/of[0]/trace/w");
  trace.presence(1, slot) = Presence::dense;
  trace.numbers(1, slot)[0] = memory;
  return trace;
}

Plan gradient_and_none(std::string_view spec, double gradient) {
  Plan plan = replay_of(spec, {gradient, 0});
  plan.given[1].gradient.mark(0, Presence::absent);
  return plan;
}

// It was given on already, so that the window of microstep 2 has no gradient: the trace stays.
TEST(Transitions, OfAWindowThatWasClosedTooEarlyForgetItsGradients) {
  const Trace early = with_zeros(gradient_and_none("multi_steps(trace(0.5), k=1)", 2), 2);
  const Plan plan = gradient_and_none("multi_steps(trace(0.5), k=[[0, 2], [1, 1]])", 2);
  const Envelope balls = transitions(plan, embedded(early));
  EXPECT_EQ(static_cast<double>(column_of(balls, "state/of[0]/trace/w")[1].value), 2);
}

// It is still open, and had a gradient of 0: the trace of 4 decays to 2.
TEST(Transitions, OfAWindowThatWasNotClosedRememberItsGradients) {
  const Trace late = with_zeros(gradient_and_none("multi_steps(trace(0.5), k=2)", 0), 4);
  const Plan plan = gradient_and_none("multi_steps(trace(0.5), k=1)", 0);
  const Envelope balls = transitions(plan, embedded(late));
  EXPECT_EQ(static_cast<double>(column_of(balls, "state/of[0]/trace/w")[1].value), 2);
}

TEST(Transitions, RefuseHiddenGradients) {
  const Plan plan = replay_of("sgd(0.5, momentum=0.5)", {2, 4});
  EXPECT_EQ(refused(plan, with_paths(run(plan), "gradients/w", "grads/w")), "trace.not-shown gradients/w");
}

TEST(Transitions, RefuseOtherShapes) {
  const Plan plan = replay_of("sgd(0.5, momentum=0.5)", {2, 4});
  EXPECT_EQ(refused(plan, with_paths(run(plan), "state/trace/w", "state/trace/w", {1, 1})),
            "trace.shape state/trace/w");
}

}  // namespace
}  // namespace microstep::testing_bound
