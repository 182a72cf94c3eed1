#pragma once
// The draws of one case, one after the other: a function of (stream, case) and of nothing else.
#include <cstdint>
#include <vector>

#include "microstep/data/random.hpp"

namespace microstep {

class Dice {
 public:
  Dice(const Stream& stream, std::uint64_t which_case) : stream_(stream), case_(which_case) {}

  /// 0 to count-1; count >= 1.
  std::int64_t below(std::int64_t count) { return stream_.below(count, case_, next_++); }
  /// least to most, both included.
  std::int64_t between(std::int64_t least, std::int64_t most) { return least + below(most - least + 1); }
  /// In [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(stream_.bits(case_, next_++) >> 11) * 0x1p-53; }
  /// True for that share of the draws.
  bool chance(double share) { return unit() < share; }
  /// list: not empty.
  template <class T>
  T one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
  }

 private:
  Stream stream_;
  std::uint64_t case_;
  std::uint64_t next_ = 0;
};

}  // namespace microstep
