#include "microstep/json/numbers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include "refusal.hpp"

namespace microstep {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

double back(Dtype dtype, const std::string& text) {
  if (text == "NaN") return nan;
  if (text == "Infinity") return infinity;
  if (text == "-Infinity") return -infinity;
  ReadDecimal read = read_decimal(dtype, text);
  EXPECT_EQ(read.fault, DecimalFault::none) << text;
  return read.value;
}

void expect_round_trip(Dtype dtype, double x) {
  std::string text = decimal_text(dtype, x);
  double y = back(dtype, text);
  ASSERT_TRUE(std::isnan(x) ? std::isnan(y) : bits_of(dtype, x) == bits_of(dtype, y)) << text;
}

TEST(Decimal, EveryValueOfTheShortDtypesSurvives) {
  for (Dtype dtype : {Dtype::bfloat16, Dtype::float16})
    for (std::uint64_t bits = 0; bits < 0x10000; ++bits) expect_round_trip(dtype, from_bits(dtype, bits));
}

TEST(Decimal, RandomBitsOfTheLongDtypesSurvive) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 50000; ++i) {
    std::uint64_t bits = random();
    expect_round_trip(Dtype::float64, from_bits(Dtype::float64, bits));
    expect_round_trip(Dtype::float32, from_bits(Dtype::float32, bits & 0xffffffff));
  }
}

TEST(Decimal, EdgesOfEveryDtypeSurvive) {
  for (Dtype dtype : all_dtypes()) {
    const DtypeFacts& f = facts(dtype);
    for (double x : {0.0, f.smallest_subnormal, 3 * f.smallest_subnormal, f.smallest_normal - f.smallest_subnormal,
                     f.smallest_normal, f.largest, infinity, 1 + 2 * f.unit_roundoff})
      for (double sign : {1.0, -1.0}) expect_round_trip(dtype, sign * x);
  }
}

// Powers of two have an asymmetric rounding interval: the shortest decimal is not always the nearest of its length.
TEST(Decimal, PowersOfTwoSurvive) {
  for (int e = -1074; e <= 1023; ++e) expect_round_trip(Dtype::float64, std::ldexp(1.0, e));
  for (int e = -149; e <= 127; ++e) expect_round_trip(Dtype::float32, std::ldexp(1.0, e));
}

struct Written {
  Dtype dtype;
  double value;
  std::string_view text;
};

// 0.1 in each dtype by hand: bfloat16 0x3dcd = 205/2048, float16 0x2e66 = 1638/16384.
TEST(Decimal, IsTheShortest) {
  const Written table[] = {
      {Dtype::float32, static_cast<double>(0.1F), "0.1"},
      {Dtype::float64, 0.1, "0.1"},
      {Dtype::bfloat16, 205.0 / 2048, "0.1"},
      {Dtype::float16, 1638.0 / 16384, "0.1"},
      {Dtype::bfloat16, 1 + 1.0 / 128, "1.01"},
      {Dtype::float64, -0.0, "-0.0"},
      {Dtype::float16, 0.0, "0"},
      {Dtype::float64, nan, "NaN"},
      {Dtype::float32, -infinity, "-Infinity"},
      {Dtype::float64, 0x1p-1074, "5e-324"},
      {Dtype::float32, 0x1p-149, "1e-45"},
      {Dtype::float16, 65504, "65500"},
      {Dtype::float16, 2048, "2048"},
  };
  for (const Written& row : table) EXPECT_EQ(decimal_text(row.dtype, row.value), row.text);
}

TEST(Decimal, RefusesToWriteWhatTheDtypeCannotHold) {
  EXPECT_EQ(refusal([] { decimal_text(Dtype::float32, 0.1); }).id(), "json.not-representable");
  EXPECT_EQ(refusal([] { decimal_text(Dtype::bfloat16, 257); }).id(), "json.not-representable");
}

struct Read {
  Dtype dtype;
  std::string_view text;
  DecimalFault fault;
};

