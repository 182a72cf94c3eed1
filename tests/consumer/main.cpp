#include <cstdio>
#include <microstep/scalar/dtype.hpp>

int main() {
  // 1 + 2⁻⁸ lies halfway between two bfloat16 values; ties go to the even one, 1.
  const bool rounds = microstep::round_to(microstep::Dtype::bfloat16, 1.00390625) == 1.0;
  std::puts(rounds ? "microstep: linked and right" : "microstep: linked and wrong");
  return rounds ? 0 : 1;
}
