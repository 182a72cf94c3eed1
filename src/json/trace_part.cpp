#include "trace_part.hpp"

#include <unordered_map>

#include "trace_paths.hpp"
#include "trace_schema.hpp"

namespace microstep {
namespace {

// A leaf with fewer numbers a part is not worth cutting.
constexpr std::int64_t least_in_a_part = 16;

}  // namespace

std::pair<std::int64_t, std::int64_t> Part::of(std::size_t leaf, std::int64_t size) const {
  if (size >= least_in_a_part * count) {
    const std::int64_t each = size / count, longer = size % count;
    const std::int64_t first = index * each + std::min(index, longer);
    return {first, first + each + (index < longer ? 1 : 0)};
  }
  const bool own = static_cast<std::int64_t>(leaf) % count == index;
  return {0, own ? size : 0};
}

SchemaPointer part_of(const SchemaPointer& whole, const Part& part) {
  if (part.count == 1) return whole;
  std::vector<Column> columns = whole->columns();
  std::unordered_map<std::string, std::pair<std::size_t, Shape>> params;
  for (const auto& [name, index] : section_columns(*whole, "params"))
    params.emplace(name, std::pair(params.size(), columns[index].shape));
  for (Column& column : columns) {
    const auto param = params.find(leaf_of(column.path));
    if (param == params.end() || param->second.second != column.shape || column.path == "loss") continue;
    const auto [first, end] = part.of(param->second.first, column.size);
    column.part = PartOfLeaf{std::move(column.shape), first};
    column.shape = {end - first};
  }
  return std::make_shared<const Schema>(std::move(columns), whole->count_paths());
}

TraceSize size_of(const Document& trace) {
  const SchemaPointer schema = schema_of(trace, nullptr);
  return {static_cast<std::int64_t>(trace.at("steps").size()) + 1, static_cast<std::int64_t>(schema->columns().size()),
          schema->width()};
}

}  // namespace microstep
