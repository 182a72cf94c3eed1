#pragma once
// Samples of a case, taken in turns, and what they say of its limit.
#include "case.hpp"

namespace microstep::bench {

/// figure: the median over all rounds; best: the better quartile, so that a limit is only called missed beyond the
/// noise of the machine.
struct Line {
  std::string name;
  Figure unit;
  double figure;
  double best;
  std::optional<double> limit;

  bool meets(double value) const;
  bool met() const { return meets(figure); }
  bool missed_beyond_noise() const { return !meets(best); }
};

/// Rounds in which every case is sampled once, each subject directly before its peer or after it, in turns.
std::vector<Line> measure(const std::vector<Case>& cases, int rounds);

/// name, figure, limit, met.
std::string table(const std::vector<Line>& lines);

}  // namespace microstep::bench
