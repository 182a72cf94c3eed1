#pragma once
// One experiment against what was derived for it: are the traces faithful, are the right contracts broken, are the
// plans the same or not as expected?
#include <map>
#include <string>
#include <vector>

#include "microstep/data/producer.hpp"
#include "microstep/data/semantics.hpp"
#include "microstep/judge/faithful.hpp"
#include "microstep/judge/verdict.hpp"

namespace microstep {

struct Expectation {
  Sameness plans = Sameness::same;
  /// Contracts that must be broken; every other must hold or not apply.
  std::vector<std::string> broken;
  /// Named behaviours of the library that made the traces, under which they are judged.
  std::vector<std::string> behaviours;
};

struct CheckedExperiment {
  std::string id;
  /// Empty: all as expected. One sentence each.
  std::vector<std::string> problems;
  std::map<Role, Faithfulness> faithful;
  std::vector<Verdict> contracts;
  Sameness plans = Sameness::same;
  std::map<Role, std::string> skipped;
  std::map<Role, std::string> errored;
  double largest_share = 0;
  std::string largest_path;
};

using TraceOfRole = std::function<Answer(Role, const Plan&)>;

CheckedExperiment check_experiment(const Experiment& experiment, const Expectation& expectation,
                                   const TraceOfRole& traces);

/// The experiment's plans with the behaviours written into their specs.
Experiment under_behaviours(const Experiment& experiment, const std::vector<std::string>& behaviours);

/// The shortest list of behaviours, in the order of the table, under which all traces are faithful; nothing if there is
/// none. The empty list: the definition itself.
std::optional<std::vector<std::string>> explaining_behaviours(const Experiment& experiment, const TraceOfRole& traces);

}  // namespace microstep
