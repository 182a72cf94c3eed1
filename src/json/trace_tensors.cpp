#include "trace_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "microstep/data/error.hpp"

namespace microstep {
namespace {

using Kind = Document::Kind;
using Node = Document::Node;

constexpr std::size_t highest_rank = 4;
constexpr std::size_t most_links = 256;
constexpr std::string_view forms =
    "initial/params/LEAF, initial/state/of[0]/SLOT/LEAF, steps/0/gradients/LEAF, and so updates, params, state, loss";

std::vector<std::string> named_files(const Document& names) {
  if (names.is(Kind::text)) return {names.text()};
  std::vector<std::string> files;
  for (std::size_t i = 0; i < names.expect(Kind::list).size(); ++i) files.push_back(names.element(i).text());
  return files;
}

// One tensor's way from the root to its place; `rest_` is what of its name is still to go.
class Placing {
 public:
  Placing(const OutsideTensor& tensor, Document::Root& root) : tensor_(tensor), root_(root), rest_(tensor.name) {}

  void place() {
    const bool initial = takes("initial/");
    Node& row = initial ? member(root_.node, "initial") : step();
    if (takes("state/")) return place_in_state(member(row, "state"));
    if (takes("params/")) return put(member(row, "params"), rest_);
    if (!initial && takes("gradients/")) return put(member(row, "gradients"), rest_);
    if (!initial && takes("updates/")) return put(member(row, "updates"), rest_);
    if (!initial && rest_ == "loss") return put(row, rest_);
    unknown();
  }

 private:
  [[noreturn]] void unknown(const std::string& why = "no path of the trace has that name") const {
    throw Error("trace.unknown-tensor", fmt::format("'{}': {}", tensor_.name, why), tensor_.place,
                "name it as the trace's keys lead to it: " + std::string(forms));
  }

  bool takes(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  // Digits without a sign or a leading zero, and what follows them.
  std::size_t index(std::string_view behind) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto digits = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc() || (digits > 1 && rest_[0] == '0')) unknown();
    rest_.remove_prefix(digits);
    if (!takes(behind)) unknown();
    return value;
  }

  Node& step() {
    if (!takes("steps/")) unknown();
    const std::size_t i = index("/");
    const auto steps = std::ranges::find(root_.node.keys, "steps");
    if (steps == root_.node.keys.end()) unknown("the trace has no \"steps\"");
    Node& list = root_.node.items[static_cast<std::size_t>(steps - root_.node.keys.begin())];
    if (i >= list.items.size()) unknown(fmt::format("the trace has {} steps, from 0", list.items.size()));
    return list.items[i];
  }

  // Made of that kind where it is missing.
  Node& member(Node& object, std::string_view key, Kind kind = Kind::object) {
    const auto found = std::ranges::find(object.keys, key);
    if (found != object.keys.end()) return object.items[static_cast<std::size_t>(found - object.keys.begin())];
    if (object.kind != Kind::object) unknown("what stands in its place is " + std::string(to_string(object.kind)));
    object.keys.emplace_back(key);
    return object.items.emplace_back(Node{kind, false, {}, {}, {}});
  }

  void place_in_state(Node& state) {
    Node* node = &state;
    while (takes("of[")) {
      const std::size_t i = index("]/");
      Node& inner = member(*node, "of", Kind::list);
      if (inner.kind != Kind::list || i >= most_links) unknown();
      while (inner.items.size() <= i) inner.items.push_back(Node{Kind::object, false, {}, {}, {}});
      node = &inner.items[i];
    }
    const std::size_t slash = rest_.find('/');
    if (slash == std::string_view::npos || slash == 0)
      unknown("of a state only slots are tensors; counts stand in the text");
    Node& slot = member(member(*node, "slots"), rest_.substr(0, slash));
    put(slot, rest_.substr(slash + 1));
  }

  void put(Node& leaves, std::string_view leaf) {
    if (leaf.empty()) unknown();
    if (std::ranges::find(leaves.keys, leaf) != leaves.keys.end())
      throw Error("trace.duplicate-leaf",
                  fmt::format("'{}' stands in the trace and in a tensor file, or in two of them", tensor_.name),
                  tensor_.place, "keep the one that is meant");
    member(leaves, leaf, Kind::tensor).tensor = &tensor_;
  }

  const OutsideTensor& tensor_;
  Document::Root& root_;
  std::string_view rest_;
};

void check_rank(const OutsideTensor& tensor) {
  if (tensor.shape.size() <= highest_rank) return;
  throw Error("trace.tensor-rank", fmt::format("'{}' has {} axes", tensor.name, tensor.shape.size()), tensor.place,
              "reshape it: a leaf has at most 4");
}

}  // namespace

void take_tensors(const Document& trace, const OpenTensors& open, Document::Root& root) {
  const std::optional<Document> names = trace.find("tensors");
  if (!names) return;
  if (!open)
    throw Error("trace.tensors-elsewhere", "the trace's numbers stand in other files", names->place(),
                "give the trace as a file");
  for (OutsideTensor& tensor : open(named_files(*names))) root.tensors.push_back(std::move(tensor));
  for (const OutsideTensor& tensor : root.tensors) {
    check_rank(tensor);
    Placing(tensor, root).place();
  }
}

}  // namespace microstep
