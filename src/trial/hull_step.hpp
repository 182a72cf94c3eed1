#pragma once
// One large-batch step from both runs' recorded params and state, on anything between both gradients: what it gives
// must hold what both runs recorded.
#include <optional>
#include <string>

#include "paired_paths.hpp"
#include "window_gradients.hpp"

namespace microstep {

/// Two recorded runs; windows are those of the accumulated one, row w of the other is window w.
struct TwoRuns {
  const Plan& plan;
  const Trace& trace;
  const Plan& other_plan;
  const Trace& other;
  const Windows& windows;
  const PairedPaths& paths;

  /// The row of the accumulated run behind so many windows.
  std::int64_t own_row(std::int64_t window) const {
    return window == 0 ? 0 : windows[static_cast<std::size_t>(window) - 1].back() + 1;
  }
};

/// The first paired number, or count, in which both runs differ after so many windows; none for none. params: of params
/// only.
std::optional<Difference> first_difference(const TwoRuns& runs, std::int64_t window, bool params = false);

struct HullSteps {
  /// The first number of either run outside of the hull's step: the other number is what is due.
  std::optional<Difference> outside;
  /// Why nothing is shown of a window: its number, and where its hull is as wide as the leaf.
  std::int64_t wide_window = 0;
  std::string wide_path;
};
HullSteps hull_steps(const TwoRuns& runs, const WindowGradients& gradients);

}  // namespace microstep
