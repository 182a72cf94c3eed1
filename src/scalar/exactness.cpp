#include "exactness.hpp"

#include <algorithm>

namespace microstep::exactness {
namespace {

constexpr int lowest_wide_bit = -16494;

}  // namespace

bool sum_is_exact(Wide a, Wide b) {
  if (wide::is_zero(a) || wide::is_zero(b)) return true;
  int top = std::max(wide::exponent_of(a), wide::exponent_of(b)) + 1;
  return top - std::min(wide::lowest_bit(a), wide::lowest_bit(b)) < wide_significand;
}

bool product_is_exact(Wide a, Wide b) {
  if (wide::is_zero(a) || wide::is_zero(b)) return true;
  return wide::significant_bits(a) + wide::significant_bits(b) <= wide_significand &&
         wide::lowest_bit(a) + wide::lowest_bit(b) >= lowest_wide_bit;
}

bool quotient_is_exact(Wide a, Wide b, Wide quotient) {
  const bool only_shifts = is_power_of_two(b) && wide::bits_of(quotient).biased_exponent() != 0;
  return product_is_exact(quotient, b) && (only_shifts || quotient * b == a);
}

bool root_is_exact(Wide a, Wide root) { return product_is_exact(root, root) && root * root == a; }

}  // namespace microstep::exactness
