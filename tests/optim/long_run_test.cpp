// Bit for bit over 100 windows: k = 1 is the inner, exact means are the large batch, copies of a state go on alike.
#include <bit>

#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

// Small integers times `factor`, no two alike in a row.
Numbers gradient(int t, double factor) {
  return {factor * ((t * 7) % 11 - 5), factor * ((t * 5) % 13 - 6), factor * ((t * 3) % 7 - 3)};
}

template <class A>
void expect_same_bits(const State<typename A::Value>& a, const State<typename A::Value>& b) {
  ASSERT_EQ(a.counts, b.counts);
  for (std::size_t i = 0; i < a.slots.size(); ++i) {
    const Numbers x = numbers_of<A>(a.slots[i].second), y = numbers_of<A>(b.slots[i].second);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t j = 0; j < x.size(); ++j)
      EXPECT_EQ(std::bit_cast<std::int64_t>(x[j]), std::bit_cast<std::int64_t>(y[j]));
  }
  for (std::size_t i = 0; i < a.of.size(); ++i) expect_same_bits<A>(a.of[i], b.of[i]);
}

class Inner : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(LongRun, Inner,
                         testing::Values("sgd(0.1)", "sgd(0.1, momentum=0.9, nesterov=true)", "adam(0.1)",
                                         "adamw(0.1, weight_decay=0.3)", "chain(clip_by_global_norm(2), ema(0.9))",
                                         "adam([[0, 0.1], [50, 0.01]])"));

Numbers thirds(int t, Dtype dtype) {
  Numbers g = gradient(t, 1.0 / 3);
  for (double& x : g) x = round_to(dtype, x);
  return g;
}

template <class A>
void expect_window_of_one(const std::string& inner, const A& arithmetic, Dtype dtype) {
  for (const char* reduce : {"mean", "sum", "weighted"}) {
    Loop<A> wrapped("multi_steps(" + inner + ", k=1, reduce=" + reduce + ")", vector_of(3, dtype), {1, 2, 3},
                    arithmetic);
    Loop<A> plain(inner, vector_of(3, dtype), {1, 2, 3}, arithmetic);
    for (int t = 0; t < 100; ++t) ASSERT_EQ(wrapped.step(thirds(t, dtype)), plain.step(thirds(t, dtype)));
    expect_same_bits<A>(wrapped.state.of[0], plain.state);
    EXPECT_EQ(wrapped.state.count("gradient_step"), 100);
  }
}

TEST_P(Inner, AWindowOfOneIsTheInnerBitForBit) {
  expect_window_of_one(GetParam(), Plain<float>{}, Dtype::float32);
  expect_window_of_one(GetParam(), Plain<double>{}, Dtype::float64);
  expect_window_of_one(GetParam(), Exact{}, Dtype::float64);
  expect_window_of_one(GetParam(), Emulated<double>{}, Dtype::bfloat16);
}

// Gradients are multiples of 12 = lcm(1..4), so the running mean of float32 is exact.
TEST_P(Inner, ExactMeansAreTheLargeBatchBitForBit) {
  using A = Plain<float>;
  Loop<A> accumulated(std::string("multi_steps(") + GetParam() + ", k=4)", vector_of(3, Dtype::float32), {1, 2, 3});
  Loop<A> large(GetParam(), vector_of(3, Dtype::float32), {1, 2, 3});
  for (int window = 0; window < 100; ++window) {
    Numbers mean(3), update;
    for (int t = 4 * window; t < 4 * window + 4; ++t) {
      update = accumulated.step(gradient(t, 12));
      for (std::size_t i = 0; i < 3; ++i) mean[i] += gradient(t, 12)[i] / 4;
    }
    ASSERT_EQ(update, large.step(mean)) << window;
  }
  expect_same_bits<A>(accumulated.state.of[0], large.state);
}

TEST_P(Inner, ACopiedStateGoesOnAlikeFromAnyMicrostep) {
  const std::string spec = std::string("multi_steps(") + GetParam() + ", k=3, reduce=weighted)";
  for (int cut = 0; cut < 7; ++cut) {
    Loop<Plain<float>> whole(spec, vector_of(3, Dtype::float32), {1, 2, 3});
    for (int t = 0; t < cut; ++t) whole.step(gradient(t, 0.1), {1.0 + t});
    Loop<Plain<float>> resumed(spec, vector_of(3, Dtype::float32), {0, 0, 0});
    resumed.state = whole.state;
    resumed.params = whole.params;
    for (int t = cut; t < 12; ++t)
      ASSERT_EQ(whole.step(gradient(t, 0.1), {1.0 + t}), resumed.step(gradient(t, 0.1), {1.0 + t}));
    expect_same_bits<Plain<float>>(whole.state, resumed.state);
  }
}

}  // namespace
}  // namespace microstep::testing_optim
