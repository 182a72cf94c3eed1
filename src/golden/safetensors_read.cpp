#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "microstep/data/error.hpp"
#include "microstep/golden/safetensors.hpp"
#include "microstep/json/document.hpp"
#include "safetensors_dtype.hpp"

namespace microstep {
namespace {

constexpr std::uint64_t largest_header = 100'000'000;
constexpr std::string_view next_step = "write the file anew with a safetensors library";

// What the header says of one tensor.
struct Entry {
  std::string name;
  StoredDtype dtype;
  Shape shape;
  std::int64_t begin;
  std::int64_t end;
};

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}

  Safetensors read() {
    header_length_ = header_length();
    const Document header = parsed_header();
    Safetensors file;
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (header.key(i) == "__metadata__")
        file.metadata = metadata_of(header.element(i));
      else
        entries.push_back(entry_of(header.key(i), header.element(i)));
    }
    std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.begin, e.end); });
    check_layout(entries);
    for (const Entry& entry : entries) file.tensors.push_back(tensor_of(entry));
    return file;
  }

 private:
  [[noreturn]] void refuse(const std::string& id, const std::string& message, const std::string& where = {}) const {
    throw Error("safetensors." + id, message, where.empty() ? source_ : source_ + "#/" + where, std::string(next_step));
  }

  std::uint64_t little_endian(std::size_t at, std::size_t width) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at + i])) << (8 * i);
    return value;
  }

  std::size_t header_length() const {
    if (bytes_.size() < 8)
      refuse("header-too-small", fmt::format("the file has {} bytes where 8 give the header's length", bytes_.size()));
    const std::uint64_t length = little_endian(0, 8);
    if (length > largest_header)
      refuse("header-too-large", fmt::format("a header of {} bytes, where {} are allowed", length, largest_header));
    if (length + 8 > bytes_.size())
      refuse("invalid-header-length", fmt::format("a header of {} bytes in a file of {} bytes", length, bytes_.size()));
    return length;
  }

  std::size_t data_begin() const { return 8 + header_length_; }
  std::int64_t data_size() const { return static_cast<std::int64_t>(bytes_.size() - data_begin()); }

  Document parsed_header() const {
    const std::string_view text = bytes_.substr(8, header_length_);
    if (!text.starts_with('{')) refuse("invalid-header-start", "the header does not begin with '{'");
    try {
      return Document::parse(text, source_).expect(Document::Kind::object);
    } catch (const Error& error) {
      const std::string id = error.id() == "json.duplicate-key"  ? "duplicate-key"
                             : error.id() == "json.invalid-utf8" ? "invalid-header-utf8"
                                                                 : "invalid-header-json";
      throw Error("safetensors." + id, error.message(), error.place(), std::string(next_step));
    }
  }

  std::map<std::string, std::string> metadata_of(const Document& given) const {
    std::map<std::string, std::string> metadata;
    if (!given.is(Document::Kind::object)) refuse("invalid-metadata", "metadata is no object", "__metadata__");
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!given.element(i).is(Document::Kind::text))
        refuse("invalid-metadata", "metadata holds text only", "__metadata__/" + given.key(i));
      metadata[given.key(i)] = given.element(i).text();
    }
    return metadata;
  }

  Entry entry_of(const std::string& name, const Document& given) const {
    static constexpr std::string_view keys[] = {"dtype", "shape", "data_offsets"};
    try {
      given.expect(Document::Kind::object).expect_only(keys);
      const std::vector<std::int64_t> offsets = sizes_of(given.at("data_offsets"));
      if (offsets.size() != 2) refuse("invalid-header-json", "two offsets are due: begin and end", name);
      return {name, dtype_of(name, given.at("dtype").text()), sizes_of(given.at("shape")), offsets[0], offsets[1]};
    } catch (const Error& error) {
      if (error.id().starts_with("safetensors.")) throw;
      throw Error("safetensors.invalid-header-json", error.message(), error.place(), std::string(next_step));
    }
  }

  StoredDtype dtype_of(const std::string& name, const std::string& text) const {
    const auto* found = std::ranges::find(stored_dtypes, text, &StoredDtype::name);
    if (found == stored_dtypes.end())
      refuse("unknown-dtype", fmt::format("dtype '{}'; known are F64, F32, F16, BF16", text), name);
    return *found;
  }

  std::vector<std::int64_t> sizes_of(const Document& given) const {
    std::vector<std::int64_t> sizes;
    given.expect(Document::Kind::list);
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::int64_t size = given.element(i).integer();
      if (size < 0)
        given.element(i).refuse("safetensors.invalid-header-json", "a size below 0", std::string(next_step));
      sizes.push_back(size);
    }
    return sizes;
  }

  // Bytes of a shape; none where they are more than an integer holds.
  static std::optional<std::int64_t> bytes_of(const Entry& entry) {
    std::int64_t bytes = entry.dtype.bytes;
    for (std::int64_t size : entry.shape)
      if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
    return bytes;
  }

  void check_layout(const std::vector<Entry>& entries) const {
    std::int64_t at = 0;
    for (const Entry& e : entries) {
      if (e.begin > e.end || e.begin != at)
        refuse("invalid-offset",
               fmt::format("{}: data from {} to {} where {} is the next byte", e.name, e.begin, e.end, at), e.name);
      if (e.end > data_size())
        refuse("incomplete-buffer", fmt::format("{}: data to {} of {} bytes", e.name, e.end, data_size()), e.name);
      if (bytes_of(e) != e.end - e.begin)
        refuse(
            "tensor-invalid-info",
            fmt::format("{}: {} bytes for shape {} of {}", e.name, e.end - e.begin, to_string(e.shape), e.dtype.name),
            e.name);
      at = e.end;
    }
    if (at != data_size())
      refuse("incomplete-buffer", fmt::format("{} bytes of data where the tensors have {}", data_size(), at));
  }

  StoredTensor tensor_of(const Entry& entry) const {
    StoredTensor tensor{entry.name, entry.dtype.dtype, entry.shape, {}};
    const auto width = static_cast<std::size_t>(entry.dtype.bytes);
    std::size_t at = data_begin() + static_cast<std::size_t>(entry.begin);
    tensor.values.resize(static_cast<std::size_t>(entry.end - entry.begin) / width);
    for (double& value : tensor.values) {
      const double x = from_bits(entry.dtype.dtype, little_endian(at, width));
      value = std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x;
      at += width;
    }
    return tensor;
  }

  std::string_view bytes_;
  const std::string& source_;
  std::size_t header_length_ = 0;
};

}  // namespace

Safetensors read_safetensors(std::string_view bytes, const std::string& source) { return Reader(bytes, source).read(); }

}  // namespace microstep
