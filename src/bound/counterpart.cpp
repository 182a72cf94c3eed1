#include "counterpart.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace microstep {
namespace {

double magnitude(const Ball& ball) { return wide::to_double(wide::abs(ball.value)); }

void recentre(Tree<Ball>& tree) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    if (tree.is_dense(i))
      for (Ball& x : tree.values(i)) x.radius = 0;
}

// Slots of the same name in paired nodes.
template <class Use>
void for_paired_slots(const Counterpart::Nodes& own, const Counterpart::Nodes& other, const Use& use) {
  for (std::size_t i = 0; i < std::min(own.size(), other.size()); ++i)
    for (auto& [name, slot] : own[i].state->slots)
      for (auto& [other_name, other_slot] : other[i].state->slots)
        if (name == other_name) use(own[i].path, name, slot, other_slot);
}

std::string text_of(const std::array<std::string_view, 3>& path, const std::string& leaf) {
  return fmt::format("{}{}{}/{}", path[0], path[1], path[2], leaf);
}

}  // namespace

Counterpart::Counterpart(const Balls<Wide>& arithmetic, const Pairing& pairing, WindowRun& accumulated)
    : windows_(pairing.reference_windows),
      accumulated_(accumulated),
      run_(arithmetic, pairing.reference, pairing.reference_transformation),
      own_nodes_(paired_nodes(accumulated.training.state)),
      other_nodes_(paired_nodes(run_.training.state)) {
  note_unpaired();
}

void Counterpart::judge_window(std::int64_t i, bool is_last) {
  run_.run_to(windows_ ? (*windows_)[static_cast<std::size_t>(i)].back() : i);
  if (is_last) run_.flush_open();
  compare_window();
}

void Counterpart::set_undecidable(const std::string& reason) {
  semantics_.verdict = Sameness::undecidable;
  semantics_.reason = fmt::format("window {}: {}", semantics_.windows, reason);
}

void Counterpart::give_centres() {
  recentre(run_.training.params);
  accumulated_.training.params = run_.training.params;
  for_paired_slots(own_nodes_, other_nodes_, [](const auto&, const auto&, Tree<Ball>& own, Tree<Ball>& other) {
    recentre(other);
    own = other;
  });
}

void Counterpart::take_centres() {
  run_.training.params = accumulated_.training.params;
  for_paired_slots(own_nodes_, other_nodes_, [](const auto&, const auto&, Tree<Ball>& own, Tree<Ball>& other) {
    recentre(own);
    other = own;
  });
}

void Counterpart::note_unpaired_slots(const State<Ball>& own, const State<Ball>& other, const std::string& path) {
  for (const auto& [name, slot] : own.slots)
    if (std::ranges::none_of(other.slots, [&wanted = name](const auto& entry) { return entry.first == wanted; }))
      semantics_.unpaired.push_back(fmt::format("{}/{}", path, name));
}

void Counterpart::note_unpaired() {
  std::size_t pairs = std::min(own_nodes_.size(), other_nodes_.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    note_unpaired_slots(*own_nodes_[i].state, *other_nodes_[i].state, own_nodes_[i].path);
    note_unpaired_slots(*other_nodes_[i].state, *own_nodes_[i].state, "reference " + other_nodes_[i].path);
  }
  for (std::size_t i = pairs; i < own_nodes_.size(); ++i) semantics_.unpaired.push_back(own_nodes_[i].path);
  for (std::size_t i = pairs; i < other_nodes_.size(); ++i)
    semantics_.unpaired.push_back("reference " + other_nodes_[i].path);
}

void Counterpart::compare_window() {
  std::size_t pairs = std::min(own_nodes_.size(), other_nodes_.size());
  for (std::size_t i = 0; i < pairs; ++i) compare_counts(own_nodes_[i], other_nodes_[i]);
  for_paired_slots(
      own_nodes_, other_nodes_,
      [this](const std::string& path, const std::string& name, const Tree<Ball>& own, const Tree<Ball>& other) {
        compare_trees({path, "/", name}, own, other, Scale::gradients);
      });
  compare_trees({"updates"}, accumulated_.updates, run_.updates, Scale::params);
  compare_trees({"params"}, accumulated_.training.params, run_.training.params, Scale::params);
  if (semantics_.differences.empty()) return;
  semantics_.verdict = Sameness::different;
  semantics_.reason.clear();
}

void Counterpart::compare_counts(const StateNode<Ball>& own, const StateNode<Ball>& other) {
  for (const auto& [name, value] : own.state->counts) {
    auto match = std::ranges::find(other.state->counts, name, &std::pair<std::string, std::int64_t>::first);
    if (match == other.state->counts.end() || match->second == value) continue;
    Difference d{semantics_.windows,
                 accumulated_.training.microstep(),
                 own.path + "/" + name,
                 {},
                 Dtype::float64,
                 0,
                 true,
                 exactly(static_cast<double>(value)),
                 exactly(static_cast<double>(match->second))};
    semantics_.differences.push_back(std::move(d));
  }
}

void Counterpart::compare_trees(const Path& path, const Tree<Ball>& own, const Tree<Ball>& other, Scale scale) {
  if (own.leaf_count() != other.leaf_count()) return;
  for (std::size_t i = 0; i < own.leaf_count(); ++i) compare_leaf(path, own, other, i, scale_of(i, scale));
}

double Counterpart::scale_of(std::size_t leaf, Scale scale) const {
  if (leaf >= run_.gradient_scale.size()) return 0;
  const double gradients = std::max(accumulated_.gradient_scale[leaf], run_.gradient_scale[leaf]);
  return scale == Scale::gradients ? gradients : std::max(gradients, accumulated_.params_scale[leaf]);
}

void Counterpart::compare_leaf(const Path& path, const Tree<Ball>& own, const Tree<Ball>& other, std::size_t i,
                               double scale) {
  if (!own.is_dense(i) && !other.is_dense(i)) return;
  auto at = [i](const Tree<Ball>& tree, std::int64_t j) {
    return tree.is_dense(i) ? tree.values(i)[static_cast<std::size_t>(j)] : exactly(0);
  };
  const Leaf& leaf = own.leaf(i);
  bool differs = false;
  for (std::int64_t j = 0; j < leaf.size; ++j) {
    const Ball a = at(own, j), b = at(other, j);
    if (overlap(a, b)) {
      note_width(path, leaf, std::max(a.radius, b.radius), std::max({scale, magnitude(a), magnitude(b)}));
      continue;
    }
    if (!differs)
      semantics_.differences.push_back({semantics_.windows, accumulated_.training.microstep(), text_of(path, leaf.name),
                                        leaf.shape, leaf.dtype, j, false, a, b});
    differs = true;
  }
}

void Counterpart::note_width(const Path& path, const Leaf& leaf, double radius, double scale) {
  if (radius == 0) return;
  double width = scale > 0 && radius < infinite_radius ? radius / scale : infinite_radius;
  semantics_.widest = std::max(semantics_.widest, width);
  if (width <= undecidable_width || semantics_.verdict != Sameness::same) return;
  set_undecidable(fmt::format("the ball of {} is too wide: {}", text_of(path, leaf.name),
                              "a clip, skip or overflow is not certain in the declared dtype"));
}

}  // namespace microstep
