#include "clue.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace microstep {
namespace {

Numbers numbers_of(const Envelope& rows, std::int64_t row, std::size_t column) {
  Numbers numbers;
  for (std::int64_t i = 0; i < rows.schema().columns()[column].size; ++i)
    numbers.push_back(static_cast<double>(number_at(rows, row, column, i).value));
  return numbers;
}

double weight_of(const Plan& plan, std::int64_t row) {
  const auto& batch = plan.batches[static_cast<std::size_t>(row - 1)];
  if (plan.problem.op != "replay") return static_cast<double>(batch.size());
  double weight = 0;
  for (std::int64_t index : batch) weight += plan.given[static_cast<std::size_t>(index)].weight;
  return weight;
}

}  // namespace

bool Clue::is_accumulator() const {
  return path().find("/acc_grads/") != std::string::npos || path().find("/grad_acc/") != std::string::npos;
}

const Node* Clue::node(std::string_view op) const {
  const Node* first = nullptr;
  for (const Node& node : reading.nodes()) {
    if (!node.spec->op.starts_with(op)) continue;
    if (!first) first = &node;
    for (std::size_t own : node.columns)
      if (reading.rows().schema().columns()[own].path.ends_with("/" + leaf) &&
          reading.rows().presence(row, own) != Presence::absent)
        return &node;
  }
  return first;
}

const Node* Clue::adam() const {
  const Node* own = node("adam");
  return own ? own : node("scale_by_adam");
}

// In pre-order what an accumulator feeds comes after it.
bool Clue::is_behind_adam() const {
  if (path().starts_with("state/") || !adam()) return false;
  for (const char* op : {"multi_steps", "apply_every"})
    if (const Node* accumulator = node(op); accumulator && accumulator < adam()) return true;
  return false;
}

std::optional<Numbers> Clue::slot(std::string_view name, std::int64_t at_row) const {
  const auto& columns = reading.rows().schema().columns();
  const std::string ending = "/" + std::string(name) + "/" + leaf;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].path.ends_with(ending) && reading.rows().presence(at_row, i) != Presence::absent)
      return numbers_of(reading.rows(), at_row, i);
  return std::nullopt;
}

Taken taken_in(const Clue& clue, std::int64_t first, std::int64_t end) {
  Taken taken;
  const Reading& reading = clue.reading;
  auto column = reading.rows().schema().find_column("gradients/" + clue.leaf);
  if (!column || reading.rows().schema().columns()[*column].size != static_cast<std::int64_t>(clue.observed.size()))
    return taken;
  for (std::int64_t row = first; row < end; ++row) {
    if (reading.is_skipped(row) || row < 1 || row > static_cast<std::int64_t>(reading.plan().batches.size())) continue;
    taken.gradients.push_back(numbers_of(reading.rows(), row, *column));
    taken.weights.push_back(weight_of(reading.plan(), row));
  }
  return taken;
}

std::optional<Clue> clue_of(const Reading& reading, const Finding& finding) {
  if (finding.is_count || finding.role != Role::accumulated || finding.row < 1) return std::nullopt;
  auto mirror = reading.expected_column(finding.where);
  if (!mirror || finding.row >= reading.expected()->rows()) return std::nullopt;
  const Envelope& rows = reading.rows();
  const std::string& path = rows.schema().columns()[finding.where].path;
  Clue clue{reading, finding.row, finding.where, path.substr(path.rfind('/') + 1), 0, {}, {}, {}, {}, {}, {}, {}, {}};
  for (const Column& column : rows.schema().columns())
    clue.unit = std::max(clue.unit, facts(column.dtype).unit_roundoff);
  clue.observed = numbers_of(rows, finding.row, finding.where);
  clue.expected = numbers_of(*reading.expected(), finding.row, *mirror);
  clue.before = numbers_of(rows, finding.row - 1, finding.where);
  for (std::size_t i = 0; i < clue.observed.size(); ++i) {
    auto index = static_cast<std::int64_t>(i);
    Ball seen = number_at(rows, finding.row, finding.where, index);
    Ball due = number_at(*reading.expected(), finding.row, *mirror, index);
    clue.outside.push_back(!overlap(seen, due));
    clue.radius.push_back(seen.radius + due.radius);
  }
  for (std::size_t i = 0; i < reading.params().size(); ++i)
    if (rows.schema().columns()[reading.params()[i]].path == "params/" + clue.leaf) {
      clue.leaf_index = i;
      clue.params = numbers_of(rows, finding.row - 1, reading.params()[i]);
    }
  Taken window = taken_in(clue, reading.first_row_of_window(clue.row), clue.row + 1);
  clue.gradients = std::move(window.gradients);
  clue.weights = std::move(window.weights);
  return clue;
}

