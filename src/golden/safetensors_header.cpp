#include "safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "microstep/data/error.hpp"
#include "microstep/json/document.hpp"

namespace microstep {
namespace {

constexpr std::uint64_t largest_header = 100'000'000;
constexpr std::string_view next_step = "write the file anew with a safetensors library";

class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, std::uint64_t file_size, const std::string& source)
      : bytes_(bytes), file_size_(file_size), source_(source) {}

  std::size_t header_length() const {
    if (bytes_.size() < 8)
      refuse("header-too-small", fmt::format("the file has {} bytes where 8 give the header's length", file_size_));
    const std::uint64_t length = little_endian(bytes_, 0, 8);
    if (length > largest_header)
      refuse("header-too-large", fmt::format("a header of {} bytes, where {} are allowed", length, largest_header));
    if (length + 8 > file_size_)
      refuse("invalid-header-length", fmt::format("a header of {} bytes in a file of {} bytes", length, file_size_));
    return length;
  }

  StoredHeader read() {
    header_length_ = header_length();
    const Document header = parsed_header();
    StoredHeader file;
    file.data_begin = static_cast<std::int64_t>(8 + header_length_);
    std::vector<TensorPlace>& entries = file.tensors;
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (header.key(i) == "__metadata__")
        file.metadata = metadata_of(header.element(i));
      else
        entries.push_back(entry_of(header.key(i), header.element(i)));
    }
    std::ranges::sort(entries, {}, [](const TensorPlace& e) { return std::pair(e.begin, e.end); });
    check_layout(entries);
    return file;
  }

 private:
  [[noreturn]] void refuse(const std::string& id, const std::string& message, const std::string& where = {}) const {
    throw Error("safetensors." + id, message, where.empty() ? source_ : source_ + "#/" + where, std::string(next_step));
  }

  std::int64_t data_size() const { return static_cast<std::int64_t>(file_size_ - 8 - header_length_); }

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

  TensorPlace entry_of(const std::string& name, const Document& given) const {
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

  Dtype dtype_of(const std::string& name, const std::string& text) const {
    const auto* found = std::ranges::find(stored_dtypes, text, &StoredDtype::name);
    if (found == stored_dtypes.end())
      refuse("unknown-dtype", fmt::format("dtype '{}'; known are F64, F32, F16, BF16", text), name);
    return found->dtype;
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
  static std::optional<std::int64_t> bytes_of(const TensorPlace& entry) {
    std::int64_t bytes = stored(entry.dtype).bytes;
    for (std::int64_t size : entry.shape)
      if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
    return bytes;
  }

  void check_layout(const std::vector<TensorPlace>& entries) const {
    std::int64_t at = 0;
    for (const TensorPlace& e : entries) {
      if (e.begin > e.end || e.begin != at)
        refuse("invalid-offset",
               fmt::format("{}: data from {} to {} where {} is the next byte", e.name, e.begin, e.end, at), e.name);
      if (e.end > data_size())
        refuse("incomplete-buffer", fmt::format("{}: data to {} of {} bytes", e.name, e.end, data_size()), e.name);
      if (bytes_of(e) != e.end - e.begin)
        refuse("tensor-invalid-info",
               fmt::format("{}: {} bytes for shape {} of {}", e.name, e.end - e.begin, to_string(e.shape),
                           stored(e.dtype).name),
               e.name);
      at = e.end;
    }
    if (at != data_size())
      refuse("incomplete-buffer", fmt::format("{} bytes of data where the tensors have {}", data_size(), at));
  }

  std::string_view bytes_;
  std::uint64_t file_size_;
  const std::string& source_;
  std::size_t header_length_ = 0;
};

}  // namespace

std::size_t header_length(std::string_view first_bytes, std::uint64_t file_size, const std::string& source) {
  return HeaderReader(first_bytes, file_size, source).header_length();
}

StoredHeader read_header(std::string_view bytes, std::uint64_t file_size, const std::string& source) {
  return HeaderReader(bytes, file_size, source).read();
}

}  // namespace microstep
