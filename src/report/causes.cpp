#include <algorithm>

#include "microstep/report/compare.hpp"

namespace microstep {

std::span<const Cause> known_causes() {
  static constexpr Cause table[] = {
      {"sum-mean", "the sum of the window's gradients is used where the large batch has their mean"},
      {"token-weight", "each microbatch counts the same, whatever its number of examples"},
      {"micro-state", "the inner optimizer's state moves in each microstep, not once a window"},
      {"clip-place", "gradients are clipped per microstep, not once on the window's gradient"},
      {"decay-form", "weight decay enters at another place or another number of times"},
      {"time-index", "a counter that drives bias correction stands elsewhere"},
      {"schedule-count", "a schedule is read once a microstep, not once a window"},
      {"partial-window", "the short last window is not divided by its own length"},
      {"mask-bypass",
       "leaves outside of the mask around an accumulator bypass it: each gradient that comes there updates them"},
      {"boundary", "windows begin or end at other microsteps"},
      {"nonfinite-skip", "a microbatch that is not finite is treated otherwise"},
      {"absent", "a leaf or count comes or goes, or one that is absent is treated otherwise"},
      {"shape", "a leaf has another shape than declared"},
      {"empty", "an empty leaf or gradient is not treated as one"},
      {"eps", "eps stands inside of the root, or is scaled by the bias correction"},
      {"tied", "a leaf that is used twice is counted otherwise"},
      {"sign", "a term enters with the other sign"},
      {"api-state", "what a step gives is not handed on to the next one, or is kept elsewhere"},
      {"persist", "a restored run goes on otherwise"},
      {"backend-split", "a number is not finite where it ought to be, or is computed and not kept"},
      {"dtype", "a number is kept in another dtype than declared"},
      {"formula", "the update rule or its hyper-parameters are other ones"},
  };
  return table;
}

std::string cause_in_words(const std::string& cause) {
  auto found = std::ranges::find(known_causes(), cause, &Cause::id);
  return found == known_causes().end() ? cause : std::string(found->sentence);
}

}  // namespace microstep
