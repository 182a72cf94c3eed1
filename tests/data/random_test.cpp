// Named streams against a second Threefry2x64-20, which is checked against Random123's published known answers.
#include "microstep/data/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <set>

namespace microstep {
namespace {

using Pair = std::array<std::uint64_t, 2>;

// Salmon et al. 2011, section 3.4: rotations 16 42 12 31 16 32 24 21, a key injection after every fourth round.
Pair threefry(Pair x, Pair key) {
  constexpr int rotations[] = {16, 42, 12, 31, 16, 32, 24, 21};
  const std::uint64_t keys[] = {key[0], key[1], 0x1bd11bdaa9fc1a22 ^ key[0] ^ key[1]};
  for (std::size_t i : {0, 1}) x[i] += keys[i];
  for (unsigned round = 0; round < 20; ++round) {
    x[0] += x[1];
    x[1] = std::rotl(x[1], rotations[round % 8]) ^ x[0];
    if (round % 4 != 3) continue;
    const unsigned s = round / 4 + 1;
    x[0] += keys[s % 3];
    x[1] += keys[(s + 1) % 3] + s;
  }
  return x;
}

TEST(SecondThreefry, GivesThePublishedAnswers) {
  // Random123, kat_vectors: threefry2x64 20.
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(threefry({0, 0}, {0, 0}), (Pair{0xc2b6e3a8c2c69865, 0x6f81ed42f350084d}));
  EXPECT_EQ(threefry({ones, ones}, {ones, ones}), (Pair{0xe02cb7c4d95d277a, 0xd06633d0893b8b68}));
  EXPECT_EQ(threefry({0x243f6a8885a308d3, 0x13198a2e03707344}, {0xa4093822299f31d0, 0x082efa98ec4e6c89}),
            (Pair{0x263c7d30bb0f0af1, 0x56be8361d3311526}));
}

TEST(Stream, IsThreefryOfCaseAndIndexUnderSeedAndName) {
  // Published FNV-1a hashes: "" offset basis, "a", "foobar".
  const std::pair<const char*, std::uint64_t> names[] = {
      {"", 0xcbf29ce484222325}, {"a", 0xaf63dc4c8601ec8c}, {"foobar", 0x85944171f73967e8}};
  for (const auto& [name, hash] : names)
    for (std::uint64_t seed : {0ULL, 1ULL, 0xdeadbeefULL})
      EXPECT_EQ(Stream(name, seed).bits(5, 9), threefry({5, 9}, {seed, hash})[0]) << name;
}

TEST(Stream, DependsOnEverythingThatNamesIt) {
  std::set<std::uint64_t> seen;
  for (const char* name : {"init", "data", "noise"})
    for (std::uint64_t seed : {1, 2})
      for (std::uint64_t which : {0, 1})
        for (std::uint64_t index : {0, 1}) seen.insert(Stream(name, seed).bits(which, index));
  EXPECT_EQ(seen.size(), 24U);
}

TEST(Stream, BelowIsTheScaledHighPart) {
  const Stream stream("below", 3);
  std::set<std::int64_t> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::int64_t x = stream.below(7, 0, i);
    // floor(bits 7 / 2^64) with bits = high 2^32 + low.
    const std::uint64_t bits = stream.bits(0, i), high = bits >> 32, low = bits & 0xffffffff;
    EXPECT_EQ(x, static_cast<std::int64_t>((high * 7 + (low * 7 >> 32)) >> 32));
    seen.insert(x);
    EXPECT_EQ(stream.below(1, 0, i), 0);
  }
  EXPECT_EQ(seen, (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Stream, DyadicNumbersHaveEightBits) {
  const Stream stream("data", 3);
  std::set<double> seen;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const double x = stream.dyadic(64, 2, i);
    EXPECT_EQ(x, static_cast<double>(static_cast<std::int8_t>(stream.bits(2, i) >> 56)) / 64);
    seen.insert(x * 64);
  }
  EXPECT_EQ(seen.size(), 256U);
  EXPECT_EQ(*seen.begin(), -128);
  EXPECT_EQ(*seen.rbegin(), 127);
}

}  // namespace
}  // namespace microstep
