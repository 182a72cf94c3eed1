#include "microstep/data/semantics.hpp"

#include <cmath>

namespace microstep {

std::string_view to_string(Sameness sameness) {
  constexpr std::string_view names[] = {"same", "different", "undecidable"};
  return names[static_cast<int>(sameness)];
}

double ulps(const Difference& d) {
  if (d.is_count) return std::fabs(static_cast<double>(d.accumulated.value - d.reference.value));
  return ulp_distance(d.dtype, static_cast<double>(round_to(d.dtype, d.accumulated.value)),
                      static_cast<double>(round_to(d.dtype, d.reference.value)));
}

}  // namespace microstep
