#include "microstep/report/value.hpp"

#include <fmt/format.h>

#include "microstep/json/numbers.hpp"

namespace microstep {
namespace {

double rounded(Dtype dtype, const Ball& ball) { return static_cast<double>(round_to(dtype, ball.value)); }

}  // namespace

std::string shown(Dtype dtype, const Ball& ball) { return decimal_text(dtype, rounded(dtype, ball)); }

std::string shown_with_bits(Dtype dtype, const Ball& ball) {
  return fmt::format("{} ({})", shown(dtype, ball), bits_text(dtype, rounded(dtype, ball)));
}

std::pair<std::string, std::string> shown_apart(Dtype dtype, const Ball& a, const Ball& b) {
  for (Dtype in : {dtype, Dtype::float64})
    if (shown(in, a) != shown(in, b) || wide::same(a.value, b.value)) return {shown(in, a), shown(in, b)};
  return {wide::to_string(a.value), wide::to_string(b.value)};
}

std::string rough(double x) { return fmt::format("{:.3g}", x); }

}  // namespace microstep
