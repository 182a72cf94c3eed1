#pragma once
// One experiment against what was derived for it: are the traces faithful, are the right contracts broken, are the
// plans the same or not as expected?
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "microstep/data/semantics.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/judge/rounding.hpp"
#include "microstep/judge/verdict.hpp"

namespace microstep {

// What a library does differently from the definition, by name: each is a policy of the spec, so that its traces can be
// judged as closely as any other.
struct Behaviour {
  std::string_view id;
  std::string_view statement;
  std::string_view source;
  /// The spec with the policy written out; the same spec where it does not concern it.
  Spec (*apply)(const Spec&);
};

std::span<const Behaviour> behaviours();
/// All of the named ones applied. Throws behaviour.unknown.
Spec with_behaviours(Spec spec, std::span<const std::string> ids);

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

/// What the numbers of all its traces are; none where no trace was judged.
std::optional<Rounding> rounding_in(const CheckedExperiment& checked);

/// What a trace was run on other than its plan: another number of microsteps, or, in replay, other gradients.
std::optional<std::string> other_than_given(const Plan& plan, const Trace& trace);

using TraceOfRole = std::function<Answer(Role, const Plan&)>;

CheckedExperiment check_experiment(const Experiment& experiment, const Expectation& expectation,
                                   const TraceOfRole& traces);

/// The experiment's plans with the behaviours written into their specs.
Experiment under_behaviours(const Experiment& experiment, const std::vector<std::string>& behaviours);

/// The shortest list of behaviours, in the order of the table, under which all traces are faithful; nothing if there is
/// none. The empty list: the definition itself.
std::optional<std::vector<std::string>> explaining_behaviours(const Experiment& experiment, const TraceOfRole& traces);

}  // namespace microstep
