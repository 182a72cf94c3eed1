// Names, shapes, dtypes and offsets of leaves.
#include <gtest/gtest.h>

#include "microstep/data/error.hpp"
#include "microstep/data/tree.hpp"

namespace microstep {
namespace {

std::string refused(std::vector<Leaf> leaves) {
  try {
    Layout layout(std::move(leaves));
  } catch (const Error& error) {
    return error.id();
  }
  return {};
}

TEST(Layout, LaysLeavesOneBehindTheOther) {
  const Layout layout({{"w", {2, 3}}, {"empty", {4, 0}}, {"s", {}}, {"b", {5}}});
  const std::vector<std::int64_t> offsets = {0, 6, 6, 7}, sizes = {6, 0, 1, 5};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(layout.leaves()[i].offset, offsets[i]);
    EXPECT_EQ(layout.leaves()[i].size, sizes[i]);
  }
  EXPECT_EQ(layout.size(), 12);
  EXPECT_EQ(layout.find("s"), std::optional<std::size_t>(2));
  EXPECT_EQ(layout.find("S"), std::nullopt);
}

TEST(Layout, RefusesTwoLeavesOfOneName) { EXPECT_EQ(refused({{"w", {1}}, {"w", {2}}}), "data.duplicate-leaf"); }

TEST(Layout, RefusesShapesThatNoTensorHas) {
  EXPECT_EQ(refused({{"w", {1, 1, 1, 1}}}), "");
  EXPECT_EQ(refused({{"w", {1, 1, 1, 1, 1}}}), "data.shape");
  EXPECT_EQ(refused({{"w", {2, -1}}}), "data.shape");
  EXPECT_EQ(refused({{"w", {std::int64_t{1} << 21, std::int64_t{1} << 20}}}), "data.shape");
  EXPECT_EQ(refused({{"w", {0, std::int64_t{1} << 62, 8}}}), "data.shape");
}

TEST(Shape, CountsItsElementsInRowMajorOrder) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 0, 2}), 0);
  EXPECT_EQ(to_string(Shape{3, 2}), "[3, 2]");
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(index_text({2, 3}, 4), "[1, 1]");
  EXPECT_EQ(index_text({2, 3, 2}, 11), "[1, 2, 1]");
  EXPECT_EQ(index_text({}, 0), "[]");
}

TEST(Layout, WithAnotherDtypeKeepsThePointerWhereNothingChanges) {
  const LayoutPointer layout = make_layout({{"w", {2}, Dtype::bfloat16}, {"b", {}, Dtype::float64}});
  const LayoutPointer other = with_dtype(layout, Dtype::bfloat16);
  EXPECT_EQ(other->leaves()[1].dtype, Dtype::bfloat16);
  EXPECT_EQ(layout->leaves()[1].dtype, Dtype::float64);
  EXPECT_EQ(with_dtype(other, Dtype::bfloat16), other);
}

TEST(Layout, TheNarrowestDtypeHasTheFewestBits) {
  EXPECT_EQ(narrowest_dtype(Layout({{"a", {}, Dtype::float64}, {"b", {}, Dtype::float32}})), Dtype::float32);
  EXPECT_EQ(narrowest_dtype(Layout({{"a", {}, Dtype::float16}, {"b", {}, Dtype::bfloat16}})), Dtype::bfloat16);
  EXPECT_EQ(narrowest_dtype(Layout()), Dtype::float64);
}

}  // namespace
}  // namespace microstep
