#pragma once
// Named counter-based random streams: a number is a function of (seed, stream name, case, index) and of nothing else.
// Source: Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011 (Random123's Threefry2x64-20).
#include <cstdint>
#include <string_view>

namespace microstep {

class Stream {
 public:
  /// Streams of different names (`init`, `data`, `noise`, ...) or seeds are independent.
  Stream(std::string_view name, std::uint64_t seed);

  std::uint64_t bits(std::uint64_t which_case, std::uint64_t index) const;
  /// 0 to count-1; count >= 1.
  std::int64_t below(std::int64_t count, std::uint64_t which_case, std::uint64_t index) const;
  /// n/denominator with n uniform in -128 to 127: at most 8 significant bits, exact in every dtype for a denominator
  /// that is a power of two up to 2^14.
  double dyadic(double denominator, std::uint64_t which_case, std::uint64_t index) const;

 private:
  std::uint64_t name_;
  std::uint64_t seed_;
};

}  // namespace microstep
