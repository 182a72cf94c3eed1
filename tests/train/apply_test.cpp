// An update that is moved block by block is the whole update, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "microstep/train/run.hpp"

namespace microstep {
namespace {

using A = Plain<float>;

// Around the ends of blocks; a leaf without elements, small ones and large ones.
LayoutPointer large_layout() {
  return make_layout({{"none", {0}, Dtype::float32},
                      {"w", {16, 256}, Dtype::float32},
                      {"b", {3}, Dtype::float32},
                      {"v", {257}, Dtype::float32},
                      {"s", {}, Dtype::float32}});
}

Tree<float> numbers(std::size_t step) {
  Tree<float> tree(large_layout());
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    for (std::size_t j = 0; j < tree.values(i).size(); ++j)
      tree.values(i)[j] = static_cast<float>((j * 37 + i * 5 + step * 11) % 255) / 128.0F - 1.0F;
  return tree;
}

template <class V>
void expect_equal(const Tree<V>& a, const Tree<V>& b, const std::string& what) {
  ASSERT_EQ(a.leaf_count(), b.leaf_count());
  for (std::size_t i = 0; i < a.leaf_count(); ++i) {
    EXPECT_EQ(a.leaf(i), b.leaf(i)) << what;
    ASSERT_EQ(a.presence(i), b.presence(i)) << what << "/" << a.leaf(i).name;
    const bool same = !a.is_dense(i) || std::ranges::equal(a.values(i), b.values(i));
    EXPECT_TRUE(same) << what << "/" << a.leaf(i).name;
  }
}

template <class V>
void expect_equal(const State<V>& a, const State<V>& b) {
  EXPECT_EQ(a.counts, b.counts) << a.op;
  ASSERT_EQ(a.slots.size(), b.slots.size());
  for (std::size_t n = 0; n < a.slots.size(); ++n)
    expect_equal(a.slots[n].second, b.slots[n].second, a.op + "/" + a.slots[n].first);
  ASSERT_EQ(a.of.size(), b.of.size());
  for (std::size_t n = 0; n < a.of.size(); ++n) expect_equal(a.of[n], b.of[n]);
}

/// A run moved by update_and_apply beside one whose updates and params are moved as wholes.
template <class B>
class Twice {
 public:
  using V = typename B::Value;
  Twice(const B& arithmetic, const char* spec, const Tree<V>& start)
      : arithmetic_(arithmetic),
        transformation_(build<B>(parse_spec(spec))),
        params_(start),
        whole_params_(start),
        state_(transformation_->init(arithmetic, start)),
        whole_state_(state_) {}

  void step(Tree<V> gradients, bool last, double weight = 1) {
    Tree<V> updates = gradients;
    may_have_moved_in_blocks = may_have_moved_in_blocks || transformation_->moves_in_blocks(state_);
    update_and_apply(arithmetic_, *transformation_, params_, updates, state_, {weight, last});
    transformation_->update(arithmetic_, gradients, whole_state_, whole_params_, {weight, last});
    apply_updates(arithmetic_, whole_params_, gradients);
    expect_equal(updates, gradients, "updates");
    expect_equal(params_, whole_params_, "params");
    expect_equal(state_, whole_state_);
  }

  bool may_have_moved_in_blocks = false;

