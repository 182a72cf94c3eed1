// The counters of every accumulator, followed from the plan without any numbers.
#include <algorithm>

#include "reading.hpp"

namespace microstep {
namespace {

bool holds_accumulator(const Spec& spec) {
  return spec.op == "multi_steps" || spec.op == "apply_every" || std::ranges::any_of(spec.of, holds_accumulator);
}

class Follower {
 public:
  Follower(const Plan& plan, const Evidence& evidence, std::vector<Node>& nodes)
      : plan_(plan), evidence_(evidence), nodes_(nodes) {}

  /// True if an update comes out of the whole spec in microstep t.
  bool step(std::size_t t) {
    for (Node& node : nodes_)
      if (node.accumulates()) carry_on(node);
    last_ = t + 1 == plan_.batches.size();
    entering_ = t;
    next_ = 0;
    return advance();
  }

 private:
  static void carry_on(Node& node) {
    Beat beat = node.beats.back();
    beat.emits = beat.opens = false;
    node.beats.push_back(beat);
  }

  /// Walks the nodes in pre-order; `next_` is the one whose turn it is.
  bool advance() {
    Node& node = nodes_[next_++];
    if (node.is_multi_steps()) return advance_multi_steps(node);
    if (node.accumulates()) return advance_apply_every(node);
    bool emits = true;
    for (const Spec& inner : node.spec->of) {
      bool decides = holds_accumulator(inner);
      bool out = advance();
      if (decides) emits = out;
    }
    return emits;
  }

  bool advance_multi_steps(Node& node) {
    bool emits = accumulate(node, node.beats.back());
    if (emits) return advance();
    pass_over(node.spec->of[0]);
    return false;
  }

  void pass_over(const Spec& spec) {
    ++next_;
    for (const Spec& inner : spec.of) pass_over(inner);
  }

  /// What it is given with `entering_` as its newest microstep.
  bool is_left_out_by(const Node& node) const {
    const auto& skipped = evidence_.skipped_microsteps;
    if (entering_ >= skipped.size() || !skipped[entering_]) return false;
    const auto place = skipper_of(evidence_, entering_, nodes_);
    return place && &nodes_[*place] == &node;
  }

  bool accumulate(Node& node, Beat& beat) {
    const Spec& spec = *node.spec;
    bool leaves_out = is_left_out_by(node);
    bool by_window = leaves_out && spec.text("skip") == "window_not_finite";
    const std::string& partial = spec.text("partial");
    const bool flushes = last_ && partial.starts_with("flush");
    if (leaves_out && !by_window && last_ && partial == "drop") {
      beat.mini_step = 0;
      beat.empty = true;
    }
    if (leaves_out && !by_window && !(flushes && beat.mini_step > 0)) return false;
    auto k = static_cast<std::int64_t>(schedule_value(spec.args.at("k"), beat.gradient_step));
    if (!leaves_out || by_window) beat.newest = entering_;
    beat.opens = beat.mini_step == 0;
    ++beat.mini_step;
    bool ends = beat.mini_step >= k || flushes;
    bool drops = last_ && partial == "drop" && !ends;
    if (ends || drops) beat.mini_step = 0;
    beat.empty = beat.mini_step == 0;
    beat.emits = ends && !by_window;
    if (beat.emits) ++beat.gradient_step;
    if (beat.emits) entering_ = beat.newest;
    return beat.emits;
  }

  static bool advance_apply_every(Node& node) {
    Beat& beat = node.beats.back();
    std::int64_t k = node.spec->integer("k");
    beat.opens = beat.mini_step == 0;
    beat.mini_step = (beat.mini_step + 1) % k;
    beat.empty = beat.mini_step == 0;
    beat.emits = beat.empty;
    if (beat.emits) ++beat.gradient_step;
    return beat.emits;
  }

  const Plan& plan_;
  const Evidence& evidence_;
  std::vector<Node>& nodes_;
  std::size_t next_ = 0, entering_ = 0;
  bool last_ = false;
};

}  // namespace

std::optional<std::size_t> skipper_of(const Evidence& evidence, std::size_t t, const std::vector<Node>& nodes) {
  const auto& by = evidence.skipped_by;
  std::size_t passed = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (by.empty() && nodes[i].may_skip()) return i;
    if (!by.empty() && nodes[i].is_multi_steps() && t < by.size() && passed++ == by[t]) return i;
  }
  return std::nullopt;
}

std::vector<bool> follow_beats(const Plan& plan, const Evidence& evidence, std::int64_t rows,
                               std::vector<Node>& nodes) {
  for (Node& node : nodes) {
    if (!node.accumulates()) continue;
    node.beats.reserve(static_cast<std::size_t>(rows));
    node.beats.emplace_back();
  }
  Follower follower(plan, evidence, nodes);
  std::vector<bool> emits{false};
  for (std::int64_t row = 1; row < rows; ++row) emits.push_back(follower.step(static_cast<std::size_t>(row - 1)));
  return emits;
}

}  // namespace microstep
