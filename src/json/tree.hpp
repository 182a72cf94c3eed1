#pragma once
// Trees as JSON objects, leaf name to numbers. An absent leaf is a missing key.
#include "microstep/data/tree.hpp"
#include "microstep/json/document.hpp"
#include "microstep/json/writer.hpp"

namespace microstep {

/// The members of an object, values only: dtypes and shapes are known to the reader.
void write_values(JsonWriter& out, const Tree<double>& tree);
/// The same with dtype and shape; an absent leaf is {"dtype", "shape", "absent": true}.
void write_whole(JsonWriter& out, const Tree<double>& tree);

/// Leaves of that layout, missing ones absent. Throws json.unknown-key for other names, json.shape-mismatch.
Tree<double> read_values(const Document& object, const LayoutPointer& layout);
/// A tree whose leaves say what they are.
Tree<double> read_whole(const Document& object);
void check_leaf_names(const Document& object, const Layout& layout);

}  // namespace microstep
