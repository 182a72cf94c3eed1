// clip: each number into [-max_delta, max_delta]. clip_by_global_norm: g if norm < max_norm, else g/norm max_norm.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

const LayoutPointer two_leaves = make_layout({{"w", {1, 1}, Dtype::float64}, {"b", {}, Dtype::float64}});

TEST(Clip, CutsEachNumberAndKeepsTheThreshold) {
  auto loop = exact_loop("clip(1)", Numbers(7));
  EXPECT_EQ(loop.step({2, -3, 0.5, 1, -1, infinity, -infinity}), (Numbers{1, -1, 0.5, 1, -1, 1, -1}));
}

TEST(Clip, LeavesNanAlone) {
  auto loop = exact_loop("clip(1)", {0, 0});
  const Numbers u = loop.step({not_a_number, 4});
  EXPECT_TRUE(std::isnan(u[0]));
  EXPECT_EQ(u[1], 1);
}

TEST(ClipByGlobalNorm, LeavesSmallGradientsAsTheyAre) {
  auto loop = exact_loop("clip_by_global_norm(5.5)", {0, 0});
  EXPECT_EQ(loop.step({3, 4}), (Numbers{3, 4}));
  EXPECT_EQ(loop.step({0, 0}), (Numbers{0, 0}));
}

TEST(ClipByGlobalNorm, ScalesToTheLargestNorm) {
  auto loop = exact_loop("clip_by_global_norm(5)", {0, 0});
  EXPECT_EQ(loop.step({6, -8}), (Numbers{3, -4}));
}

TEST(ClipByGlobalNorm, AtTheThresholdChangesNoValue) {
  auto loop = exact_loop("clip_by_global_norm(1)", {0, 0});
  EXPECT_EQ(loop.step({1, 0}), (Numbers{1, 0}));
}

TEST(ClipByGlobalNorm, TakesTheNormOverAllLeaves) {
  // Leaves 3 and 4: norm 5, to 2.5. Alone each leaf would give 2.5.
  Loop<Exact> loop("clip_by_global_norm(2.5)", two_leaves, {0, 0});
  EXPECT_EQ(loop.step({3, 4}), (Numbers{1.5, 2}));
}

TEST(ClipByGlobalNorm, AbsentAndZeroLeavesAddNothing) {
  for (Presence presence : {Presence::zero, Presence::absent}) {
    Loop<Exact> loop("clip_by_global_norm(2)", two_leaves, {0, 0});
    loop.updates.values(0)[0] = 4;
    loop.updates.mark(1, presence);
    loop.step_given();
    EXPECT_EQ(loop.updates.values(0)[0], 2);
    EXPECT_EQ(loop.updates.presence(1), presence);
  }
}

TEST(ClipByGlobalNorm, NanSpreadsAndInfinityEmptiesTheOthers) {
  auto loop = exact_loop("clip_by_global_norm(1)", {0, 0});
  Numbers u = loop.step({not_a_number, 1});
  EXPECT_TRUE(std::isnan(u[0]) && std::isnan(u[1]));
  u = loop.step({infinity, 1});
  EXPECT_TRUE(std::isnan(u[0]));
  EXPECT_EQ(u[1], 0);
}

TEST(ClipByGlobalNorm, InsideActsOnceOnTheWindowsMean) {
  // Mean of [6, 0] and [0, 8] is [3, 4], norm 5, to 1: [.6, .8]. Before the accumulator: mean of [1, 0] and [0, 1].
  auto inside = exact_loop("multi_steps(chain(clip_by_global_norm(1), scale(-1)), k=2)", {0, 0});
  inside.step({6, 0});
  EXPECT_EQ(inside.step({0, 8}), (Numbers{-0.6, -0.8}));
  auto before = exact_loop("chain(clip_by_global_norm(1), multi_steps(scale(-1), k=2))", {0, 0});
  before.step({6, 0});
  EXPECT_EQ(before.step({0, 8}), (Numbers{-0.5, -0.5}));
}

TEST(Clip, InsideActsOnceOnTheWindowsMean) {
  // 4, -2: mean 1, clipped 1; each alone 1 and -1, mean 0.
  EXPECT_EQ(updates_of("multi_steps(chain(clip(1), scale(-1)), k=2)", {4, -2}), (Numbers{0, -1}));
  EXPECT_EQ(updates_of("chain(clip(1), multi_steps(scale(-1), k=2))", {4, -2}), (Numbers{0, 0}));
}

}  // namespace
}  // namespace microstep::testing_optim
