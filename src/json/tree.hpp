#pragma once
// Trees as JSON objects, leaf name to numbers. An absent leaf is a missing key.
#include "microstep/data/tree.hpp"
#include "microstep/json/document.hpp"
#include "microstep/json/writer.hpp"

namespace microstep {

/// The members of an object, values only: dtypes and shapes are known to the reader.
void write_values(JsonWriter& out, const Tree<double>& tree);
/// What becomes of a zero leaf: its zeros are written out, or {"dtype", "shape", "zero": true} keeps that it is one.
enum class Zeros { written, kept };
/// The same with dtype and shape; an absent leaf is {"dtype", "shape", "absent": true}.
void write_whole(JsonWriter& out, const Tree<double>& tree, Zeros zeros = Zeros::written);

/// Leaves of that layout, missing ones absent. Throws json.unknown-key for other names, json.shape-mismatch.
Tree<double> read_values(const Document& object, const LayoutPointer& layout);
/// A tree whose leaves say what they are; zero leaves only where zeros are kept.
Tree<double> read_whole(const Document& object, Zeros zeros = Zeros::written);
void check_leaf_names(const Document& object, const Layout& layout);

}  // namespace microstep
