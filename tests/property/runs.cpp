#include "property/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "microstep/trial/evidence.hpp"

namespace microstep::property {
namespace {

std::map<std::string, std::size_t> columns_of(const Part& part) {
  std::map<std::string, std::size_t> columns;
  const auto& all = part.trace.schema().columns();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].path.starts_with(part.prefix)) columns[all[i].path.substr(part.prefix.size())] = i;
  return columns;
}

std::map<std::string, std::size_t> counts_of(const Part& part) {
  std::map<std::string, std::size_t> counts;
  const auto& all = part.trace.schema().count_paths();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].starts_with(part.prefix)) counts[all[i].substr(part.prefix.size())] = i;
  return counts;
}

template <class Map>
bool same_keys(const Map& a, const Map& b) {
  return std::ranges::equal(
      a, b, {}, [](const auto& pair) { return pair.first; }, [](const auto& pair) { return pair.first; });
}

bool equal_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

double at(const Trace& trace, std::int64_t row, std::size_t column, std::size_t j) {
  return trace.presence(row, column) == Presence::zero ? 0.0 : trace.numbers(row, column)[j];
}

std::optional<std::string> column_difference(const Trace& a, std::int64_t row, std::size_t column, const Trace& b,
                                             std::int64_t other_row, std::size_t other) {
  const std::string& path = a.schema().columns()[column].path;
  const bool absent = a.presence(row, column) == Presence::absent;
  if (absent != (b.presence(other_row, other) == Presence::absent))
    return fmt::format("{} is absent on one side only, row {}", path, row);
  for (std::size_t j = 0; !absent && j < a.numbers(row, column).size(); ++j) {
    const double x = at(a, row, column, j), y = at(b, other_row, other, j);
    if (!equal_bits(x, y)) return fmt::format("row {}, {}[{}]: {} against {}", row, path, j, x, y);
  }
  return std::nullopt;
}

}  // namespace

PlanLimits anywhere() {
  PlanLimits limits;
  limits.spec.accumulators = Accumulators::anywhere;
  limits.mixed_dtypes = true;
  limits.ragged = true;
  limits.absent = 0.15;
  limits.frozen = 0.05;
  limits.special = {0.02, 0.02, 0.02, 0.01, 0.005, 0.005};
  return limits;
}

Trace float_run(const Plan& plan) { return std::get<Trace>(own_run(plan)); }

std::optional<std::string> row_difference(const Part& a, std::int64_t row, const Part& b, std::int64_t other_row) {
  const auto columns = columns_of(a), other_columns = columns_of(b), counts = counts_of(a), other_counts = counts_of(b);
  if (!same_keys(columns, other_columns) || !same_keys(counts, other_counts))
    return fmt::format("'{}' and '{}' have other keys", a.prefix, b.prefix);
  for (const auto& [key, index] : counts) {
    const std::int64_t x = a.trace.count(row, index), y = b.trace.count(other_row, other_counts.at(key));
    if (x != y) return fmt::format("row {}, {}: {} against {}", row, key, x, y);
  }
  for (const auto& [key, index] : columns)
    if (auto found = column_difference(a.trace, row, index, b.trace, other_row, other_columns.at(key))) return found;
  return std::nullopt;
}

std::optional<std::string> trace_difference(const Trace& a, const Trace& b) {
  if (a.schema() != b.schema()) return "the schemas differ";
  if (a.rows() != b.rows()) return "the lengths differ";
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    if (auto found = row_difference({a, ""}, row, {b, ""}, row)) return found;
    for (std::size_t i = 0; i < a.schema().columns().size(); ++i)
      if (a.presence(row, i) != b.presence(row, i))
        return fmt::format("row {}, {}: another presence", row, a.schema().columns()[i].path);
  }
  return std::nullopt;
}

std::optional<std::string> tree_difference(const std::string& path, const Tree<double>& a, const Tree<double>& b) {
  for (std::size_t i = 0; i < a.leaf_count(); ++i) {
    if (a.presence(i) != b.presence(i)) return path + "/" + a.leaf(i).name + ": another presence";
    if (!a.is_dense(i)) continue;
    const auto x = a.values(i), y = b.values(i);
    for (std::size_t j = 0; j < x.size(); ++j)
      if (x[j] != y[j] && (x[j] == x[j] || y[j] == y[j])) return path + "/" + a.leaf(i).name;
  }
  return std::nullopt;
}

std::optional<std::string> state_difference(const std::string& path, const State<double>& a, const State<double>& b) {
  if (a.counts != b.counts) return path + ": other counts";
  for (std::size_t i = 0; i < a.slots.size(); ++i)
    if (auto found = tree_difference(path + "/" + a.slots[i].first, a.slots[i].second, b.slots[i].second)) return found;
  for (std::size_t i = 0; i < a.of.size(); ++i)
    if (auto found = state_difference(path + "/of", a.of[i], b.of[i])) return found;
  return std::nullopt;
}

Windows each_microstep(const Plan& plan) {
  Windows result;
  for (std::int64_t t = 0; t < std::ssize(plan.batches); ++t) result.push_back({t});
  return result;
}

Plan with_spec(Plan plan, Spec spec) {
  plan.spec = std::move(spec);
  return plan;
}

Plan with_microsteps(const Plan& plan, const std::vector<std::int64_t>& microsteps) {
  Plan result = plan;
  result.batches.clear();
  for (std::int64_t t : microsteps) result.batches.push_back(plan.batches[static_cast<std::size_t>(t)]);
  return result;
}

Spec accumulated(const Spec& inner, std::int64_t k) { return checked(Spec{"multi_steps", {{"k", Value(k)}}, {inner}}); }

bool mentions(const Spec& spec, std::string_view op) {
  return spec.op == op || std::ranges::any_of(spec.of, [&](const Spec& inner) { return mentions(inner, op); });
}

}  // namespace microstep::property
