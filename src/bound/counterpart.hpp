#pragma once
// What an accumulated run is compared with, window by window, and what is known of the two.
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "microstep/bound/pairing.hpp"
#include "microstep/bound/semantics.hpp"
#include "window_run.hpp"

namespace microstep {

class Counterpart {
 public:
  using Nodes = std::vector<StateNode<Ball>>;
  Counterpart(const Balls<Wide>& arithmetic, const Pairing& pairing, WindowRun& accumulated);

  bool is_live() const { return semantics_.verdict == Sameness::same; }
  void begin_window() { ++semantics_.windows; }
  /// Runs window i, which the accumulated run has just done, and compares.
  void judge_window(std::int64_t i, bool is_last);
  void set_undecidable(const std::string& reason);
  /// Both go on from this run's centres.
  void give_centres();
  /// Both go on from the accumulated run's centres.
  void take_centres();
  Semantics take() { return std::move(semantics_); }

 private:
  // The parts of a path are joined where something is to be said of it.
  using Path = std::array<std::string_view, 3>;
  // Whose magnitudes a width is a share of.
  enum class Scale { gradients, params };

  void note_unpaired_slots(const State<Ball>& own, const State<Ball>& other, const std::string& path);
  void note_unpaired();
  void compare_window();
  void compare_counts(const StateNode<Ball>& own, const StateNode<Ball>& other);
  void compare_trees(const Path& path, const Tree<Ball>& own, const Tree<Ball>& other, Scale scale);
  double scale_of(std::size_t leaf, Scale scale) const;
  void compare_leaf(const Path& path, const Tree<Ball>& own, const Tree<Ball>& other, std::size_t i, double scale);
  void note_width(const Path& path, const Leaf& leaf, double radius, double scale);

  std::optional<Windows> windows_;
  WindowRun& accumulated_;
  WindowRun run_;
  Nodes own_nodes_, other_nodes_;
  Semantics semantics_;
};

}  // namespace microstep
