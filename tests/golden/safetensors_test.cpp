// Safetensors files: bytes laid out by hand, round trips, and each refusal.
#include "microstep/golden/safetensors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "microstep/data/error.hpp"

namespace microstep {
namespace {

std::string file_of(const std::string& header, const std::string& data) {
  std::string bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + data;
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape, const std::string& at) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + at + "}";
}

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
}

struct Refusal {
  std::string what;
  std::string bytes;
  std::string id;
  std::string place;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.what; }

std::string long_header(std::uint64_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xff);
  return bytes + "{}";
}

const std::string four("\0\0\0\0", 4), eight = four + four;

std::vector<Refusal> refusals() {
  auto one = [](const std::string& e) { return "{" + e + "}"; };
  const std::string w = entry("w", "F32", "[1]", "[0,4]");
  return {
      {"no bytes", "", "header-too-small", "f"},
      {"seven bytes", "\x02\0\0\0\0\0\0", "header-too-small", "f"},
      {"a header beyond the limit", long_header(100'000'001), "header-too-large", "f"},
      {"a header of 2^64 - 1 bytes", long_header(~std::uint64_t{0}), "header-too-large", "f"},
      {"a header that is longer than the file", long_header(3), "invalid-header-length", "f"},
      {"a header that is no object", file_of("[]", ""), "invalid-header-start", "f"},
      {"a space before the header", file_of(" {}", ""), "invalid-header-start", "f"},
      {"a header that is not UTF-8", file_of("{\"\xff\":1}", ""), "invalid-header-utf8", "f"},
      {"a header that is not JSON", file_of("{\"a\":}", ""), "invalid-header-json", "f"},
      {"a name twice", file_of("{" + w + "," + w + "}", four), "duplicate-key", "f"},
      {"an unknown dtype", file_of(one(entry("w", "F8", "[1]", "[0,1]")), "\0"), "unknown-dtype", "f#/w"},
      {"begin behind end", file_of(one(entry("w", "F32", "[1]", "[4,0]")), four), "invalid-offset", "f#/w"},
      {"a gap", file_of(one(entry("w", "F32", "[1]", "[4,8]")), eight), "invalid-offset", "f#/w"},
      {"two that overlap", file_of("{" + w + "," + entry("v", "F32", "[1]", "[2,6]") + "}", eight), "invalid-offset",
       "f#/v"},
      {"data that is cut off", file_of(one(entry("w", "F32", "[2]", "[0,8]")), four), "incomplete-buffer", "f#/w"},
      {"bytes behind the last tensor", file_of(one(w), eight), "incomplete-buffer", "f"},
      {"a shape of another size", file_of(one(entry("w", "F32", "[3]", "[0,8]")), eight), "tensor-invalid-info",
       "f#/w"},
      {"a shape beyond all integers", file_of(one(entry("w", "F32", "[4611686018427387904,16]", "[0,4]")), four),
       "tensor-invalid-info", "f#/w"},
      {"a negative offset", file_of(one(entry("w", "F32", "[1]", "[-4,0]")), ""), "invalid-header-json", "f"},
      {"a fractional offset", file_of(one(entry("w", "F32", "[1]", "[0,4.5]")), four), "invalid-header-json", "f"},
      {"an offset as text", file_of(one(entry("w", "F32", "[1]", "[0,\"4\"]")), four), "invalid-header-json", "f"},
      {"one offset", file_of(one(entry("w", "F32", "[1]", "[0]")), four), "invalid-header-json", "f"},
      {"no shape", file_of(R"({"w":{"dtype":"F32","data_offsets":[0,4]}})", four), "invalid-header-json", "f"},
      {"an unknown key", file_of(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", four),
       "invalid-header-json", "f"},
      {"metadata that is a number", file_of(R"({"__metadata__":{"k":1}})", ""), "invalid-metadata",
       "f#/__metadata__/k"},
      {"metadata that is a list", file_of(R"({"__metadata__":[]})", ""), "invalid-metadata", "f#/__metadata__"},
  };
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
