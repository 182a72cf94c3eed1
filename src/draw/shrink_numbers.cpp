// Small integers for the gradients, the params and the weights; plain dtypes and fields.
#include <algorithm>
#include <cmath>

#include "shrink_steps.hpp"

namespace microstep {
namespace {

constexpr std::int64_t small_integers = 9;

// 1 to 9 cost the same, so that gradients that can be told apart stay so.
std::int64_t digits(double x) {
  if (!std::isfinite(x)) return 80;
  if (x == 0) return std::signbit(x) ? 12 : 11;
  const double size = std::fabs(x);
  if (size <= small_integers && std::trunc(size) == size) return x < 0 ? 2 : 1;
  int exponent = 0;
  double left = std::frexp(size, &exponent);
  std::int64_t count = 0;
  for (; left != 0; ++count) left = std::ldexp(left, 1) - std::trunc(std::ldexp(left, 1));
  return 20 + count + (x < 0 ? 1 : 0);
}

std::int64_t digits_of(const Tree<double>& tree) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    if (!tree.is_dense(i)) total += 12 * std::max<std::int64_t>(1, tree.leaf(i).size);
    if (!tree.is_dense(i)) continue;
    for (double x : tree.values(i)) total += digits(x);
  }
  return total;
}

std::int64_t complexity_of_leaf(const Leaf& param, const Leaf& gradient) {
  std::int64_t total = 50 + 6 * std::ssize(param.shape);
  for (std::int64_t extent : param.shape) total += extent == 0 ? 30 : extent;
  total += param.dtype == Dtype::float32 ? 0 : 3;
  return total + (gradient.dtype == param.dtype ? 0 : 4);
}

// Distinguishable: leaf i of example e gets small integers that go on from e + i.
void make_small(Tree<double>& tree, std::size_t leaf, std::int64_t start) {
  tree.mark(leaf, Presence::dense);
  std::int64_t next = start;
  for (double& x : tree.values(leaf)) x = static_cast<double>(1 + next++ % small_integers);
}

Plan with_small_gradients(Plan plan, std::size_t first, std::size_t last) {
  for (std::size_t e = 0; e < plan.given.size(); ++e)
    for (std::size_t i = first; i < last; ++i)
      if (plan.params.presence(i) != Presence::absent)
        make_small(plan.given[e].gradient, i, static_cast<std::int64_t>(e + i - first));
  return plan;
}

Plan with_small_params(Plan plan) {
  for (std::size_t i = 0; i < plan.params.leaf_count(); ++i)
    if (plan.params.is_dense(i)) make_small(plan.params, i, 0);
  return plan;
}

Plan with_weight_one(Plan plan) {
  for (GivenGradient& given : plan.given) given.weight = 1;
  return plan;
}

void replace_each_number(const Plan& plan, std::size_t example, std::size_t leaf, Candidates& candidates) {
  const Tree<double>& gradient = plan.given[example].gradient;
  if (!gradient.is_dense(leaf)) {
    if (plan.params.presence(leaf) == Presence::absent) return;
    candidates.push_back(plan);
    make_small(candidates.back().given[example].gradient, leaf, static_cast<std::int64_t>(example));
    return;
  }
  for (std::size_t j = 0; j < gradient.values(leaf).size(); ++j) {
    const double x = gradient.values(leaf)[j];
    for (double small : {1.0, 2.0, -1.0, std::trunc(x / 2)}) {
      if (digits(small) >= digits(x)) continue;
      candidates.push_back(plan);
      candidates.back().given[example].gradient.values(leaf)[j] = small;
    }
  }
}

bool fits(const Tree<double>& tree, Dtype dtype) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    if (!tree.is_dense(i)) continue;
    for (double x : tree.values(i))
      if (std::isfinite(x) && round_to(dtype, x) != x) return false;
  }
  return true;
}

void with_dtypes(const Plan& plan, const LayoutPointer& params, const LayoutPointer& gradients,
                 Candidates& candidates) {
  Plan plain = plan;
  plain.params.replace_layout(params);
  plain.gradient_layout = gradients;
  for (GivenGradient& given : plain.given) given.gradient.replace_layout(gradients);
  candidates.push_back(std::move(plain));
}

bool all_fit(const Plan& plan, Dtype dtype) {
  return fits(plan.params, dtype) &&
         std::ranges::all_of(plan.given, [&](const GivenGradient& given) { return fits(given.gradient, dtype); });
}

}  // namespace

std::int64_t complexity_of_numbers(const Plan& plan) {
  std::int64_t total = digits_of(plan.params);
  for (const GivenGradient& given : plan.given) total += digits_of(given.gradient) + digits(given.weight);
  for (std::size_t i = 0; i < plan.params.leaf_count(); ++i)
    total += complexity_of_leaf(plan.params.leaf(i), plan.gradient_layout->leaves()[i]);
  return total;
}

void with_smaller_numbers(const Plan& plan, Candidates& candidates) {
  const std::size_t leaves = plan.params.leaf_count();
  candidates.push_back(with_small_params(plan));
  if (plan.problem.op != "replay") return;
  candidates.push_back(with_small_gradients(plan, 0, leaves));
  candidates.push_back(with_weight_one(plan));
  for (std::size_t i = 0; i < leaves; ++i) candidates.push_back(with_small_gradients(plan, i, i + 1));
  for (std::size_t e = 0; e < plan.given.size(); ++e)
    for (std::size_t i = 0; i < leaves; ++i) replace_each_number(plan, e, i, candidates);
}

void with_plain_fields(const Plan& plan, Candidates& candidates) {
  Plan plain = plan;
  plain.interruptions.clear();
  plain.loss = Loss::mean;
  plain.hyper_precision = HyperPrecision::float64;
  plain.flushes_subnormals = false;
  candidates.push_back(plain);
  for (std::int64_t kept : plan.interruptions) {
    candidates.push_back(plan);
    candidates.back().interruptions = {kept};
  }
  plain = plan;
  plain.loss = Loss::mean;
  candidates.push_back(plain);
  if (all_fit(plan, Dtype::float32)) {
    const LayoutPointer all = with_dtype(plan.params.layout_pointer(), Dtype::float32);
    with_dtypes(plan, all, all, candidates);
  }
  if (all_fit(plan, narrowest_dtype(plan.params.layout())))
    with_dtypes(plan, plan.params.layout_pointer(), plan.params.layout_pointer(), candidates);
}

}  // namespace microstep
