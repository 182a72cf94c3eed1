#include "leaf_rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "microstep/bound/transition.hpp"
#include "microstep/trial/check.hpp"

namespace microstep {
namespace {

// One trace beside the balls of its steps.
struct Stepped {
  const Trace& trace;
  Envelope balls;

  /// Infinite where nothing is known of the number.
  double share(std::int64_t row, std::size_t column, std::size_t index) const {
    auto own = balls.schema().find_column(trace.schema().columns()[column].path);
    if (!own || row >= balls.rows() || balls.numbers(row, *own).size() <= index) return infinite_radius;
    const bool dense = balls.presence(row, *own) == Presence::dense;
    const Ball ball = dense ? balls.numbers(row, *own)[index] : exactly(0);
    if (ball.radius == infinite_radius) return infinite_radius;
    return share_of_radius(ball, trace.numbers(row, column)[index]);
  }
};

std::optional<Stepped> stepped(const Plan& plan, const Trace& trace) {
  try {
    return Stepped{trace, transitions(plan, embedded(trace), rounding_of(plan))};
  } catch (const Undecidable&) {
    return std::nullopt;
  } catch (const Error& error) {
    if (!error.id().starts_with("trace.")) throw;
    return std::nullopt;
  }
}

// Bits decide, but for the sign of a zero and the payload of a NaN.
bool are_same(double a, double b) { return a == b || (a != a && b != b); }

bool any_differs(const Trace& own, const Trace& other) {
  bool differs = false;
  each_number(own, other, "", [&](std::int64_t row, std::size_t a, std::size_t b, std::size_t i) {
    differs = differs || !are_same(own.numbers(row, a)[i], other.numbers(row, b)[i]);
  });
  return differs;
}

void add_leaves(const std::string& id, Role role, const Stepped& before, const Stepped& after,
                std::vector<LeafRounding>& leaves) {
  std::map<std::size_t, LeafRounding> found;
  each_number(before.trace, after.trace, "", [&](std::int64_t row, std::size_t a, std::size_t b, std::size_t i) {
    const Column& column = before.trace.schema().columns()[a];
    if (are_same(before.trace.numbers(row, a)[i], after.trace.numbers(row, b)[i]) || column.path == "loss") return;
    LeafRounding& leaf = found.try_emplace(a, LeafRounding{id, role, column.path, 0, 0, {}}).first->second;
    const double share = std::max(before.share(row, a, i), after.share(row, b, i));
    if (leaf.numbers++ == 0 || share > leaf.share)
      leaf.place =
          fmt::format("microstep {}, {}{}", row, column.path, index_text(column.shape, static_cast<std::int64_t>(i)));
    leaf.share = std::max(leaf.share, share);
  });
  for (auto& [column, leaf] : found) leaves.push_back(std::move(leaf));
}

}  // namespace

void each_number(const Trace& own, const Trace& other, std::string_view prefix,
                 const std::function<void(std::int64_t, std::size_t, std::size_t, std::size_t)>& visit) {
  for (std::size_t c = 0; c < own.schema().columns().size(); ++c) {
    const Column& column = own.schema().columns()[c];
    auto beside = other.schema().find_column(column.path);
    if (!column.path.starts_with(prefix) || !beside || other.schema().columns()[*beside].size != column.size) continue;
    for (std::int64_t row = 0; row < std::min(own.rows(), other.rows()); ++row) {
      if (own.presence(row, c) != Presence::dense || other.presence(row, *beside) != Presence::dense) continue;
      for (std::size_t j = 0; j < static_cast<std::size_t>(column.size); ++j) visit(row, c, *beside, j);
    }
  }
}

std::vector<LeafRounding> rounded_leaves(const Golden& before, const Golden& after) {
  std::vector<LeafRounding> leaves;
  const Experiment judged = under_behaviours({before.id, before.plans}, before.expected.behaviours);
  for (const auto& [role, trace] : before.traces) {
    const auto other = after.traces.find(role);
    const auto plan = judged.plans.find(role);
    if (other == after.traces.end() || plan == judged.plans.end() || !any_differs(trace, other->second)) continue;
    const auto was = stepped(plan->second, trace), is = stepped(plan->second, other->second);
    if (was && is) add_leaves(before.id, role, *was, *is, leaves);
  }
  return leaves;
}

}  // namespace microstep