std::optional<Clue> next_of(const Clue& clue) {
  const Reading& reading = clue.reading;
  std::int64_t row = clue.row + 1;
  while (row < reading.rows().rows() && !reading.emits(row)) ++row;
  if (row == reading.rows().rows()) return std::nullopt;
  auto found = BallCheck(reading).first_outside(row, clue.column);
  return found ? clue_of(reading, *found) : std::nullopt;
}

// The claimed ball holds the roundings of what was due; those of a number that is larger are larger by as much. Where
// what was due is exact, the hypothesis need not be: each operation of its formula rounds once in the run's dtype and
// once here, in double: a product and a sum a gradient, and behind them at most those of Adam's step, with two
// corrections (quotients count twice), root, eps, quotient, learning rate, decay, sum and store.
double room_of(const Clue& clue, std::size_t index, double hypothesis, double more) {
  constexpr double behind_the_sum = 2 * 3 + 10;
  const double operations = 2 * static_cast<double>(clue.gradients.size()) + behind_the_sum + more;
  const double due = std::fabs(clue.expected[index]), own = std::fabs(hypothesis);
  const double size = std::max({due, own, std::fabs(clue.before[index])});
  return clue.radius[index] * (own > due && due > 0 ? own / due : 1) +
         operations * (clue.unit + facts(Dtype::float64).unit_roundoff) * size;
}

bool explains(const Clue& clue, const Numbers& hypothesis, double more) {
  if (hypothesis.size() != clue.observed.size()) return false;
  for (std::size_t i = 0; i < hypothesis.size(); ++i)
    if (!std::isfinite(hypothesis[i]) ||
        !(std::fabs(hypothesis[i] - clue.observed[i]) <= room_of(clue, i, hypothesis[i], more)))
      return false;
  return true;
}

bool explains_factor(const Clue& clue, double factor) {
  Numbers hypothesis;
  for (double e : clue.expected) hypothesis.push_back(factor * e);
  return explains(clue, hypothesis);
}

std::optional<Factor> common_factor(const Clue& clue) {
  Factor factor{1, 0};
  double largest = 0;
  for (std::size_t i = 0; i < clue.expected.size(); ++i) {
    if (!(std::fabs(clue.expected[i]) > largest)) continue;
    largest = std::fabs(clue.expected[i]);
    factor.value = clue.observed[i] / clue.expected[i];
    factor.room = room_of(clue, i, clue.observed[i]) / largest;
  }
  return explains_factor(clue, factor.value) ? std::optional(factor) : std::nullopt;
}

bool is_constant_factor(const Clue& clue) {
  auto next = next_of(clue);
  auto one = common_factor(clue), other = next ? common_factor(*next) : std::nullopt;
  return one && other && std::fabs(one->value - other->value) <= one->room + other->room;
}

const Spec* find_op(const Spec& spec, std::string_view prefix) {
  if (spec.op.starts_with(prefix)) return &spec;
  for (const Spec& inner : spec.of)
    if (const Spec* found = find_op(inner, prefix)) return found;
  return nullptr;
}

void tell(Tellings& tellings, bool applies, const char* cause, std::string hypothesis) {
  if (applies) tellings.push_back({cause, std::move(hypothesis)});
}

Tellings consistent(const Clue& clue, Tellings (*tellings_of)(const Clue& clue)) {
  Tellings tellings = tellings_of(clue);
  auto keep_those_of = [&](const Clue& other) {
    if (std::ranges::find(other.expected, 0.0) != other.expected.end()) return;
    const Tellings others = tellings_of(other);
    std::erase_if(tellings, [&](const Telling& own) { return std::ranges::find(others, own) == others.end(); });
  };
  const auto& columns = clue.reading.rows().schema().columns();
  const std::string section = clue.path().substr(0, clue.path().size() - clue.leaf.size());
  for (std::size_t i = 0; i < columns.size() && !tellings.empty(); ++i) {
    if (i == clue.column || !columns[i].path.starts_with(section)) continue;
    if (columns[i].path.find('/', section.size()) != std::string::npos) continue;
    if (auto found = BallCheck(clue.reading).first_outside(clue.row, i))
      if (auto other = clue_of(clue.reading, *found)) keep_those_of(*other);
  }
  if (tellings.empty()) return tellings;
  if (auto next = next_of(clue)) keep_those_of(*next);
  return tellings;
}

void add_cause(Causes& causes, bool applies, const char* cause) {
  if (applies && std::ranges::find(causes, cause) == causes.end()) causes.emplace_back(cause);
}

}  // namespace microstep
