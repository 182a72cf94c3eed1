#pragma once
// Numbers that the tests of kernels are fed with.
#include <random>
#include <vector>

#include "microstep/scalar/ball.hpp"

namespace microstep {

/// Multiples of 2^-23 in [-1, 1): every significand bit of a float32 is used.
template <class T>
std::vector<T> fractions(std::int64_t count, std::uint32_t seed) {
  std::mt19937 bits(seed);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) value = static_cast<T>(static_cast<double>(bits() & 0xffffff) * 0x1p-23 - 1);
  return x;
}

/// A list in braces is one of doubles.
template <class T = double>
std::vector<Ball> balls_of(const std::vector<T>& x) {
  std::vector<Ball> out;
  for (T value : x) out.push_back(exactly(static_cast<double>(value)));
  return out;
}

}  // namespace microstep
