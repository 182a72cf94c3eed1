// Why something moved in a microstep that holds back.
#include <algorithm>

#include "causes.hpp"
#include "clue.hpp"

namespace microstep {
namespace {

std::optional<std::size_t> column_of_leaf(const Reading& reading, std::string_view section, const Finding& finding) {
  const std::string path = path_of(reading, finding);
  return reading.rows().schema().find_column(std::string(section) + path.substr(path.find('/')));
}

/// The update, or minus it, is the gradient that came in.
bool is_own_gradient(const Reading& reading, const Finding& finding) {
  auto column = column_of_leaf(reading, "gradients", finding);
  if (!column) return false;
  Wide gradient = number_at(reading.rows(), finding.row, *column, finding.index).value;
  return gradient != 0 && (gradient == finding.observed.value || -gradient == finding.observed.value);
}

bool is_of_inner(std::string_view path) {
  if (!path.starts_with("state/")) return false;
  for (const char* own : {"/acc_grads/", "/acc_weight/", "/grad_acc/", "/mini_step", "/gradient_step"})
    if (path.find(own) != std::string_view::npos) return false;
  return true;
}

/// The inner has moved where it sleeps, or may have, out of sight.
bool may_be_awake(const Reading& reading) {
  if (first_awake(reading)) return true;
  if (!reading.hidden()) return false;
  const Schema &declared = *reading.declared(), &seen = reading.rows().schema();
  return std::ranges::any_of(
             declared.columns(),
             [&](const Column& column) { return is_of_inner(column.path) && !seen.find_column(column.path); }) ||
         std::ranges::any_of(declared.count_paths(),
                             [&](const std::string& path) { return is_of_inner(path) && !seen.find_count(path); });
}

bool declares_decay(const Spec& spec) { return find_op(spec, "add_decayed_weights") || find_op(spec, "adamw"); }

Causes causes_of_update(const Reading& reading, const Finding& finding) {
  Causes causes;
  add_cause(causes, is_own_gradient(reading, finding), "boundary");
  auto clue = clue_of(reading, finding);
  const bool decays = clue && is_multiple_of_params(*clue);
  add_cause(causes, decays, "decay-form");
  add_cause(causes, decays ? declares_decay(reading.plan().spec) : may_be_awake(reading), "micro-state");
  add_cause(causes, causes.empty(), "boundary");
  return causes;
}

}  // namespace

Causes causes_of_movement(const Reading& reading, const Finding& finding) {
  Causes causes;
  const bool skipped = reading.is_skipped(finding.row), finite = wide::is_finite(finding.observed.value);
  add_cause(causes, skipped || !finite, "nonfinite-skip");
  if (!skipped && !finite) return causes;
  const std::string path = path_of(reading, finding);
  if (!skipped && path.starts_with("updates/")) return causes_of_update(reading, finding);
  if (!skipped && path.starts_with("params/"))
    if (auto column = column_of_leaf(reading, "updates", finding))
      if (auto update = first_nonzero(reading.rows(), finding.row, *column)) return causes_of_update(reading, *update);
  add_cause(causes, may_be_awake(reading), "micro-state");
  add_cause(causes, !skipped && path.starts_with("params/"), "api-state");
  return causes;
}

}  // namespace microstep
