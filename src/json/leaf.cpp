#include "leaf.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/json/numbers.hpp"

namespace microstep {
namespace {

using Kind = Document::Kind;
constexpr std::size_t highest_rank = 4;
constexpr double most_elements = 0x1p40;

/// Values in row-major order and the shape that the nesting spells.
struct Nested {
  std::vector<double> values;
  Shape shape;
};

void read_nested(const Document& part, Dtype dtype, std::size_t depth, Nested& out) {
  if (!part.is(Kind::list)) {
    if (depth != out.shape.size())
      part.refuse("json.shape-mismatch", "a number where the lists beside it go deeper", "nest all of them alike");
    out.values.push_back(part.number(dtype));
    return;
  }
  auto length = static_cast<std::int64_t>(part.size());
  if (depth == out.shape.size() && out.values.empty() && depth < highest_rank) out.shape.push_back(length);
  if (depth >= out.shape.size() || out.shape[depth] != length)
    part.refuse("json.shape-mismatch", "a list of " + fmt::to_string(length) + " that does not fit the lists beside it",
                "make them equally long");
  for (std::size_t i = 0; i < part.size(); ++i) read_nested(part.element(i), dtype, depth + 1, out);
}

[[noreturn]] void refuse_shape(const Document& where, const std::string& given, const Shape& due) {
  where.refuse("json.shape-mismatch", given + " for the shape " + to_string(due),
               "give one number an element, flat or nested as the shape says");
}

/// Flat values of the right count, or lists nested as the shape says.
void check_shape(const Document& values, const Nested& nested, const Shape& due) {
  if (nested.shape == due) return;
  auto count = static_cast<std::int64_t>(nested.values.size());
  bool flat = nested.shape.size() == 1;
  if (flat && count == element_count(due)) return;
  if (flat) refuse_shape(values, fmt::to_string(count) + (count == 1 ? " number" : " numbers"), due);
  refuse_shape(values, "the shape " + to_string(nested.shape), due);
}

void read_base64(const Document& text, ReadLeaf& leaf) {
  std::optional<std::vector<double>> values = values_of_base64(leaf.dtype, text.text());
  if (!values)
    text.refuse("json.invalid-base64", "no base64 of whole " + std::string(to_string(leaf.dtype)) + " elements",
                "little-endian bytes, RFC 4648 with padding");
  if (static_cast<std::int64_t>(values->size()) != element_count(leaf.shape))
    refuse_shape(text, fmt::to_string(values->size()) + " numbers", leaf.shape);
  leaf.values = std::move(*values);
}

Dtype due_dtype(const Document& leaf, const KnownLeaf& known) {
  if (std::optional<Dtype> said = said_dtype(leaf)) return *said;
  if (!known.dtype)
    leaf.refuse("json.missing-key", "the key \"dtype\" is missing", "it is known of no leaf of this name");
  return *known.dtype;
}

}  // namespace

Dtype read_dtype(const Document& name) {
  std::optional<Dtype> dtype = dtype_from_name(name.text());
  if (dtype) return *dtype;
  std::string known;
  for (Dtype each : all_dtypes()) known += (known.empty() ? "" : ", ") + std::string(to_string(each));
  name.refuse("json.unknown-dtype", "the dtype \"" + name.text() + "\" is unknown", "known are " + known);
}

Shape read_shape(const Document& list) {
  Shape shape;
  for (std::size_t i = 0; i < list.expect(Kind::list).size(); ++i) shape.push_back(list.element(i).integer());
  bool negative = std::any_of(shape.begin(), shape.end(), [](std::int64_t axis) { return axis < 0; });
  double elements = 1;
  for (std::int64_t axis : shape) elements *= static_cast<double>(std::max<std::int64_t>(axis, 1));
  if (negative || shape.size() > highest_rank || elements > most_elements)
    list.refuse("json.shape-mismatch", to_string(shape) + " is no shape",
                "0 to 4 axes, none negative, at most 2^40 elements");
  return shape;
}

std::optional<Dtype> said_dtype(const Document& leaf) {
  if (leaf.is(Kind::tensor)) return leaf.tensor().dtype;
  std::optional<Document> dtype = leaf.is(Kind::object) ? leaf.find("dtype") : std::nullopt;
  return dtype ? std::optional(read_dtype(*dtype)) : std::nullopt;
}

ReadLeaf described_leaf(const Document& leaf, const KnownLeaf& known) {
  if (leaf.is(Kind::tensor)) return {leaf.tensor().dtype, leaf.tensor().shape, {}};
  return read_leaf(leaf, known);
}

ReadLeaf read_leaf(const Document& leaf, const KnownLeaf& known) {
  ReadLeaf read;
  read.dtype = due_dtype(leaf, known);
  std::optional<Shape> due = known.shape;
  bool whole = leaf.is(Kind::object);
  if (whole)
    if (std::optional<Document> shape = leaf.find("shape")) due = read_shape(*shape);
  if (due) read.shape = *due;
  std::optional<Document> packed = whole ? leaf.find("base64") : std::nullopt;
  if (packed) {
    if (leaf.find("values"))
      leaf.refuse("json.values-twice", "the leaf has both \"values\" and \"base64\"", "keep the one that is meant");
    if (!due) leaf.refuse("json.missing-key", "the key \"shape\" is missing", "add it beside base64");
    read_base64(*packed, read);
    return read;
  }
  Document values = whole ? leaf.at("values") : leaf;
  Nested nested;
  read_nested(values, read.dtype, 0, nested);
  if (due) check_shape(values, nested, *due);
  if (!due) read.shape = nested.shape;
  read.values = std::move(nested.values);
  return read;
}

void write_shape(JsonWriter& out, const Shape& shape) {
  out.open_array(JsonWriter::Form::line);
  for (std::int64_t axis : shape) out.integer(axis);
  out.close();
}

static void write_values(JsonWriter& out, Dtype dtype, const Shape& shape, std::span<const double> values) {
  if (shape.empty()) {
    out.number(dtype, values[0]);
    return;
  }
  out.open_array(JsonWriter::Form::line);
  for (double x : values) out.number(dtype, x);
  out.close();
}

void write_leaf(JsonWriter& out, Dtype dtype, const Shape& shape, std::span<const double> values, Stated stated) {
  bool packed = values.size() > most_written_decimals;
  bool whole = packed || stated.dtype || stated.shape;
  if (whole) out.open_object(JsonWriter::Form::line);
  if (stated.dtype) out.key("dtype").text(to_string(dtype));
  if (stated.shape) write_shape(out.key("shape"), shape);
  if (packed) {
    out.key("base64").text(base64_of(dtype, values));
  } else {
    if (whole) out.key("values");
    write_values(out, dtype, shape, values);
  }
  if (whole) out.close();
}

}  // namespace microstep
