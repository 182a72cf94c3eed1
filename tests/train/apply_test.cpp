// An update that is moved block by block is the whole update, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>

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

void expect_equal(const Tree<float>& a, const Tree<float>& b, const std::string& what) {
  ASSERT_EQ(a.leaf_count(), b.leaf_count());
  for (std::size_t i = 0; i < a.leaf_count(); ++i) {
    EXPECT_EQ(a.leaf(i), b.leaf(i)) << what;
    ASSERT_EQ(a.presence(i), b.presence(i)) << what << "/" << a.leaf(i).name;
    const bool same = !a.is_dense(i) || std::ranges::equal(a.values(i), b.values(i));
    EXPECT_TRUE(same) << what << "/" << a.leaf(i).name;
  }
}

void expect_equal(const State<float>& a, const State<float>& b) {
  EXPECT_EQ(a.counts, b.counts) << a.op;
  ASSERT_EQ(a.slots.size(), b.slots.size());
  for (std::size_t n = 0; n < a.slots.size(); ++n)
    expect_equal(a.slots[n].second, b.slots[n].second, a.op + "/" + a.slots[n].first);
  ASSERT_EQ(a.of.size(), b.of.size());
  for (std::size_t n = 0; n < a.of.size(); ++n) expect_equal(a.of[n], b.of[n]);
}

class InBlocks : public testing::TestWithParam<const char*> {};

TEST_P(InBlocks, IsTheWholeUpdate) {
  const auto transformation = build<A>(parse_spec(GetParam()));
  Tree<float> params = numbers(100), other_params = params;
  State<float> state = transformation->init(A{}, params), other_state = transformation->init(A{}, params);
  bool moved_in_blocks = false;
  for (std::size_t t = 0; t < 7; ++t) {
    Tree<float> updates = numbers(t), other_updates = updates;
    moved_in_blocks = moved_in_blocks || transformation->moves_in_blocks(state);
    update_and_apply(A{}, *transformation, params, updates, state, {1, t == 6});
    transformation->update(A{}, other_updates, other_state, other_params, {1, t == 6});
    apply_updates(A{}, other_params, other_updates);
    expect_equal(updates, other_updates, "updates");
    expect_equal(params, other_params, "params");
    expect_equal(state, other_state);
  }
  EXPECT_TRUE(moved_in_blocks);
}

INSTANTIATE_TEST_SUITE_P(
    Specs, InBlocks,
    testing::Values("multi_steps(adam(0.1), k=3)", "multi_steps(adamw([[0, 0.1], [1, 0.2]], mask=[\"w\"]), k=2)",
                    "multi_steps(sgd(0.1, momentum=0.9, nesterov=true), k=3, reduce=sum)",
                    "multi_steps(chain(clip(0.5), add_decayed_weights(0.01), trace(0.9), scale(0.5), "
                    "ema(0.9), scale_by_schedule([[0, 0.5], [1, 0.25]])), k=3, partial=flush)",
                    "multi_steps(chain(sgd(0.1), clip_by_global_norm(1), add_decayed_weights(0.1)), k=2)",
                    "multi_steps(trace(0.5), k=2)", "multi_steps(scale_by_adam(), k=2)", "multi_steps(ema(0.5), k=3)",
                    "chain(scale_by_adam(), sgd(0.1))", "scale(-1)", "clip(0.25)"));

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
