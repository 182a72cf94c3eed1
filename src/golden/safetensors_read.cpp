#include <fcntl.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "descriptor.hpp"
#include "input.hpp"
#include "microstep/data/error.hpp"
#include "safetensors_header.hpp"

namespace microstep {
namespace {

double number_of(Dtype dtype, std::string_view bytes, std::size_t at, std::size_t width) {
  const double x = from_bits(dtype, little_endian(bytes, at, width));
  return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x;
}

void decode(Dtype dtype, std::string_view bytes, std::span<double> out) {
  const auto width = static_cast<std::size_t>(stored(dtype).bytes);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = number_of(dtype, bytes, i * width, width);
}

}  // namespace

Safetensors read_safetensors(std::string_view bytes, const std::string& source) {
  StoredHeader header = read_header(bytes, bytes.size(), source);
  Safetensors file{{}, std::move(header.metadata)};
  for (TensorPlace& place : header.tensors) {
    StoredTensor& tensor = file.tensors.emplace_back(StoredTensor{place.name, place.dtype, place.shape, {}});
    tensor.values.resize(static_cast<std::size_t>(element_count(place.shape)));
    decode(place.dtype, bytes.substr(static_cast<std::size_t>(header.data_begin + place.begin)), tensor.values);
  }
  return file;
}

struct SafetensorsFile::Open {
  explicit Open(const std::string& name) : path(name), input(name, Links::refuse) {
    const auto size = static_cast<std::uint64_t>(input.size);
    std::string bytes(std::min<std::uint64_t>(size, 8), '\0');
    read_at(bytes, 0);
    const std::size_t length = header_length(bytes, size, path);
    bytes.resize(8 + length);
    read_at(std::span(bytes).subspan(8), 8);
    header = read_header(bytes, size, path);
  }

  void read_at(std::span<char> bytes, std::int64_t at) const { microstep::read_at(input.file, bytes, at, path); }

  std::string path;
  Input input;
  StoredHeader header;
};

SafetensorsFile::SafetensorsFile(const std::string& path) : open_(std::make_unique<const Open>(path)) {}
SafetensorsFile::~SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;

const std::vector<TensorPlace>& SafetensorsFile::tensors() const { return open_->header.tensors; }

void SafetensorsFile::read(const TensorPlace& tensor, std::int64_t first, std::span<double> out) const {
  std::array<char, 65536> block;
  const std::int64_t width = stored(tensor.dtype).bytes;
  std::int64_t at = open_->header.data_begin + tensor.begin + first * width;
  while (!out.empty()) {
    const std::size_t count = std::min(out.size(), block.size() / static_cast<std::size_t>(width));
    const std::span<char> bytes(block.data(), count * static_cast<std::size_t>(width));
    open_->read_at(bytes, at);
    decode(tensor.dtype, {bytes.data(), bytes.size()}, out.first(count));
    out = out.subspan(count);
    at += static_cast<std::int64_t>(bytes.size());
  }
}

}  // namespace microstep
