#pragma once
// Float runs of our engine, and where two of them differ in a bit (-0 and +0 do, two NaN do not).
#include <optional>
#include <string>

#include "microstep/bound/semantics.hpp"
#include "microstep/data/plan.hpp"
#include "microstep/data/state.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/draw/plans.hpp"

namespace microstep::property {

Trace float_run(const Plan& plan);
/// Accumulators anywhere, mixed dtypes, ragged microbatches, absent leaves and special values.
PlanLimits anywhere();

/// The columns and counts of a run that begin with prefix, by what follows it.
struct Part {
  const Trace& trace;
  std::string prefix;
};
/// The first difference between two rows; columns and counts that only one part has are one. A zero leaf is a leaf of
/// zeros, an absent one is neither.
std::optional<std::string> row_difference(const Part& a, std::int64_t row, const Part& b, std::int64_t other_row);
/// All rows and columns, presence too.
std::optional<std::string> trace_difference(const Trace& a, const Trace& b);

/// Where two trees or states differ in a number, a presence or a count; two NaN do not.
std::optional<std::string> tree_difference(const std::string& path, const Tree<double>& a, const Tree<double>& b);
std::optional<std::string> state_difference(const std::string& path, const State<double>& a, const State<double>& b);

/// Every microstep a window.
Windows each_microstep(const Plan& plan);
/// The plan with another spec.
Plan with_spec(Plan plan, Spec spec);
/// The plan with only those microsteps.
Plan with_microsteps(const Plan& plan, const std::vector<std::int64_t>& microsteps);
/// multi_steps around a spec.
Spec accumulated(const Spec& inner, std::int64_t k);
/// True if some op of the spec is that one.
bool mentions(const Spec& spec, std::string_view op);

}  // namespace microstep::property
