#pragma once
// Plans written by hand, and numbers read from traces by path.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "microstep/train/run.hpp"
#include "microstep/train/setup.hpp"

namespace microstep::testing_train {

using Numbers = std::vector<double>;

/// One given gradient a number, one leaf w [1] from 0, a batch a number unless batches are given.
inline Plan replay_of(std::string_view spec, const Numbers& gradients,
                      std::vector<std::vector<std::int64_t>> batches = {}, const Numbers& weights = {},
                      Dtype dtype = Dtype::float64) {
  Plan plan;
  plan.spec = parse_spec(spec);
  plan.problem = parse_spec("replay", OpKind::problem);
  plan.gradient_layout = make_layout({{"w", {1}, dtype}});
  plan.params = filled(plan.gradient_layout, 0.0);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    plan.given.push_back({filled(plan.gradient_layout, gradients[i]), weights.empty() ? 1 : weights[i]});
    if (batches.empty()) plan.batches.push_back({static_cast<std::int64_t>(i)});
  }
  if (!batches.empty()) plan.batches = std::move(batches);
  check(plan);
  return plan;
}

inline Plan plan_of(std::string_view spec, std::string_view problem, const PlanOptions& options = {}) {
  return make_plan(parse_spec(spec), parse_spec(problem, OpKind::problem), options);
}

inline double number(double x) { return x; }
inline double number(const Ball& x) { return static_cast<double>(x.value); }

/// The numbers of a column in a row; zeros where the leaf is zero, nothing where it is absent.
template <class N>
Numbers at(const Rows<N>& rows, std::int64_t row, std::string_view path) {
  const std::size_t column = rows.schema().find_column(path).value();
  if (rows.presence(row, column) == Presence::absent) return {};
  Numbers result;
  for (const N& x : rows.numbers(row, column))
    result.push_back(rows.presence(row, column) == Presence::zero ? 0.0 : number(x));
  return result;
}

/// One number of column path from row 1 on.
template <class N>
Numbers history(const Rows<N>& rows, std::string_view path) {
  Numbers all;
  for (std::int64_t row = 1; row < rows.rows(); ++row)
    for (double x : at(rows, row, path)) all.push_back(x);
  return all;
}

inline std::vector<std::int64_t> counts(const Trace& rows, std::string_view path) {
  std::vector<std::int64_t> all;
  for (std::int64_t row = 0; row < rows.rows(); ++row)
    all.push_back(rows.count(row, rows.schema().find_count(path).value()));
  return all;
}

/// The id of the Error that an action throws; empty if none.
template <class Action>
std::string refused(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.id();
  }
  return {};
}

}  // namespace microstep::testing_train
