#include "tree.hpp"

#include "leaf.hpp"

namespace microstep {
namespace {

/// Values of leaf i; zeros where it is a zero leaf.
std::vector<double> values_of(const Tree<double>& tree, std::size_t i) {
  std::vector<double> values(static_cast<std::size_t>(tree.leaf(i).size));
  if (tree.is_dense(i)) std::ranges::copy(tree.values(i), values.begin());
  return values;
}

void write_mark(JsonWriter& out, const Leaf& leaf, std::string_view mark) {
  out.open_object(JsonWriter::Form::line).key("dtype").text(to_string(leaf.dtype));
  write_shape(out.key("shape"), leaf.shape);
  out.key(mark).truth(true).close();
}

Presence presence_of(const Document& leaf) {
  if (!leaf.is(Document::Kind::object)) return Presence::dense;
  if (leaf.find("absent")) return Presence::absent;
  return leaf.find("zero") ? Presence::zero : Presence::dense;
}

ReadLeaf read_any(const Document& leaf) {
  if (presence_of(leaf) == Presence::dense) return read_leaf(leaf, {});
  return {read_dtype(leaf.at("dtype")), read_shape(leaf.at("shape")), {}};
}

void check_whole_keys(const Document& leaf, Zeros zeros) {
  static constexpr std::string_view keys[] = {"dtype", "shape", "values", "base64", "absent", "zero"};
  leaf.expect_only(zeros == Zeros::kept ? std::span(keys) : std::span(keys).first(5));
}

}  // namespace

void write_values(JsonWriter& out, const Tree<double>& tree) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    if (tree.presence(i) == Presence::absent) continue;
    const Leaf& leaf = tree.leaf(i);
    write_leaf(out.key(leaf.name), leaf.dtype, leaf.shape, values_of(tree, i), {});
  }
}

void write_whole(JsonWriter& out, const Tree<double>& tree, Zeros zeros) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    const Leaf& leaf = tree.leaf(i);
    out.key(leaf.name);
    if (tree.presence(i) == Presence::absent)
      write_mark(out, leaf, "absent");
    else if (tree.presence(i) == Presence::zero && zeros == Zeros::kept)
      write_mark(out, leaf, "zero");
    else
      write_leaf(out, leaf.dtype, leaf.shape, values_of(tree, i), {.dtype = true, .shape = true});
  }
}

void check_leaf_names(const Document& object, const Layout& layout) {
  std::vector<std::string_view> names;
  for (const Leaf& leaf : layout.leaves()) names.push_back(leaf.name);
  object.expect_only(names);
}

Tree<double> read_values(const Document& object, const LayoutPointer& layout) {
  check_leaf_names(object, *layout);
  Tree<double> tree(layout, Presence::absent);
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    const Leaf& leaf = tree.leaf(i);
    std::optional<Document> found = object.find(leaf.name);
    if (!found) continue;
    ReadLeaf read = read_leaf(*found, {leaf.dtype, leaf.shape});
    if (read.shape != leaf.shape)
      found->refuse("json.shape-mismatch", "the shape " + to_string(read.shape) + " for " + to_string(leaf.shape),
                    "use the param's shape");
    if (read.dtype != leaf.dtype)
      found->refuse("json.dtype-mismatch",
                    std::string(to_string(read.dtype)) + " for " + std::string(to_string(leaf.dtype)),
                    "use the declared dtype");
    tree.mark(i, Presence::dense);
    std::ranges::copy(read.values, tree.values(i).begin());
  }
  return tree;
}

Tree<double> read_whole(const Document& object, Zeros zeros) {
  std::vector<Leaf> leaves;
  std::vector<std::vector<double>> values;
  for (std::size_t i = 0; i < object.expect(Document::Kind::object).size(); ++i) {
    check_whole_keys(object.element(i), zeros);
    ReadLeaf read = read_any(object.element(i));
    leaves.push_back({object.key(i), read.shape, read.dtype});
    values.push_back(std::move(read.values));
  }
  Tree<double> tree(make_layout(std::move(leaves)), Presence::absent);
  for (std::size_t i = 0; i < values.size(); ++i) {
    tree.mark(i, presence_of(object.element(i)));
    if (tree.is_dense(i)) std::ranges::copy(values[i], tree.values(i).begin());
  }
  return tree;
}

}  // namespace microstep
