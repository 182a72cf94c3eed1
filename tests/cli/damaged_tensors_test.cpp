// Safetensors files beside a trace that are damaged in each way that the format can be: id, file and tensor, exit 3.
#include "cli/tensor_trace.hpp"

namespace microstep::cli_test {
namespace {

struct Damage {
  std::string id, place;
  std::string bytes;
};
void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.id; }

std::string length_of(std::uint64_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xff);
  return bytes;
}

// Two tensors of two float32 each, 16 bytes; what is damaged replaces what stands there.
std::string edited(const std::string& what, const std::string& with, std::size_t bytes = 16) {
  const std::string header = R"({"initial/params/w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                             R"("steps/0/gradients/w":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})";
  return tensor_file(replaced(header, what, with), std::string(bytes, '\0'));
}

const std::string first = "#/initial/params/w", second = "#/steps/0/gradients/w";

std::vector<Damage> damages() {
  return {{"header-too-small", "", ""},
          {"header-too-small", "", "\x02"},
          {"header-too-small", "", std::string(7, '\0')},
          {"header-too-large", "", length_of(100'000'001) + "{}"},
          {"invalid-header-length", "", length_of(3) + "{}"},
          {"invalid-header-start", "", tensor_file("[]", "")},
          {"invalid-header-utf8", "", edited("gradients", "gradi\xff")},
          {"invalid-header-json", "", edited("\"F32\",", "\"F32\"")},
          {"duplicate-key", "", edited("steps/0/gradients/w", "initial/params/w")},
          {"invalid-offset", first, edited("[0,8]", "[8,0]")},
          {"invalid-offset", second, edited("[8,16]", "[4,12]")},
          {"incomplete-buffer", second, edited("[8,16]", "[8,16]", 12)},
          {"incomplete-buffer", "", edited("[8,16]", "[8,16]", 20)},
          {"tensor-invalid-info", first, edited("[2]", "[3]")},
          {"invalid-header-json", "#/initial~1params~1w/data_offsets/0", edited("[0,8]", "[-1,8]")},
          {"invalid-header-json", "#/initial~1params~1w/data_offsets/1", edited("[0,8]", "[0,8.5]")},
          {"invalid-header-json", "#/initial~1params~1w/data_offsets/1", edited("[0,8]", "[0,\"8\"]")},
          {"unknown-dtype", first, edited("F32", "F8_E4M3")},
          {"invalid-metadata", "#/__metadata__/made", edited("{\"initial", R"({"__metadata__":{"made":1},"initial)")}};
}

class DamagedTensors : public testing::TestWithParam<Damage> {};
INSTANTIATE_TEST_SUITE_P(Files, DamagedTensors, testing::ValuesIn(damages()));

TEST_P(DamagedTensors, AreRefusedWithIdFileAndTensor) {
  const Folder folder;
  const Result result = judged(folder, GetParam().bytes);
  EXPECT_TRUE(refuses(result, 3, "safetensors." + GetParam().id)) << result.err;
  EXPECT_TRUE(result.warns("at " + folder.file("run.safetensors") + GetParam().place)) << result.err;
}

TEST(DamagedTensorsFile, NotJsonSaysTheColumnAndUnknownDtypeTheKnownOnes) {
  const Folder folder;
  EXPECT_TRUE(judged(folder, edited("\"F32\",", "\"F32\"")).warns("run.safetensors:1:"));
  EXPECT_TRUE(judged(folder, edited("F32", "F8_E4M3")).warns("known are F64, F32, F16, BF16"));
}

}  // namespace
}  // namespace microstep::cli_test
