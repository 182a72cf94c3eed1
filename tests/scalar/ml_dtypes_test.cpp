// The emulated dtypes against what tools/ports/record_dtypes.py recorded from NumPy and ml_dtypes, bit by bit.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

using Operation = std::function<double(const Emulated<double>&, double, double)>;

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> table = {
      {"add", [](const auto& in, double a, double b) { return in.add(a, b); }},
      {"sub", [](const auto& in, double a, double b) { return in.subtract(a, b); }},
      {"mul", [](const auto& in, double a, double b) { return in.multiply(a, b); }},
      {"div", [](const auto& in, double a, double b) { return in.divide(a, b); }},
      {"sqrt", [](const auto& in, double a, double) { return in.square_root(a); }},
      {"cast", [](const auto& in, double a, double) { return in.cast(a); }},
      {"cast64", [](const auto& in, double a, double) { return in.cast(a); }},
  };
  return table;
}

double value_of(Dtype dtype, const std::string& pattern) {
  if (pattern == "nan" || pattern == "-") return std::nan("");
  return from_bits(dtype, std::stoull(pattern, nullptr, 16));
}

Dtype operand_dtype(const std::string& op, Dtype dtype) {
  if (op == "cast") return Dtype::float32;
  return op == "cast64" ? Dtype::float64 : dtype;
}

/// The pattern of the line's result, or the one that was computed instead.
void check(const std::string& line) {
  std::istringstream words(line);
  std::string op, name, a, b, expected;
  words >> op >> name >> a >> b >> expected;
  Dtype dtype = dtype_from_name(name).value(), operand = operand_dtype(op, dtype);
  double result = operations().at(op)({dtype}, value_of(operand, a), value_of(operand, b));
  std::string pattern = std::isnan(result) ? "nan" : bits_text(dtype, result).substr(2);
  EXPECT_EQ(pattern, expected) << line;
}

// What tools/ports/record_dtypes.py writes: of three dtypes four operations on all pairs of 19 edges and on 240 others,
// and roots of 19 and 240; casts to two dtypes of as many, and of the 476 middles between neighbours that are finite of
// 480; 9 casts from float64.
constexpr int recorded = 3 * (4 * (19 * 19 + 240) + 19 + 240) + 2 * (19 + 240) + 476 + 9;

TEST(MlDtypes, emulated_operations_have_the_recorded_bits) {
  std::ifstream file(MICROSTEP_SOURCE_DIR "/tests/scalar/data/ml_dtypes.txt");
  std::string line;
  int checked = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("#")) continue;
    check(line);
    ++checked;
  }
  EXPECT_EQ(checked, recorded) << "the recorded file is missing or cut";
}

}  // namespace
}  // namespace microstep
