// A file that the reference package wrote (its own metadata says how), read and written.
#include <gtest/gtest.h>

#include <cmath>

#include "golden/sample.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/golden/safetensors.hpp"

namespace microstep {
namespace {

const std::string recorded = MICROSTEP_SOURCE_DIR "/tests/golden/recorded/reference.safetensors";

// The bits that tools/ports/record_safetensors.py puts in.
const std::vector<std::pair<std::string, std::vector<std::uint64_t>>> edges = {
    {"edges/F64",
     {0x3ff0000000000000, 0x8000000000000000, 1, 0x7fefffffffffffff, 0xfff0000000000000, 0x7ff8000000000001}},
    {"edges/F32", {0x3f800000, 0x80000000, 1, 0x7f7fffff, 0xff800000, 0x7fc00001}},
    {"edges/BF16", {0x3f80, 0x8000, 1, 0x7f7f, 0xff80, 0x7fc1}},
    {"edges/F16", {0x3c00, 0x8000, 1, 0x7bff, 0xfc00, 0x7e01}}};

void check_edges(const std::string& name, Dtype dtype, const Shape& shape, std::span<const double> values) {
  const auto due = std::ranges::find(edges, name, [](const auto& edge) { return edge.first; });
  ASSERT_NE(due, edges.end()) << name;
  EXPECT_EQ(shape, (Shape{2, 3})) << name;
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(bits_of(dtype, values[i]), due->second[i]) << name << ' ' << i;
  EXPECT_TRUE(std::isnan(values[5])) << name;  // of any NaN the fact is kept, not its payload
}

TEST(ReferenceSafetensors, AreReadBitForBit) {
  const Safetensors file = read_safetensors(read_file(recorded), recorded);
  ASSERT_EQ(file.tensors.size(), 7U);
  for (const StoredTensor& tensor : file.tensors)
    if (tensor.name.starts_with("edges/")) check_edges(tensor.name, tensor.dtype, tensor.shape, tensor.values);
  const auto named = [&](std::string_view name) { return *std::ranges::find(file.tensors, name, &StoredTensor::name); };
  EXPECT_EQ(named("scalar"), (StoredTensor{"scalar", Dtype::float32, {}, {1.5}}));
  EXPECT_EQ(named("empty"), (StoredTensor{"empty", Dtype::float64, {3, 0}, {}}));
  EXPECT_EQ(named("of[0]/\"größer\\").values, (std::vector<double>{1, 2}));
  EXPECT_EQ(file.metadata.at("made"), "safetensors 0.8.0, tools/ports/record_safetensors.py");
}

TEST(ReferenceSafetensors, AreReadInPiecesFromTheFile) {
  const SafetensorsFile file(recorded);
  ASSERT_EQ(file.tensors().size(), 7U);
  for (const TensorPlace& place : file.tensors()) {
    if (!place.name.starts_with("edges/")) continue;
    std::vector<double> values(6);
    for (std::int64_t first : {4, 0, 1}) {
      const std::size_t count = first == 4 ? 2 : first == 0 ? 1 : 3;
      file.read(place, first, std::span(values).subspan(static_cast<std::size_t>(first), count));
    }
    check_edges(place.name, place.dtype, place.shape, values);
  }
}

// But for the payload of a NaN, which we do not keep.
TEST(ReferenceSafetensors, AreWrittenByteForByte) {
  std::string bytes = read_file(recorded);
  for (const auto& [with_payload, quiet] :
       {std::pair{std::string("\x01\0\0\0\0\0\xf8\x7f", 8), std::string("\0\0\0\0\0\0\xf8\x7f", 8)},
        {std::string("\x01\0\xc0\x7f", 4), std::string("\0\0\xc0\x7f", 4)},
        {"\xc1\x7f", "\xc0\x7f"},
        {"\x01\x7e", std::string("\0\x7e", 2)}})
    bytes.replace(bytes.rfind(with_payload), with_payload.size(), quiet);
  EXPECT_EQ(safetensors_bytes(read_safetensors(bytes, recorded)), bytes);
}

TEST(SafetensorsFile, ThatBecomesShorterIsAShortRead) {
  const ScratchFolder folder;
  const std::string bytes = safetensors_bytes({{{"w", Dtype::float64, {20000}, std::vector<double>(20000, 1)}}, {}});
  put(folder / "w", bytes);
  const SafetensorsFile file(folder / "w");
  put(folder / "w", bytes.substr(0, bytes.size() / 2));
  std::vector<double> values(20000);
  EXPECT_EQ(refusal([&] { file.read(file.tensors()[0], 0, values); }).id(), "file.short-read");
}

TEST(SafetensorsFile, OfAnySizeIsRefusedByItsHeader) {
  const ScratchFolder folder;
  put(folder / "huge", "\x02");
  std::filesystem::resize_file(folder / "huge", 10'000'000'000);
  EXPECT_EQ(refusal([&] { SafetensorsFile(folder / "huge"); }).id(), "safetensors.invalid-header-start");
}

}  // namespace
}  // namespace microstep
