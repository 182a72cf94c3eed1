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

std::string rough(double x) { return fmt::format("{:.3g}", x); }

}  // namespace microstep
