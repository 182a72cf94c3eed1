#pragma once
// Which float paths ran. A kernel says which it took; a tape keeps all that were.
#include <map>

#include "microstep/kernels/policy.hpp"

namespace microstep {

class KernelsRan {
 public:
  void note(MatmulPath path) { matmul_ |= bit(path); }
  void note(TanhPath path) { tanh_ |= bit(path); }
  void note(ConvPath path) { conv_ |= bit(path); }

  /// By the name of the switch: `conv2d`: `im2col, winograd4`. The paths of one kernel stand in the order of their
  /// enum.
  std::map<std::string, std::string> named() const;

 private:
  template <class Path>
  static constexpr unsigned bit(Path path) {
    return 1U << static_cast<unsigned>(path);
  }

  unsigned matmul_ = 0;
  unsigned tanh_ = 0;
  unsigned conv_ = 0;
};

}  // namespace microstep
