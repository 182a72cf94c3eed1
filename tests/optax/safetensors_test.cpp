// Our reader and writer against the reference package, which the newest Optax environment has besides.
#include "microstep/golden/safetensors.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "golden/damaged_files.hpp"
#include "microstep/golden/file.hpp"
#include "optax/live.hpp"

namespace microstep {
namespace {

class ReferencePackage : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why =
        python.empty() ? without_python("0.2.8") : "that Python has no safetensors: tools/optax_env";
    if (!python.empty() && printed(fmt::format("'{}' -c 'import safetensors' 2>&1", python)).code == 0) {
      std::filesystem::create_directory(folder);
      return;
    }
    if (on_ci()) FAIL() << why;
    GTEST_SKIP() << why;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Printed record(const std::string& arguments) const {
    const std::string script = source_path("tools/ports/record_safetensors.py");
    return printed(fmt::format("'{}' -B '{}' {}", python, script, arguments));
  }

  const std::string python = python_of("0.2.8");
  const std::string folder = testing::TempDir() + fmt::format("microstep-safetensors-{}", getpid());
};

TEST_F(ReferencePackage, WritesTheRecordedFile) {
  EXPECT_EQ(record("write").output, read_file(source_path("tests/golden/recorded/reference.safetensors")));
}

std::string hexadecimal(const StoredTensor& tensor, int width) {
  std::string text;
  for (double x : tensor.values)
    for (int byte = 0; byte < width; ++byte)
      text += fmt::format("{:02x}", bits_of(tensor.dtype, x) >> (8 * byte) & 0xff);
  return text;
}

// What the reference prints: name, dtype, shape and bytes of each, by name.
TEST_F(ReferencePackage, ReadsWhatWeWriteBitForBit) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Safetensors file{{{"a", Dtype::float16, {2, 2}, {0x1p-24, -0.0, 65504, std::nan("")}},
                          {"b", Dtype::bfloat16, {3}, {-infinity, 0x1p-133, 1.0078125}},
                          {"c/[0]\"\\ü\n", Dtype::float64, {}, {0.1}},
                          {"d", Dtype::float32, {0, 4}, {}}},
                         {{"key", "\"\\\n"}}};
  write_file(folder + "/w", safetensors_bytes(file));
  const std::string line = "c/[0]\"\\ü\n F64 [] " + hexadecimal(file.tensors[2], 8) + "\n";
  EXPECT_EQ(record("read '" + folder + "/w'").output,
            fmt::format("a F16 [2, 2] {}\nb BF16 [3] {}\n{}d F32 [0, 4] \nread\n", hexadecimal(file.tensors[0], 2),
                        hexadecimal(file.tensors[1], 2), line));
}

// What we refuse it refuses, but for what the table says.
TEST_F(ReferencePackage, RefusesWhatWeRefuse) {
  std::string files, due;
  for (const Refusal& refusal : refusals()) {
    const std::string path = fmt::format("{}/{}", folder, files.size());
    write_file(path, refusal.bytes);
    files += " '" + path + "'";
    due += refusal.why_read.empty() ? "refused\n" : "read\n";
  }
  std::string seen;
  const std::string output = record("read" + files).output;
  for (std::string_view rest = output; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line == "refused" || line == "read") seen += std::string(line) + "\n";
    rest.remove_prefix(line.size() + 1);
  }
  EXPECT_EQ(seen, due);
}

}  // namespace
}  // namespace microstep
