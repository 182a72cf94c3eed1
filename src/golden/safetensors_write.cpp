#include <algorithm>

#include "microstep/data/error.hpp"
#include "microstep/golden/safetensors.hpp"
#include "microstep/json/writer.hpp"
#include "safetensors_dtype.hpp"

namespace microstep {
namespace {

void append_little_endian(std::string& bytes, std::uint64_t value, std::int64_t width) {
  for (std::int64_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

std::vector<const StoredTensor*> in_order(const Safetensors& file) {
  std::vector<const StoredTensor*> order;
  for (const StoredTensor& tensor : file.tensors) order.push_back(&tensor);
  std::ranges::sort(order, {}, &StoredTensor::name);
  const auto twice = std::ranges::adjacent_find(order, {}, [](const StoredTensor* t) { return t->name; });
  if (twice != order.end())
    throw Error("safetensors.duplicate-key", "two tensors of one name", (*twice)->name, "give each its own name");
  std::ranges::stable_sort(order, {}, [](const StoredTensor* t) { return &stored(t->dtype); });
  return order;
}

void describe(JsonWriter& json, const StoredTensor& tensor, std::int64_t begin, std::int64_t end) {
  json.key(tensor.name).open_object().key("dtype").text(stored(tensor.dtype).name).key("shape").open_array();
  for (std::int64_t size : tensor.shape) json.integer(size);
  json.close().key("data_offsets").open_array().integer(begin).integer(end).close().close();
}

}  // namespace

std::string safetensors_bytes(const Safetensors& file) {
  JsonWriter json(JsonWriter::Form::line);
  std::string data;
  json.open_object();
  if (!file.metadata.empty()) {
    json.key("__metadata__").open_object();
    for (const auto& [key, value] : file.metadata) json.key(key).text(value);
    json.close();
  }
  for (const StoredTensor* tensor : in_order(file)) {
    const auto begin = static_cast<std::int64_t>(data.size());
    for (double x : tensor->values) append_little_endian(data, bits_of(tensor->dtype, x), stored(tensor->dtype).bytes);
    describe(json, *tensor, begin, static_cast<std::int64_t>(data.size()));
  }
  json.close();
  std::string header = json.finish();
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string bytes;
  append_little_endian(bytes, header.size(), 8);
  return bytes + header + data;
}

}  // namespace microstep
