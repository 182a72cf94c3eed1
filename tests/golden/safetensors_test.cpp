// Safetensors files: bytes laid out by hand, round trips, and each refusal.
#include "microstep/golden/safetensors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "golden/damaged_files.hpp"
#include "microstep/data/error.hpp"

namespace microstep {
namespace {

// 1.5 is 0x3fc00000, -2 is 0xc0000000 in float32; 1 is 0x3f80 in bfloat16; 0.5 is 0x3800 in float16.
TEST(Safetensors, AreReadAsTheFormatLaysThemOut) {
  const std::string data{"\x00\x00\xc0\x3f\x00\x00\x00\xc0\x80\x3f\x00\x38", 12};
  const std::string header = "{\"__metadata__\":{\"made\":\"by hand\"}," + entry("w", "F32", "[2,1]", "[0,8]") + "," +
                             entry("h", "F16", "[]", "[10,12]") + "," + entry("b", "BF16", "[1]", "[8,10]") + "}  ";
  const Safetensors file = read_safetensors(file_of(header, data), "x");
  ASSERT_EQ(file.tensors.size(), 3U);
  EXPECT_EQ(file.tensors[0], (StoredTensor{"w", Dtype::float32, {2, 1}, {1.5, -2}}));
  EXPECT_EQ(file.tensors[1], (StoredTensor{"b", Dtype::bfloat16, {1}, {1}}));
  EXPECT_EQ(file.tensors[2], (StoredTensor{"h", Dtype::float16, {}, {0.5}}));
  EXPECT_EQ(file.metadata.at("made"), "by hand");
}

TEST(Safetensors, AreWrittenAsTheyAreRead) {
  const double infinity = std::numeric_limits<double>::infinity();
  Safetensors file{{{"z", Dtype::bfloat16, {2}, {0.5, -infinity}},
                    {"a", Dtype::float32, {1, 3}, {-0.0, 0x1p-149, 3}},
                    {"d", Dtype::float64, {}, {0.1}},
                    {"empty", Dtype::float32, {0, 4}, {}}},
                   {{"k", "v\"\n"}}};
  const std::string bytes = safetensors_bytes(file);
  EXPECT_EQ(bytes, safetensors_bytes(file));
  const Safetensors again = read_safetensors(bytes, "x");
  ASSERT_EQ(again.tensors.size(), 4U);
  for (const char* name : {"z", "a", "d", "empty"}) {
    const auto is_it = [&](const StoredTensor& t) { return t.name == name; };
    EXPECT_EQ(*std::ranges::find_if(again.tensors, is_it), *std::ranges::find_if(file.tensors, is_it)) << name;
  }
  EXPECT_TRUE(std::signbit(std::ranges::find(again.tensors, "a", &StoredTensor::name)->values[0]));
  EXPECT_EQ(again.metadata, file.metadata);
}

TEST(Safetensors, KeepNan) {
  const Safetensors file{{{"n", Dtype::float16, {1}, {std::nan("")}}}, {}};
  EXPECT_TRUE(std::isnan(read_safetensors(safetensors_bytes(file), "x").tensors[0].values[0]));
}

TEST(Safetensors, TwoOfOneNameAreNotWritten) {
  const StoredTensor t{"w", Dtype::float32, {}, {1}};
  EXPECT_THROW(safetensors_bytes({{t, t}, {}}), Error);
  EXPECT_THROW(safetensors_bytes({{t, {"a", Dtype::float32, {}, {1}}, {"w", Dtype::float64, {}, {1}}}, {}}), Error);
}

class Refused : public testing::TestWithParam<Refusal> {};
INSTANTIATE_TEST_SUITE_P(Safetensors, Refused, testing::ValuesIn(refusals()));

TEST_P(Refused, WithItsId) {
  const Refusal& refusal = GetParam();
  try {
    read_safetensors(refusal.bytes, "f");
    ADD_FAILURE() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "safetensors." + refusal.id);
    EXPECT_TRUE(error.place().starts_with(refusal.place)) << error.place();
    EXPECT_NE(error.next(), "");
  }
}

}  // namespace
}  // namespace microstep
