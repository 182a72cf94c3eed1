#pragma once
// A JSON text, read strictly, as a tree that keeps key order and the text of every number. A Document is one place in
// it.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/data/tree.hpp"

namespace microstep {

/// Numbers that stand in another file. place: the file and the tensor in it. read: its elements from `first` on, in
/// row-major order.
struct OutsideTensor {
  std::string name, place;
  Dtype dtype = Dtype::float32;
  Shape shape;
  std::function<void(std::int64_t first, std::span<double> out)> read;
};

class Document {
 public:
  /// No text says tensor: Change puts it there.
  enum class Kind { null, truth, number, text, list, object, tensor };
  struct Node;
  struct Root;
  /// Puts into the root what the text only refers to; sees the text as it is.
  using Change = std::function<void(const Document& text, Root& root)>;

  /// source: file name or the like, for messages. Throws json.invalid-json, json.empty, json.merge-conflict,
  /// json.trailing-text, json.bare-nan, json.number-out-of-range, json.duplicate-key, json.invalid-utf8, json.nul-byte,
  /// json.byte-order-mark, json.too-deep (64 levels); the place has line, column and a caret.
  static Document parse(std::string_view text, const std::string& source = {}, const Change& change = {});

  Kind kind() const;
  bool is(Kind kind) const { return this->kind() == kind; }

  /// Members of an object, elements of a list, 0 otherwise.
  std::size_t size() const;
  /// Element of a list or value of a member.
  Document element(std::size_t index) const;
  const std::string& key(std::size_t index) const;
  /// Throws json.wrong-type if this is no object, json.missing-key.
  Document at(std::string_view key) const;
  std::optional<Document> find(std::string_view key) const;

  /// Each throws json.wrong-type, json.null-number, json.integer-range, json.number-out-of-range,
  /// json.not-representable.
  bool truth() const;
  const std::string& text() const;
  std::int64_t integer() const;
  /// A number, or "NaN", "Infinity", "-Infinity"; it must stand for a value of the dtype.
  double number(Dtype dtype = Dtype::float64) const;

  const OutsideTensor& tensor() const;

  /// Throws json.wrong-type unless this is of that kind.
  const Document& expect(Kind kind) const;
  /// Throws json.unknown-key, with the nearest known one, for a member that is not listed.
  const Document& expect_only(std::span<const std::string_view> keys) const;

  /// `SOURCE#/steps/3/params/w`; of a tensor its own.
  std::string place() const;
  [[noreturn]] void refuse(const std::string& id, const std::string& message, const std::string& next) const;

 private:
  Document(std::shared_ptr<const Root> root, const Node* node) : root_(std::move(root)), node_(node) {}

  std::shared_ptr<const Root> root_;
  const Node* node_;
};

std::string_view to_string(Document::Kind kind);

}  // namespace microstep
