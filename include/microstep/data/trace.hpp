#pragma once
// What happened in a run, as flat rows: one of numbers and one of counts a microstep. Row 0 is the start (params and
// state; gradients and updates of row 0 are absent), row t what stood after microstep t.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/data/tree.hpp"
#include "microstep/scalar/ball.hpp"

namespace microstep {

/// Of a column that holds a part of its leaf only: the leaf's shape, and which of its numbers comes first here.
struct PartOfLeaf {
  Shape shape;
  std::int64_t first = 0;

  bool operator==(const PartOfLeaf&) const = default;
};

/// path: `params/w`, `gradients/w`, `updates/w`, `state/of[0]/mu/w`, `loss`.
struct Column {
  std::string path;
  Shape shape;
  Dtype dtype = Dtype::float32;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::optional<PartOfLeaf> part = std::nullopt;

  const Shape& leaf_shape() const { return part ? part->shape : shape; }
  std::int64_t first() const { return part ? part->first : 0; }
  bool operator==(const Column&) const = default;
};

class Schema {
 public:
  Schema() = default;
  /// count_paths such as `state/of[0]/count`. Offsets and sizes are filled in.
  Schema(std::vector<Column> columns, std::vector<std::string> count_paths);

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::string>& count_paths() const { return count_paths_; }
  std::int64_t width() const { return width_; }
  std::optional<std::size_t> find_column(std::string_view path) const;
  std::optional<std::size_t> find_count(std::string_view path) const;
  bool operator==(const Schema&) const = default;

 private:
  std::vector<Column> columns_;
  std::vector<std::string> count_paths_;
  std::int64_t width_ = 0;
};
using SchemaPointer = std::shared_ptr<const Schema>;

/// A row whose keys, shapes or dtypes are not the schema's: what a producer did that it must not.
struct Deviation {
  enum class Kind : std::uint8_t { keys, shape, dtype };
  Kind kind = Kind::keys;
  std::int64_t microstep = 0;
  std::string path;
  std::string message;
};

/// rows() = microsteps + 1. N is double for a trace, Ball for an envelope.
template <class N>
class Rows {
 public:
  Rows() = default;
  explicit Rows(SchemaPointer schema) : schema_(std::move(schema)) {}

  const Schema& schema() const { return *schema_; }
  const SchemaPointer& schema_pointer() const { return schema_; }
  /// Another schema of the same width: other dtypes or paths for the same numbers.
  void replace_schema(SchemaPointer schema) { schema_ = std::move(schema); }
  std::int64_t rows() const { return rows_; }
  std::int64_t microsteps() const { return rows_ > 0 ? rows_ - 1 : 0; }
  void reserve(std::int64_t rows) {
    numbers_.reserve(static_cast<std::size_t>(rows * schema_->width()));
    counts_.reserve(static_cast<std::size_t>(rows) * schema_->count_paths().size());
    presence_.reserve(static_cast<std::size_t>(rows) * schema_->columns().size());
  }
  /// A new row: numbers value-initialised, counts 0, every column absent.
  void append_row() {
    ++rows_;
    numbers_.resize(static_cast<std::size_t>(rows_ * schema_->width()));
    counts_.resize(static_cast<std::size_t>(rows_) * schema_->count_paths().size());
    presence_.resize(static_cast<std::size_t>(rows_) * schema_->columns().size(), Presence::absent);
  }
  std::span<N> numbers(std::int64_t row, std::size_t column) {
    const Column& c = schema_->columns()[column];
    return {numbers_.data() + row * schema_->width() + c.offset, static_cast<std::size_t>(c.size)};
  }
  std::span<const N> numbers(std::int64_t row, std::size_t column) const {
    const Column& c = schema_->columns()[column];
    return {numbers_.data() + row * schema_->width() + c.offset, static_cast<std::size_t>(c.size)};
  }
  std::int64_t& count(std::int64_t row, std::size_t index) {
    return counts_[static_cast<std::size_t>(row) * schema_->count_paths().size() + index];
  }
  std::int64_t count(std::int64_t row, std::size_t index) const {
    return counts_[static_cast<std::size_t>(row) * schema_->count_paths().size() + index];
  }
  Presence& presence(std::int64_t row, std::size_t column) {
    return presence_[static_cast<std::size_t>(row) * schema_->columns().size() + column];
  }
  /// Numbers of a zero column are zeros, of an absent one unspecified.
  Presence presence(std::int64_t row, std::size_t column) const {
    return presence_[static_cast<std::size_t>(row) * schema_->columns().size() + column];
  }

  /// A row may lack a count; its number is then 0 and says nothing.
  void hide_count(std::int64_t row, std::size_t index) { hidden_counts_.emplace(row, index); }
  bool shows_count(std::int64_t row, std::size_t index) const { return !hidden_counts_.contains({row, index}); }
  const std::set<std::pair<std::int64_t, std::size_t>>& hidden_counts() const { return hidden_counts_; }

  std::vector<Deviation> deviations;
  /// Which float path each kernel took, as the producer says: `conv2d`: `im2col, winograd4`. Empty: it does not.
  std::map<std::string, std::string> kernels;

 private:
  SchemaPointer schema_;
  std::int64_t rows_ = 0;
  std::vector<N> numbers_;
  std::vector<std::int64_t> counts_;
  std::vector<Presence> presence_;
  std::set<std::pair<std::int64_t, std::size_t>> hidden_counts_;
};

/// The row lacks a param or slot that was there at the start, or the update of a leaf that has a gradient: what stood
/// there is not known. A leaf that is absent from the start on, or a gradient, is not missing.
template <class N>
bool is_missing(const Rows<N>& rows, std::int64_t row, std::size_t column) {
  if (row == 0 || rows.presence(row, column) != Presence::absent) return false;
  const std::string& path = rows.schema().columns()[column].path;
  if (path.starts_with("params/") || path.starts_with("state/")) return rows.presence(0, column) != Presence::absent;
  constexpr std::string_view updates = "updates/";
  if (!path.starts_with(updates)) return false;
  auto gradient = rows.schema().find_column("gradients/" + path.substr(updates.size()));
  return gradient && rows.presence(row, *gradient) != Presence::absent;
}

using Trace = Rows<double>;
using Envelope = Rows<Ball>;

/// A trace as balls of radius 0.
Envelope embedded(const Trace& trace);

struct Skipped {
  std::string reason;
};
struct Errored {
  std::string id;
  std::string message;
};

using Answer = std::variant<Trace, Skipped, Errored>;
/// Whatever turns a plan into a trace: our own run, a golden file, a foreign port.
using Producer = std::function<Answer(const Plan&)>;

/// values in row-major order, each a value of the dtype.
struct Tensor {
  Dtype dtype = Dtype::float32;
  Shape shape;
  std::vector<double> values;

  bool operator==(const Tensor&) const = default;
};

/// One evaluation of a model, without training: what a port is asked to `forward`.
struct Forward {
  /// A model of the language: `conv2d(16)`, `mlp(2, 10, 10, 2)`.
  Spec model;
  Tree<double> params;
  /// [batch, the shape of one example]
  Tensor inputs;
  /// Float paths by name, as Plan::switches.
  std::map<std::string, std::string> switches = {};
};

/// What it answers. outputs: [batch, ...]. kernels: which path ran, as Trace::kernels.
struct Outputs {
  Tensor outputs;
  std::map<std::string, std::string> kernels = {};
};

using ForwardAnswer = std::variant<Outputs, Skipped, Errored>;

}  // namespace microstep
