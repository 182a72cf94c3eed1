#include "microstep/grad/tape.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "microstep/grad/ops.hpp"

namespace microstep {
namespace {

using Doubles = Tape<Plain<double>>;
constexpr Dtype float64 = Dtype::float64;

Var scalar(Doubles& tape, double x) { return tape.leaf(std::span<const double>(&x, 1), {}, float64); }

TEST(Tape, SharedNodeIsVisitedOnce) {
  Doubles tape(Plain<double>{});
  const Var x = scalar(tape, 1);
  Var y = x;
  for (int i = 0; i < 60; ++i) y = add(tape, y, y);
  EXPECT_EQ(tape.backward(y), 60) << "a walk by paths would take 2^60 steps";
  EXPECT_EQ(tape.cotangent(x)[0], 0x1p60);
}

// x (x + 3): by x in both factors.
TEST(Tape, UsesOfANodeAddUp) {
  Doubles tape(Plain<double>{});
  const Var x = scalar(tape, 5), three = scalar(tape, 3);
  const Var y = multiply(tape, x, add(tape, x, three));
  EXPECT_EQ(tape.backward(y), 2);
  EXPECT_EQ(tape.cotangent(x)[0], 2 * 5 + 3);
  EXPECT_EQ(tape.cotangent(three)[0], 5);
}

/// What a chain of that many operations takes.
struct Chain {
  std::int64_t length;
  std::int64_t visited = 0;
  std::int64_t nodes = 0;
  std::int64_t capacity = 0;
  double gradient = 0;
};

void* run_chain(void* argument) {
  auto& chain = *static_cast<Chain*>(argument);
  Doubles tape(Plain<double>{});
  const Var x = scalar(tape, 2);
  Var y = x;
  for (std::int64_t i = 0; i < chain.length; ++i) y = negate(tape, y);
  chain.visited = tape.backward(y);
  chain.gradient = tape.cotangent(x)[0];
  chain.nodes = tape.node_count();
  chain.capacity = tape.capacity();
  return nullptr;
}

/// A stack that a recursion of 100 000 frames of even 16 bytes would overflow.
constexpr std::size_t small_stack = 256 * 1024;

Chain chain_on_small_stack(std::int64_t length) {
  Chain chain{length};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, small_stack);
  pthread_t thread;
  EXPECT_EQ(pthread_create(&thread, &attributes, run_chain, &chain), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return chain;
}

// Work is counted in pullbacks and memory in elements: both arenas double, so each holds at most twice what is used.
TEST(Tape, LongChainIsLinearAndDoesNotRecurse) {
  for (std::int64_t length : {10'000, 100'000}) {
    const Chain chain = chain_on_small_stack(length);
    EXPECT_EQ(chain.visited, length);
    EXPECT_EQ(chain.nodes, length + 1);
    EXPECT_LE(chain.capacity, 2 * 2 * chain.nodes);
    EXPECT_EQ(chain.gradient, 1) << "an even number of negations";
  }
}

double seconds_of_chain(std::int64_t length) {
  auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  Chain chain{length};
  const double begin = now();
  run_chain(&chain);
  return now() - begin;
}

// Four times the length takes four times as long where time is linear and 16 times where it is quadratic; 8 is their
// geometric mean. Time of this thread alone, of chains that are both larger than a cache. Noise only adds, so the least
// of interleaved rounds counts, and rounds go on while they help.
TEST(Tape, LongChainTakesLinearTime) {
  double shorter = std::numeric_limits<double>::infinity(), longer = shorter;
  for (int round = 0; round < 40 && (round < 5 || longer >= 8 * shorter); ++round) {
    shorter = std::min(shorter, seconds_of_chain(100'000));
    longer = std::min(longer, seconds_of_chain(400'000));
  }
  EXPECT_LT(longer, 8 * shorter) << longer << " s and " << shorter << " s";
}

TEST(Tape, OnlyWhatLeadsToTheLossIsVisited) {
  Doubles tape(Plain<double>{});
  const Var x = scalar(tape, 2), unused = scalar(tape, 7);
  const Var aside = exp(tape, multiply(tape, x, unused));
  const Var y = exp(tape, x);
  exp(tape, y);
  EXPECT_EQ(tape.backward(y), 1);
  EXPECT_EQ(tape.cotangent(unused)[0], 0);
  EXPECT_EQ(tape.cotangent(aside)[0], 0);
  EXPECT_EQ(tape.cotangent(x)[0], std::exp(2.0));
}

TEST(Tape, ConstantsCostNoPullback) {
  Doubles tape(Plain<double>{});
  const double two = 2;
  const Var c = tape.constant(std::span<const double>(&two, 1), {}, float64);
  const Var x = scalar(tape, 3);
  const Var loss = multiply(tape, exp(tape, c), x);
  EXPECT_EQ(tape.backward(loss), 1) << "exp of a constant leads to no variable";
  EXPECT_EQ(tape.cotangent(c)[0], 0);
  EXPECT_EQ(tape.cotangent(x)[0], std::exp(2.0));
}

TEST(Tape, LossOfConstantsVisitsNothing) {
  Doubles tape(Plain<double>{});
  const Var c = tape.constant(std::vector<double>{2}, {}, float64);
  EXPECT_EQ(tape.backward(exp(tape, negate(tape, c))), 0);
}

// Each use of the row contributes the sum over the two rows it was spread to.
TEST(Tape, BroadcastUsesAddUp) {
  Doubles tape(Plain<double>{});
  const Var row = tape.leaf(std::vector<double>{1, 2, 3}, {3}, float64);
  const Var table = tape.leaf(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3}, float64);
  const Var once = multiply(tape, row, table), twice = multiply(tape, once, row);
  const auto found = tape.gradient(sum(tape, add(tape, twice, row)), {row})[0];
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = static_cast<double>(i) + 1, column = x + (x + 3);
    EXPECT_EQ(found[i], 2 * x * column + 2);
  }
}

TEST(Arena, GrowsByDoublingAndKeepsWhatItHolds) {
  Arena<double> arena;
  int growths = 0;
  for (std::int64_t i = 0, capacity = 0; i < 100'000; ++i) {
    *arena.at(arena.take(1)) = static_cast<double>(i);
    growths += arena.capacity() != capacity;
    capacity = arena.capacity();
  }
  EXPECT_LE(growths, 18) << "2^17 > 100 000";
  for (std::int64_t i = 0; i < 100'000; ++i) ASSERT_EQ(*arena.at(i), static_cast<double>(i));
}

TEST(Tape, LossThatIsALeafHasGradientOne) {
  Doubles tape(Plain<double>{});
  const Var x = scalar(tape, 3);
  EXPECT_EQ(tape.gradient(x, {x})[0][0], 1);
}

TEST(Tape, GradientCanBeAskedAgain) {
  Doubles tape(Plain<double>{});
  const Var x = scalar(tape, 3);
  const Var y = square(tape, x), z = square(tape, y);
  EXPECT_EQ(tape.gradient(z, {x})[0][0], 4 * 27);
  EXPECT_EQ(tape.gradient(y, {x})[0][0], 6);
  EXPECT_EQ(tape.gradient(z, {x, y})[1][0], 18);
}

TEST(Tape, CotangentSurvivesLaterNodes) {
  Doubles tape(Plain<double>{});
  const Var x = scalar(tape, 3);
  tape.backward(square(tape, x));
  const Var late = tape.constant(std::vector<double>(1000), {1000}, float64);
  EXPECT_EQ(tape.cotangent(late)[999], 0);
  EXPECT_EQ(tape.cotangent(x)[0], 6);
}

TEST(Tape, ClearKeepsTheMemory) {
  Doubles tape(Plain<double>{});
  std::int64_t capacity = 0;
  for (double x : {1.0, 2.0, 3.0}) {
    tape.clear();
    const Var v = tape.leaf(std::vector<double>(100, x), {100}, float64);
    EXPECT_EQ(tape.gradient(sum(tape, multiply(tape, v, v)), {v})[0][7], 2 * x);
    EXPECT_TRUE(capacity == 0 || tape.capacity() == capacity);
    capacity = tape.capacity();
  }
  EXPECT_EQ(tape.node_count(), 3);
}

}  // namespace
}  // namespace microstep