const Read decimals[] = {
    {Dtype::float32, "0.1", DecimalFault::none},
    {Dtype::float32, "0.10", DecimalFault::none},
    {Dtype::float32, "0.100000001", DecimalFault::none},
    {Dtype::float32, "0.10000000149011612", DecimalFault::none},
    {Dtype::float32, "0.100000001490116119384765625", DecimalFault::none},
    {Dtype::float32, "1.00000001E-1", DecimalFault::none},
    {Dtype::float32, "0.123456789", DecimalFault::not_representable},
    {Dtype::float32, "16777217", DecimalFault::not_representable},
    {Dtype::float32, "16777216", DecimalFault::none},
    {Dtype::bfloat16, "257", DecimalFault::not_representable},
    {Dtype::bfloat16, "256", DecimalFault::none},
    {Dtype::float64, "9007199254740993", DecimalFault::not_representable},
    {Dtype::float64, "3.14159265358979323846", DecimalFault::not_representable},
    {Dtype::float64, "18446744073709552000", DecimalFault::none},
    {Dtype::float64, "18446744073709551616", DecimalFault::none},
    {Dtype::float64, "5.684341886080802e-14", DecimalFault::none},
    {Dtype::float64, "0.0000000e-999999999999999999999", DecimalFault::none},
    {Dtype::float64, "1e-400", DecimalFault::not_representable},
    {Dtype::float64, "1e400", DecimalFault::out_of_range},
    {Dtype::float32, "3.5e38", DecimalFault::out_of_range},
    {Dtype::float32, "1e-46", DecimalFault::not_representable},
    {Dtype::float16, "65520", DecimalFault::out_of_range},
    {Dtype::float16, "1e-9", DecimalFault::not_representable},
    {Dtype::bfloat16, "1e-99999999999", DecimalFault::not_representable},
    {Dtype::bfloat16, "-1e99999999999", DecimalFault::out_of_range},
};

TEST(Decimal, StandsForAValueOrNot) {
  for (const Read& row : decimals)
    EXPECT_EQ(read_decimal(row.dtype, row.text).fault, row.fault) << row.text << " " << to_string(row.dtype);
}

// What C's %.9g and %.17g print is read, too.
TEST(Decimal, ReadsMoreDigitsThanTheShortest) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 20000; ++i) {
    double x = from_bits(Dtype::float32, random() & 0xffffffff);
    if (!std::isfinite(x)) continue;
    for (int digits : {9, 12, 17}) {
      char text[64];
      char* end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, digits).ptr;
      ReadDecimal read = read_decimal(Dtype::float32, {text, end});
      ASSERT_EQ(read.fault, DecimalFault::none) << std::string(text, end);
      ASSERT_EQ(bits_of(Dtype::float32, read.value), bits_of(Dtype::float32, x));
    }
  }
}

void expect_read(Dtype dtype, double x, const std::string& text) {
  const ReadDecimal read = read_decimal(dtype, text);
  ASSERT_EQ(read.fault, DecimalFault::none) << text << " " << to_string(dtype);
  ASSERT_EQ(bits_of(dtype, read.value), bits_of(dtype, x)) << text << " " << to_string(dtype);
}

std::string printed(double x) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

// Of two decimals that are equally near, libraries print either: 2^-24 is 5.9604644775390625e-08. Below a power of two
// values stand closer, so that the shortest need not be the nearest of its length.
TEST(Decimal, PowersOfTwoAreReadAsLibrariesPrintThem) {
  for (Dtype dtype : all_dtypes())
    for (double x = facts(dtype).smallest_subnormal; x <= facts(dtype).largest; x *= 2) {
      expect_read(dtype, x, printed(x));
      expect_read(dtype, -x, fmt::format("{}", -x));
      expect_read(dtype, x, fmt::format("{:.17g}", x));
      if (dtype != Dtype::float64) expect_read(dtype, x, fmt::format("{}", static_cast<float>(x)));
    }
  for (Dtype dtype : {Dtype::float32, Dtype::bfloat16, Dtype::float16})
    for (const char* text : {"5.960464477539062e-08", "5.960464477539063e-08"}) expect_read(dtype, 0x1p-24, text);
}

