#include "microstep/data/trace.hpp"

namespace microstep {

Schema::Schema(std::vector<Column> columns, std::vector<std::string> count_paths)
    : columns_(std::move(columns)), count_paths_(std::move(count_paths)) {
  for (Column& column : columns_) {
    column.offset = width_;
    column.size = element_count(column.shape);
    width_ += column.size;
  }
}

std::optional<std::size_t> Schema::find_column(std::string_view path) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].path == path) return i;
  return std::nullopt;
}

std::optional<std::size_t> Schema::find_count(std::string_view path) const {
  for (std::size_t i = 0; i < count_paths_.size(); ++i)
    if (count_paths_[i] == path) return i;
  return std::nullopt;
}

Envelope embedded(const Trace& trace) {
  Envelope envelope(trace.schema_pointer());
  envelope.deviations = trace.deviations;
  envelope.reserve(trace.rows());
  for (std::int64_t row = 0; row < trace.rows(); ++row) {
    envelope.append_row();
    for (std::size_t i = 0; i < trace.schema().count_paths().size(); ++i) envelope.count(row, i) = trace.count(row, i);
    for (std::size_t c = 0; c < trace.schema().columns().size(); ++c) {
      envelope.presence(row, c) = trace.presence(row, c);
      if (trace.presence(row, c) != Presence::dense) continue;
      auto from = trace.numbers(row, c);
      auto to = envelope.numbers(row, c);
      for (std::size_t i = 0; i < from.size(); ++i) to[i] = exactly(from[i]);
    }
  }
  for (const auto& [row, index] : trace.hidden_counts()) envelope.hide_count(row, index);
  return envelope;
}

}  // namespace microstep
