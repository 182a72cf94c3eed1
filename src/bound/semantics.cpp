#include "microstep/bound/semantics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/bound/pairing.hpp"
#include "microstep/train/run.hpp"

namespace microstep {
namespace {

using A = Balls<Wide>;

double magnitude(const Ball& ball) { return wide::to_double(wide::abs(ball.value)); }

// Two runs side by side.
class Decision {
 public:
  explicit Decision(const Pairing& pairing)
      : arithmetic_(A::semantics(narrowest_dtype(pairing.accumulated.params.layout()))),
        accumulated_(arithmetic_, pairing.accumulated, pairing.transformation),
        accumulated_plan_(pairing.accumulated),
        reference_plan_(pairing.reference),
        reference_(arithmetic_, pairing.reference, pairing.reference_transformation),
        scale_(pairing.accumulated.params.leaf_count(), 0.0) {
    own_nodes_ = paired_nodes(accumulated_.state);
    other_nodes_ = paired_nodes(reference_.state);
    note_unpaired();
  }

  Semantics over(const Windows& windows, const std::optional<Windows>& reference_windows) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      ++semantics_.windows;
      std::int64_t reference_last = reference_windows ? (*reference_windows)[i].back() : static_cast<std::int64_t>(i);
      updates_ = run_window(accumulated_, windows[i].back());
      reference_updates_ = run_window(reference_, reference_last);
      if (i + 1 == windows.size()) {
        flush_open(accumulated_plan_, accumulated_, updates_);
        flush_open(reference_plan_, reference_, reference_updates_);
      }
      compare_window();
      if (semantics_.verdict != Sameness::same) return semantics_;
      restart();
    }
    return semantics_;
  }

  Semantics undecidable(std::string reason) {
    semantics_.verdict = Sameness::undecidable;
    semantics_.reason = fmt::format("window {}: {}", semantics_.windows, reason);
    return semantics_;
  }

 private:
  void note_unpaired_slots(const State<Ball>& own, const State<Ball>& other, const std::string& path) {
    for (const auto& [name, slot] : own.slots)
      if (std::ranges::none_of(other.slots, [&](const auto& entry) { return entry.first == name; }))
        semantics_.unpaired.push_back(path + "/" + name);
  }

  void note_unpaired() {
    std::size_t pairs = std::min(own_nodes_.size(), other_nodes_.size());
    for (std::size_t i = 0; i < pairs; ++i) {
      note_unpaired_slots(*own_nodes_[i].state, *other_nodes_[i].state, own_nodes_[i].path);
      note_unpaired_slots(*other_nodes_[i].state, *own_nodes_[i].state, "reference " + other_nodes_[i].path);
    }
    for (std::size_t i = pairs; i < own_nodes_.size(); ++i) semantics_.unpaired.push_back(own_nodes_[i].path);
    for (std::size_t i = pairs; i < other_nodes_.size(); ++i)
      semantics_.unpaired.push_back("reference " + other_nodes_[i].path);
  }

  // Where the last microbatches of a window that is flushed were skipped, it goes out in the plan's last microstep.
  void flush_open(const Plan& plan, Training<A>& training, Tree<Ball>& updates) {
    if (!is_open(plan.spec, training.state)) return;
    const Tree<Ball> before = std::move(updates);
    updates = run_window(training, static_cast<std::int64_t>(plan.batches.size()) - 1);
    if (!before.all_zero()) apply_updates(arithmetic_, updates, before);
  }

  static bool is_open(const Spec& spec, const State<Ball>& state) {
    if (spec.op == "multi_steps") return state.count("mini_step") > 0 && spec.text("partial").starts_with("flush");
    for (std::size_t i = 0; i < spec.of.size(); ++i)
      if (is_open(spec.of[i], state.of[i])) return true;
    return false;
  }

  // The sum of the window's updates.
  Tree<Ball> run_window(Training<A>& training, std::int64_t last) {
    std::optional<Tree<Ball>> sum;
    while (training.microstep() <= last) {
      training.step();
      note_scale(training.gradients);
      if (training.updates.all_zero()) continue;
      if (sum)
        apply_updates(arithmetic_, *sum, training.updates);
      else
        sum = training.updates;
    }
    return sum ? *sum : training.updates;
  }