// Every value of the dtype as Python's float(x) prints it, subnormals included.
TEST(Decimal, ReadsTheShortestOfTheDoubleForEveryValue) {
  std::mt19937_64 random(9);
  for (Dtype dtype : {Dtype::bfloat16, Dtype::float16, Dtype::float32})
    for (std::uint64_t i = 0; i < 0x10000; ++i) {
      const double x = from_bits(dtype, dtype == Dtype::float32 ? random() & 0xffffffff : i);
      if (std::isfinite(x)) expect_read(dtype, x, printed(x));
    }
}

// Of 1, 2, ... digits those around the value: of the first length at which one reads back as it the nearest.
std::string shortest_decimal(Dtype dtype, double x) {
  for (int digits = 1;; ++digits) {
    std::string found;
    const std::string near = fmt::format("{:.{}e}", x, digits - 1);
    const std::size_t e = near.find('e');
    std::string mantissa = near.substr(0, e);
    std::erase(mantissa, '.');
    const int exponent = std::stoi(near.substr(e + 1)) - digits + 1;
    for (int step : {-1, 0, 1}) {
      const std::string text = fmt::format("{}e{}", std::stoi(mantissa) + step, exponent);
      const double y = std::stod(text);
      if (round_to(dtype, y) != x) continue;
      if (found.empty() || std::fabs(y - x) < std::fabs(std::stod(found) - x)) found = text;
    }
    if (!found.empty()) return found;
  }
}

TEST(Decimal, ReadsTheShortestOfTheDtypeForEveryValue) {
  for (Dtype dtype : {Dtype::bfloat16, Dtype::float16})
    for (std::uint64_t bits = 1; bits < 0x8000; ++bits) {
      const double x = from_bits(dtype, bits);
      if (std::isfinite(x)) expect_read(dtype, x, shortest_decimal(dtype, x));
    }
}

TEST(Base64, AgreesWithPython) {
  // Python: base64.b64encode(struct.pack('<3f', 1, -0.0, inf)), and of '<2e', '<d'.
  EXPECT_EQ(base64_of(Dtype::float32, std::vector<double>{1, -0.0, infinity}), "AACAPwAAAIAAAIB/");
  EXPECT_EQ(base64_of(Dtype::float16, std::vector<double>{1, -2}), "ADwAwA==");
  EXPECT_EQ(base64_of(Dtype::float64, std::vector<double>{1}), "AAAAAAAA8D8=");
}

TEST(Base64, KeepsEveryBit) {
  std::mt19937_64 random(9);
  for (Dtype dtype : all_dtypes())
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<double> values;
      for (std::size_t i = 0; i < count; ++i) values.push_back(from_bits(dtype, random() & bits_of(dtype, -nan)));
      std::optional<std::vector<double>> read = values_of_base64(dtype, base64_of(dtype, values));
      ASSERT_TRUE(read);
      ASSERT_EQ(read->size(), count);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_TRUE(std::isnan(values[i]) || bits_of(dtype, (*read)[i]) == bits_of(dtype, values[i]));
    }
}

TEST(Base64, RefusesWhatIsNone) {
  for (std::string_view text : {"AAA", "AAAA=", "A===", "AA==AAAA", "AA=A", "AB==", "AAC=", "AA-A", "AAA\n"})
    EXPECT_FALSE(values_of_base64(Dtype::bfloat16, text)) << text;
  EXPECT_FALSE(values_of_base64(Dtype::float32, "AAA="));
  EXPECT_TRUE(values_of_base64(Dtype::float32, ""));
}

}  // namespace
}  // namespace microstep