 private:
  B arithmetic_;
  TransformationPointer<B> transformation_;
  Tree<V> params_, whole_params_;
  State<V> state_, whole_state_;
};

class EverySpec : public testing::TestWithParam<const char*> {};

TEST_P(EverySpec, InBlocksIsTheWholeUpdate) {
  Twice<A> twice(A{}, GetParam(), numbers(100));
  for (std::size_t t = 0; t < 7; ++t) twice.step(numbers(t), t == 6);
  EXPECT_TRUE(twice.may_have_moved_in_blocks);
}

// What is absent or zero in the closing microstep is not read.
TEST(InBlocks, NotWhereALeafIsAbsentOrZero) {
  for (const Presence presence : {Presence::absent, Presence::zero})
    for (std::size_t at = 0; at < 4; ++at) {
      Twice<A> twice(A{}, "multi_steps(adam(0.1), k=2)", numbers(100));
      for (std::size_t t = 0; t < 4; ++t) {
        Tree<float> gradients = numbers(t);
        if (t == at) gradients.mark(1, presence);
        twice.step(gradients, t == 3);
      }
    }
}

// Accumulators, params and gradients of several dtypes.
TEST(InBlocks, NotInSeveralDtypes) {
  const Emulated<double> in{Dtype::float64, HyperPrecision::float64};
  for (const Dtype dtype : {Dtype::float32, Dtype::bfloat16}) {
    Tree<double> params(with_dtype(large_layout(), Dtype::bfloat16));
    for (std::size_t i = 0; i < params.leaf_count(); ++i) std::ranges::fill(params.values(i), 0.5);
    Twice<Emulated<double>> twice(in, "multi_steps(sgd(0.1), k=3, acc_dtype=float64)", params);
    for (std::size_t t = 0; t < 6; ++t) {
      Tree<double> gradients(with_dtype(large_layout(), dtype));
      const Tree<float> given = numbers(t);
      for (std::size_t i = 0; i < given.leaf_count(); ++i)
        std::ranges::copy(given.values(i), gradients.values(i).begin());
      twice.step(gradients, t == 5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    InBlocks, EverySpec,
    testing::Values("multi_steps(adam(0.1), k=3)", "multi_steps(adamw([[0, 0.1], [1, 0.2]], mask=[\"w\"]), k=2)",
                    "multi_steps(sgd(0.1, momentum=0.9, nesterov=true), k=3, reduce=sum)",
                    "multi_steps(chain(clip(0.5), add_decayed_weights(0.01), trace(0.9), scale(0.5), "
                    "ema(0.9), scale_by_schedule([[0, 0.5], [1, 0.25]])), k=3, partial=flush)",
                    "multi_steps(chain(sgd(0.1), clip_by_global_norm(1), add_decayed_weights(0.1)), k=2)",
                    "multi_steps(trace(0.5), k=2)", "multi_steps(scale_by_adam(), k=2)", "multi_steps(ema(0.5), k=3)",
                    "chain(scale_by_adam(), sgd(0.1))", "scale(-1)", "clip(0.25)"));

// Each is asked where its window is about to close and all of its sum is dense.
class WholeOnly : public testing::TestWithParam<const char*> {};

TEST_P(WholeOnly, NeverMovesInBlocks) {
  Twice<A> twice(A{}, GetParam(), numbers(100));
  for (std::size_t t = 0; t < 7; ++t) twice.step(numbers(t), t == 6, static_cast<double>(1 + t % 3));
  EXPECT_FALSE(twice.may_have_moved_in_blocks);
}

INSTANTIATE_TEST_SUITE_P(
    NotInBlocks, WholeOnly,
    testing::Values("multi_steps(sgd(1), k=2, skip=not_finite)", "multi_steps(sgd(1), k=2, skip=large(1000000))",
                    "multi_steps(sgd(1), k=2, skip=window_not_finite)", "multi_steps(sgd(1), k=2, reduce=weighted)",
                    "multi_steps(sgd(1), k=2, clear=multiply)", "multi_steps(clip_by_global_norm(1), k=2)",
                    "multi_steps(masked(sgd(1), mask=[\"w\"]), k=2)"));

// 5000 params from 0, so that they would move in blocks; all gradients of a microstep are the same but the last.
template <class V>
struct Large {
  Large(const char* spec, Dtype dtype)
      : transformation(build<Plain<V>>(parse_spec(spec))),
        params(make_layout({{"w", {5000}, dtype}})),
        state(transformation->init(Plain<V>{}, params)) {
    std::ranges::fill(params.values(0), V(0));
  }

  void step(V gradient, V last, double weight = 1) {
    Tree<V> updates(params.layout_pointer());
    std::ranges::fill(updates.values(0), gradient);
    updates.values(0).back() = last;
    update_and_apply(Plain<V>{}, *transformation, params, updates, state, {weight, false});
  }
  void expect_params(V all, V last) const {
    EXPECT_EQ(std::ranges::count(params.values(0), all), all == last ? 5000 : 4999);
    EXPECT_EQ(params.values(0).back(), last);
  }

  TransformationPointer<Plain<V>> transformation;
  Tree<V> params;
  State<V> state;
};

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();

TEST(NotInBlocks, ASkippedMicrobatchDoesNotCloseItsWindow) {
  Large<float> run("multi_steps(sgd(1), k=2, skip=not_finite)", Dtype::float32);
  run.step(2, 4);
  run.step(8, nan);
  run.expect_params(0, 0);
  EXPECT_EQ(run.state.count("mini_step"), 1);
  run.step(4, 8);
  run.expect_params(-3, -6);
}

TEST(NotInBlocks, AWindowThatIsNotFiniteIsThrownAway) {
  Large<float> run("multi_steps(sgd(1), k=2, skip=window_not_finite)", Dtype::float32);
  run.step(2, 4);
  run.step(8, infinity);
  run.expect_params(0, 0);
  EXPECT_EQ(run.state.count("gradient_step"), 0);
}

// In float64, the dtype of the weights' total. Weights 1 and 3: (2 + 3 6)/4 = 5 and (4 + 3 8)/4 = 7.
TEST(NotInBlocks, AWeightedMeanTakesItsWeights) {
  Large<double> run("multi_steps(sgd(1), k=2, reduce=weighted)", Dtype::float64);
  run.step(2, 4, 1);
  run.step(6, 8, 3);
  run.expect_params(-5, -7);
}

// 0 times infinity stays in the accumulator; 0 times the others is what the next window begins with.
TEST(NotInBlocks, AnAccumulatorClearedByMultiplicationKeepsNan) {
  Large<float> run("multi_steps(sgd(1), k=2, clear=multiply)", Dtype::float32);
  run.step(2, 4);
  run.step(4, infinity);
  run.expect_params(-3, -infinity);
  EXPECT_EQ(run.state.slot("acc_grads").values(0).front(), 0);
  EXPECT_TRUE(std::isnan(run.state.slot("acc_grads").values(0).back()));
}

TEST(NotInBlocks, AreNormsMasksSkipsAndWindowsThatStayOpen) {
  for (const char* spec : {"clip_by_global_norm(1)", "chain(sgd(1), clip_by_global_norm(1))",
                           "multi_steps(clip_by_global_norm(1), k=1)", "multi_steps(sgd(1), k=2)",
                           "multi_steps(sgd(1), k=1, skip=not_finite)", "multi_steps(sgd(1), k=1, reduce=weighted)",
                           "add_decayed_weights(1, mask=[\"w\"])", "masked(sgd(1), mask=[\"w\"])", "chain()"}) {
    const auto transformation = build<A>(parse_spec(spec));
    EXPECT_FALSE(transformation->moves_in_blocks(transformation->init(A{}, numbers(0)))) << spec;
  }
}

// A leaf whose gradient was absent in the window so far has no sum that could be gone on with.
TEST(NotInBlocks, IsAWindowWithAnAbsentGradient) {
  const auto transformation = build<A>(parse_spec("multi_steps(sgd(1), k=2)"));
  Tree<float> params = numbers(100), updates = numbers(1);
  State<float> state = transformation->init(A{}, params);
  updates.mark(1, Presence::absent);
  update_and_apply(A{}, *transformation, params, updates, state, {});
  EXPECT_FALSE(transformation->moves_in_blocks(state));
}

}  // namespace
}  // namespace microstep
