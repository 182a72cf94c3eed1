#pragma once
// A run over balls, a window at a time.
#include <vector>

#include "microstep/bound/semantics.hpp"
#include "microstep/train/run.hpp"

namespace microstep {

class WindowRun {
 public:
  using A = Balls<Wide>;
  WindowRun(const A& arithmetic, const Plan& plan, BallTransformation transformation);

  /// Microsteps up to and with `last`; `updates` is then the sum of theirs.
  void run_to(std::int64_t last);
  /// Where the last microbatches of a window that is flushed were skipped, it goes out in the plan's last microstep.
  void flush_open();
  void note_params_scale() { note(training.params, params_scale); }

  Training<A> training;
  Tree<Ball> updates;
  /// By leaf of the params: the largest finite magnitudes so far.
  std::vector<double> gradient_scale, params_scale;

 private:
  static void note(const Tree<Ball>& tree, std::vector<double>& scale);

  A arithmetic_;
  const Plan* plan_;
};

}  // namespace microstep