  void note_scale(const Tree<Ball>& tree) {
    for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
      if (!tree.is_dense(i)) continue;
      for (const Ball& x : tree.values(i))
        if (wide::is_finite(x.value)) scale_[i] = std::max(scale_[i], magnitude(x));
    }
  }

  void compare_window() {
    std::size_t pairs = std::min(own_nodes_.size(), other_nodes_.size());
    for (std::size_t i = 0; i < pairs; ++i) compare_counts(own_nodes_[i], other_nodes_[i]);
    for (std::size_t i = 0; i < pairs; ++i) compare_slots(own_nodes_[i], other_nodes_[i]);
    note_scale(accumulated_.params);
    compare_trees("updates", updates_, reference_updates_);
    compare_trees("params", accumulated_.params, reference_.params);
    if (!semantics_.differences.empty()) {
      semantics_.verdict = Sameness::different;
      semantics_.reason.clear();
    }
  }

  void compare_counts(const StateNode<Ball>& own, const StateNode<Ball>& other) {
    for (const auto& [name, value] : own.state->counts) {
      auto match = std::ranges::find(other.state->counts, name, &std::pair<std::string, std::int64_t>::first);
      if (match == other.state->counts.end() || match->second == value) continue;
      Difference d{semantics_.windows,
                   accumulated_.microstep(),
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

  void compare_slots(const StateNode<Ball>& own, const StateNode<Ball>& other) {
    for (auto& [name, slot] : own.state->slots)
      for (auto& [other_name, other_slot] : other.state->slots)
        if (name == other_name) compare_trees(own.path + "/" + name, slot, other_slot);
  }

  void compare_trees(const std::string& path, const Tree<Ball>& own, const Tree<Ball>& other) {
    if (own.leaf_count() != other.leaf_count()) return;
    for (std::size_t i = 0; i < own.leaf_count(); ++i) compare_leaf(path + "/" + own.leaf(i).name, own, other, i);
  }

  void compare_leaf(const std::string& path, const Tree<Ball>& own, const Tree<Ball>& other, std::size_t i) {
    double scale = i < scale_.size() ? scale_[i] : 0.0;
    auto at = [](const Tree<Ball>& tree, std::size_t leaf, std::int64_t j) {
      return tree.is_dense(leaf) ? tree.values(leaf)[static_cast<std::size_t>(j)] : exactly(0);
    };
    bool differs = false;
    for (std::int64_t j = 0; j < own.leaf(i).size; ++j) {
      const Ball a = at(own, i, j), b = at(other, i, j);
      if (!overlap(a, b)) {
        if (!differs)
          semantics_.differences.push_back({semantics_.windows, accumulated_.microstep(), path, own.leaf(i).shape,
                                            own.leaf(i).dtype, j, false, a, b});
        differs = true;
        continue;
      }
      note_width(path, std::max(a.radius, b.radius), std::max({scale, magnitude(a), magnitude(b)}));
    }
  }

  void note_width(const std::string& path, double radius, double scale) {
    if (radius == 0) return;
    double width = scale > 0 && radius < infinite_radius ? radius / scale : infinite_radius;
    semantics_.widest = std::max(semantics_.widest, width);
    if (width <= undecidable_width || semantics_.verdict != Sameness::same) return;
    semantics_.verdict = Sameness::undecidable;
    semantics_.reason = fmt::format("window {}: the ball of {} is too wide: {}", semantics_.windows, path,
                                    "a clip, skip or overflow is not certain in the declared dtype");
  }

  void restart() {
    recentre(reference_.params);
    accumulated_.params = reference_.params;
    for (std::size_t i = 0; i < std::min(own_nodes_.size(), other_nodes_.size()); ++i)
      for (auto& [name, slot] : own_nodes_[i].state->slots)
        for (auto& [other_name, other_slot] : other_nodes_[i].state->slots)
          if (name == other_name) {
            recentre(other_slot);
            slot = other_slot;
          }
  }

  static void recentre(Tree<Ball>& tree) {
    for (std::size_t i = 0; i < tree.leaf_count(); ++i)
      if (tree.is_dense(i))
        for (Ball& x : tree.values(i)) x.radius = 0;
  }

  A arithmetic_;
  Training<A> accumulated_;
  const Plan& accumulated_plan_;
  const Plan& reference_plan_;
  Training<A> reference_;
  Tree<Ball> updates_, reference_updates_;
  std::vector<StateNode<Ball>> own_nodes_, other_nodes_;
  std::vector<double> scale_;
  Semantics semantics_;
};

}  // namespace

Semantics decide(const Pairing& pairing) {
  std::size_t other = pairing.reference_windows ? pairing.reference_windows->size() : pairing.reference.batches.size();
  if (pairing.windows.size() != other)
    throw Error("plan.windows",
                fmt::format("the accumulated run has {} windows, the reference {}", pairing.windows.size(), other), {},
                "make the reference with large_batch_of");
  Decision decision(pairing);
  try {
    return decision.over(pairing.windows, pairing.reference_windows);
  } catch (const Undecidable& reason) {
    return decision.undecidable(reason.what());
  }
}

}  // namespace microstep
