#pragma once
// Operands for tests: a fixed stream of values of a dtype, with all edges among them.
#include <cmath>
#include <random>
#include <vector>

#include "microstep/scalar/dtype.hpp"

namespace microstep {

class Numbers {
 public:
  explicit Numbers(Dtype dtype, std::uint64_t seed = 1) : dtype_(dtype), random_(seed) {}

  std::uint64_t bits() { return random_(); }
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(count));
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// An edge, any bit pattern, a value of middling size, a small dyadic.
  double any() {
    switch (below(8)) {
      case 0:
        return edge();
      case 1:
        return from_bits(dtype_, bits());
      case 2:
        return round_to(dtype_, std::ldexp(static_cast<double>(below(65) - 32), static_cast<int>(below(9)) - 6));
      default:
        return middling();
    }
  }
  double middling() {
    double sign = below(2) != 0 ? 1 : -1;
    return round_to(dtype_, sign * std::ldexp(1 + uniform(), static_cast<int>(below(9)) - 4));
  }
  double edge() {
    const DtypeFacts& f = facts(dtype_);
    double u = f.unit_roundoff;
    const double edges[] = {0.0,
                            f.smallest_subnormal,
                            f.smallest_normal - f.smallest_subnormal,
                            f.largest,
                            f.smallest_normal,
                            f.largest / 2,
                            1.0,
                            1 + 2 * u,
                            1 - u,
                            HUGE_VAL,
                            2.0,
                            1 / f.smallest_normal,
                            3.0,
                            3 * f.smallest_subnormal,
                            std::nan("")};
    double x = edges[below(std::ssize(edges))];
    return below(2) != 0 ? x : -x;
  }
  /// A neighbour of x, up to 2^bits steps of the grid away.
  double near(double x, int bits_away) {
    if (!std::isfinite(x)) return any();
    std::int64_t steps = below((std::int64_t{1} << bits_away) * 2 + 1) - (std::int64_t{1} << bits_away);
    return from_bits(dtype_, bits_of(dtype_, x) + static_cast<std::uint64_t>(steps));
  }

 private:
  Dtype dtype_;
  std::mt19937_64 random_;
};

}  // namespace microstep
