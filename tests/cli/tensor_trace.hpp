#pragma once
// A trace of two steps whose numbers stand in a safetensors file, laid out by hand.
#include <fmt/format.h>

#include <cstring>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace microstep::cli_test {

/// The bytes of a file: the header's length, the header, the data.
inline std::string tensor_file(const std::string& header, const std::string& data) {
  std::string bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + data;
}

struct Tensor {
  std::string name;
  std::vector<float> values;
  std::string dtype = "F32";
};

inline std::string tensor_file(const std::vector<Tensor>& tensors) {
  std::string header, data;
  for (const Tensor& tensor : tensors) {
    const std::size_t begin = data.size(), size = tensor.values.size();
    for (float x : tensor.values) {
      char bytes[sizeof x];
      std::memcpy(bytes, &x, sizeof x);
      data.append(bytes + (tensor.dtype == "F32" ? 0 : 2), tensor.dtype == "F32" ? 4 : 2);  // BF16 is the upper half
    }
    header += (header.empty() ? "" : ",") + ("\"" + tensor.name) + R"(":{"dtype":")" + tensor.dtype + R"(","shape":[)" +
              fmt::to_string(size) + R"(],"data_offsets":[)" + fmt::to_string(begin) + "," +
              fmt::to_string(data.size()) + "]}";
  }
  return tensor_file("{" + header + "}", data);
}

/// sgd(0.5) from w = (1, -2) by the gradients (2, 4) and (1, 0.5).
inline std::vector<Tensor> two_steps() {
  return {{"initial/params/w", {1, -2}},      {"steps/0/gradients/w", {2, 4}},   {"steps/0/updates/w", {-1, -2}},
          {"steps/0/params/w", {0, -4}},      {"steps/1/gradients/w", {1, 0.5}}, {"steps/1/updates/w", {-0.5, -0.25}},
          {"steps/1/params/w", {-0.5, -4.25}}};
}

inline const std::string two_steps_text =
    R"x({"schema":"microstep/trace/1","spec":"sgd(0.5)","tensors":"run.safetensors","initial":{},"steps":[{},{}]})x";

/// The two files in a folder, judged.
inline Result judged(const Folder& folder, const std::string& bytes, const std::string& text = two_steps_text) {
  folder.write("run.safetensors", bytes);
  return microstep({"judge", folder.write("run.json", text)});
}

}  // namespace microstep::cli_test
