#pragma once
// What is measured: a piece of work, by itself or against a peer that does the same by hand.
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace microstep::bench {

/// prepare is not timed and may be empty.
struct Work {
  std::string name;
  std::function<void()> prepare;
  std::function<void()> run;
};

enum class Figure {
  /// Time of the subject over the peer's, at most the limit.
  ratio,
  /// Runs of the subject a second of one core, at least the limit.
  rate,
  /// Milliseconds on the clock on the wall, at most the limit.
  milliseconds,
};

/// limit: none for what is only shown. calls: runs of the subject in one sample.
struct Case {
  std::string name;
  Figure figure;
  std::optional<double> limit;
  Work subject;
  std::optional<Work> peer = std::nullopt;
  int calls = 1;
};

/// One property experiment, and its decision over balls.
std::vector<Case> experiment_cases();
/// A window of four microsteps on four million params against hand-fused loops.
std::vector<Case> window_cases();
/// Value and gradient of a small network against Eigen code.
std::vector<Case> network_cases();
/// One-step balls against plain steps.
std::vector<Case> bound_cases();
/// The command line, from the start of the process to its end.
std::vector<Case> start_cases();

}  // namespace microstep::bench
