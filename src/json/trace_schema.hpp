#pragma once
// From the nested objects of a trace to its columns.
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leaf.hpp"
#include "microstep/data/plan.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/json/document.hpp"

namespace microstep {

/// The leaves and counts of one row by path, in the order of the text.
struct FlatRow {
  std::vector<std::pair<std::string, Document>> leaves;
  std::vector<std::pair<std::string, Document>> counts;
};
FlatRow flattened(const Document& row);

/// Which columns a trace has: params and state of the start, gradients, updates and loss where any step has them.
/// Dtypes: as first said; else of the plan's gradients or of the param of that name.
SchemaPointer schema_of(const Document& trace, const Plan* known);

}  // namespace microstep
