#include "trace_schema.hpp"

#include <fmt/format.h>

#include <array>

#include "trace_paths.hpp"

namespace microstep {
namespace {

using Kind = Document::Kind;
constexpr std::string_view leaf_sections[] = {"params", "gradients", "updates"};

void add_leaves(const Document& object, const std::string& prefix, FlatRow& row) {
  for (std::size_t i = 0; i < object.expect(Kind::object).size(); ++i)
    row.leaves.emplace_back(prefix + object.key(i), object.element(i));
}

void check_slot_name(const Document& slot, const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos || name.starts_with("of["))
    slot.refuse("json.bad-name", "\"" + name + "\" cannot be the name of a slot or count", "no slash, no of[");
}

void add_state(const Document& state, const std::string& prefix, FlatRow& row) {
  if (auto counts = state.expect(Kind::object).find("counts"))
    for (std::size_t i = 0; i < counts->expect(Kind::object).size(); ++i) {
      check_slot_name(*counts, counts->key(i));
      row.counts.emplace_back(prefix + counts->key(i), counts->element(i));
    }
  if (auto slots = state.find("slots"))
    for (std::size_t i = 0; i < slots->expect(Kind::object).size(); ++i) {
      check_slot_name(*slots, slots->key(i));
      add_leaves(slots->element(i), prefix + slots->key(i) + '/', row);
    }
  if (auto of = state.find("of"))
    for (std::size_t i = 0; i < of->expect(Kind::list).size(); ++i)
      add_state(of->element(i), prefix + "of[" + fmt::to_string(i) + "]/", row);
}

/// Collects columns; what is already known of a path comes first.
class SchemaBuilder {
 public:
  explicit SchemaBuilder(const Plan* known) : known_(known) {}

  void start(const Document& initial);
  void step_leaves(const Document& steps);
  SchemaPointer finish() { return std::make_shared<const Schema>(std::move(columns_), std::move(counts_)); }

 private:
  KnownLeaf known_of(const std::string& path) const;
  void add(const std::string& path, const Document& leaf);
  void add_known_params();
  void add_section(const Document& steps, std::string_view section);

  const Plan* known_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::string> counts_;
};

KnownLeaf SchemaBuilder::known_of(const std::string& path) const {
  if (path == "loss") return {Dtype::float64, Shape()};
  auto param = index_.find(param_path(path));
  if (param == index_.end()) return {};
  const Column& like = columns_[param->second];
  if (!known_ || !path.starts_with("gradients/")) return {like.dtype, like.shape};
  std::optional<std::size_t> leaf = known_->gradient_layout->find(leaf_of(path));
  return {leaf ? known_->gradient_layout->leaves()[*leaf].dtype : like.dtype, like.shape};
}

void SchemaBuilder::add(const std::string& path, const Document& leaf) {
  if (index_.contains(path)) return;
  ReadLeaf read = described_leaf(leaf, known_of(path));
  index_.emplace(path, columns_.size());
  columns_.push_back({path, read.shape, read.dtype});
}

void SchemaBuilder::add_known_params() {
  for (const Leaf& leaf : known_->params.layout().leaves()) {
    index_.emplace("params/" + leaf.name, columns_.size());
    columns_.push_back({"params/" + leaf.name, leaf.shape, leaf.dtype});
  }
}

void SchemaBuilder::start(const Document& initial) {
  if (known_) add_known_params();
  initial.at("params");
  FlatRow row = flattened(initial);
  for (const auto& [path, leaf] : row.leaves)
    if (!(known_ && path.starts_with("params/"))) add(path, leaf);
  for (const auto& [path, count] : row.counts) counts_.push_back(path);
}

/// The dtype that the first of the leaves of that name says, if it says one.
std::optional<Dtype> first_said(const Document& steps, std::string_view section, const std::string& name) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::optional<Document> leaves = steps.element(i).find(section);
    std::optional<Document> leaf = leaves ? leaves->find(name) : std::nullopt;
    if (leaf) return said_dtype(*leaf);
  }
  return std::nullopt;
}

bool any_has(const Document& steps, std::string_view section) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps.element(i).find(section)) return true;
  return false;
}

/// A column for each param, since a leaf that is absent in the first microstep may be there in the second.
void SchemaBuilder::add_section(const Document& steps, std::string_view section) {
  if (!any_has(steps, section)) return;
  std::vector<std::string> names;
  for (const Column& column : columns_)
    if (column.path.starts_with("params/")) names.push_back(leaf_of(column.path));
  for (const std::string& name : names) {
    std::string path = std::string(section) + '/' + name;
    KnownLeaf like = known_of(path);
    std::optional<Dtype> said = known_ && section == "gradients" ? std::nullopt : first_said(steps, section, name);
    columns_.push_back({path, *like.shape, said.value_or(*like.dtype)});
  }
}

void SchemaBuilder::step_leaves(const Document& steps) {
  add_section(steps, "gradients");
  add_section(steps, "updates");
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (auto loss = steps.element(i).find("loss")) add("loss", *loss);
}

}  // namespace

FlatRow flattened(const Document& row) {
  FlatRow flat;
  for (std::string_view section : leaf_sections)
    if (auto leaves = row.expect(Kind::object).find(section)) add_leaves(*leaves, std::string(section) + '/', flat);
  if (auto state = row.find("state")) add_state(*state, "state/", flat);
  if (auto loss = row.find("loss")) flat.leaves.emplace_back("loss", *loss);
  return flat;
}

SchemaPointer schema_of(const Document& trace, const Plan* known) {
  SchemaBuilder builder(known);
  builder.start(trace.at("initial"));
  Document steps = trace.at("steps");
  for (std::size_t i = 0; i < steps.expect(Kind::list).size(); ++i) steps.element(i).expect(Kind::object);
  builder.step_leaves(steps);
  return builder.finish();
}

}  // namespace microstep
