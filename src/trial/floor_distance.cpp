#include <algorithm>
#include <cmath>
#include <limits>

#include "floor_case.hpp"
#include "microstep/train/forward.hpp"

namespace microstep {
namespace {

constexpr std::int64_t most_bounded_rows = 8;

struct Rule {
  std::string_view name;
  ConvPath conv;
  MatmulInputs inputs;
};

// Sums and products in any order in all of them; the widest inputs first, and of these the narrowest path.
constexpr Rule rules[] = {
    {"any order", ConvPath::im2col, MatmulInputs::same},
    {"winograd2", ConvPath::winograd2, MatmulInputs::same},
    {"winograd4", ConvPath::winograd4, MatmulInputs::same},
    {"tf32 inputs", ConvPath::im2col, MatmulInputs::tf32},
    {"winograd2 of tf32 inputs", ConvPath::winograd2, MatmulInputs::tf32},
    {"winograd4 of tf32 inputs", ConvPath::winograd4, MatmulInputs::tf32},
    {"bfloat16 inputs", ConvPath::im2col, MatmulInputs::bfloat16},
    {"winograd2 of bfloat16 inputs", ConvPath::winograd2, MatmulInputs::bfloat16},
    {"winograd4 of bfloat16 inputs", ConvPath::winograd4, MatmulInputs::bfloat16},
};

std::int64_t class_of(std::span<const double> row) { return std::ranges::max_element(row) - row.begin(); }

double margin_of(std::span<const double> row) {
  double first = -std::numeric_limits<double>::infinity(), second = first;
  for (double x : row) {
    second = std::max(second, std::min(x, first));
    first = std::max(first, x);
  }
  return first - second;
}

// Adds one row to the distance. apart: |x - y| of an element, which may be exact where the values are not doubles.
template <class Apart>
void add_row(Distance& total, Dtype dtype, std::span<const double> x, std::span<const double> y, const Apart& apart) {
  double scale = 0, largest = 0;
  for (double v : y) scale = std::max(scale, std::fabs(v));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double away = apart(i);
    largest = std::max(largest, away);
    if (away <= total.absolute) continue;
    total.absolute = away;
    total.ulp = ulp_distance(dtype, x[i], y[i]);
  }
  ++total.rows;
  if (largest == 0) ++total.equal_rows;
  if (largest > 0) total.relative = std::max(total.relative, largest / scale);
  if (x.size() < 2) return;
  if (class_of(x) != class_of(y)) ++total.class_changes;
  total.margin = std::min(total.margin.value_or(margin_of(y)), margin_of(y));
}

double share(const std::vector<Ball>& balls, std::span<const double> values) {
  double largest = 0;
  for (std::size_t i = 0; i < balls.size(); ++i) {
    const double away = static_cast<double>(wide::abs(wide::from_double(values[i]) - balls[i].value));
    if (away > 0) largest = std::max(largest, away / balls[i].radius);
  }
  return largest;
}

}  // namespace

Distance distance(Dtype dtype, std::span<const double> values, std::span<const double> others, std::int64_t width) {
  Distance total;
  const std::size_t count = std::min(values.size(), others.size()), step = static_cast<std::size_t>(width);
  for (std::size_t at = 0; at + step <= count; at += step)
    add_row(total, dtype, values.subspan(at, step), others.subspan(at, step),
            [&](std::size_t i) { return std::fabs(values[at + i] - others[at + i]); });
  return total;
}

KnownBounds::KnownBounds(const Forward& forward)
    : forward_(first_rows(forward, most_bounded_rows)), rows_(forward_.inputs.shape[0]), balls_(std::size(rules)) {}

const std::vector<Ball>& KnownBounds::balls(std::size_t rule) {
  if (balls_[rule].empty()) {
    KernelPolicy policy;
    policy.conv = rules[rule].conv;
    policy.inputs = rules[rule].inputs;
    balls_[rule] = forward_balls(forward_, policy);
  }
  return balls_[rule];
}

BoundShare KnownBounds::share_of(std::span<const double> values) {
  for (std::size_t rule = 0; rule < std::size(rules); ++rule) {
    const double taken = share(balls(rule), values);
    if (taken <= 1) return {std::string(rules[rule].name), taken};
  }
  return {"", share(balls(0), values)};
}

Distance KnownBounds::distance_of(std::span<const double> values) {
  const std::vector<Ball>& exact = balls(0);
  std::vector<double> centres;
  for (const Ball& ball : exact) centres.push_back(static_cast<double>(ball.value));
  const std::size_t width = centres.size() / static_cast<std::size_t>(rows_);
  Distance total;
  for (std::size_t at = 0; at < centres.size(); at += width)
    add_row(total, forward_.inputs.dtype, values.subspan(at, width), std::span(centres).subspan(at, width),
            [&](std::size_t i) {
              return static_cast<double>(wide::abs(wide::from_double(values[at + i]) - exact[at + i].value));
            });
  return total;
}

}  // namespace microstep
