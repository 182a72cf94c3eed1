// Fewer microsteps, examples and leaves.
#include <algorithm>
#include <map>

#include "shrink_steps.hpp"

namespace microstep {
namespace {

// Given gradients that no batch names are dropped.
void renumber(Plan& plan) {
  if (plan.problem.op != "replay") return;
  std::map<std::int64_t, std::int64_t> numbers;
  std::vector<GivenGradient> given;
  for (auto& batch : plan.batches)
    for (std::int64_t& index : batch) {
      const auto [found, fresh] = numbers.try_emplace(index, std::ssize(given));
      if (fresh) given.push_back(plan.given[static_cast<std::size_t>(index)]);
      index = found->second;
    }
  plan.given = std::move(given);
}

void keep(const Plan& plan, const std::vector<std::int64_t>& microsteps, Candidates& candidates) {
  Plan fewer = plan;
  fewer.batches.clear();
  for (std::int64_t t : microsteps) fewer.batches.push_back(plan.batches[static_cast<std::size_t>(t)]);
  std::erase_if(fewer.interruptions, [&](std::int64_t t) { return t > std::ssize(fewer.batches); });
  renumber(fewer);
  candidates.push_back(std::move(fewer));
}

void keep_range(const Plan& plan, std::int64_t first, std::int64_t last, Candidates& candidates) {
  std::vector<std::int64_t> microsteps;
  for (std::int64_t t = first; t < last; ++t) microsteps.push_back(t);
  if (!microsteps.empty()) keep(plan, microsteps, candidates);
}

void without_one_microstep(const Plan& plan, Candidates& candidates) {
  for (std::int64_t out = 0; out < std::ssize(plan.batches); ++out) {
    std::vector<std::int64_t> microsteps;
    for (std::int64_t t = 0; t < std::ssize(plan.batches); ++t)
      if (t != out) microsteps.push_back(t);
    if (!microsteps.empty()) keep(plan, microsteps, candidates);
  }
}

void cut_batches(Plan plan, Candidates& candidates) {
  for (auto& batch : plan.batches) batch.resize(1);
  renumber(plan);
  candidates.push_back(std::move(plan));
}

void cut_one_batch(const Plan& plan, std::size_t t, Candidates& candidates) {
  for (std::size_t out = 0; plan.batches[t].size() > 1 && out < plan.batches[t].size(); ++out) {
    Plan shorter = plan;
    shorter.batches[t].erase(shorter.batches[t].begin() + static_cast<std::ptrdiff_t>(out));
    renumber(shorter);
    candidates.push_back(std::move(shorter));
  }
}

// Where a leaf of a smaller plan comes from: its numbers begin at that element of the old leaf.
struct Origin {
  std::size_t leaf;
  std::size_t element = 0;
};

Tree<double> rebuilt(const Tree<double>& tree, const LayoutPointer& layout, const std::vector<Origin>& from) {
  Tree<double> result(layout, Presence::absent);
  for (std::size_t i = 0; i < from.size(); ++i) {
    result.mark(i, tree.presence(from[i].leaf));
    if (!result.is_dense(i)) continue;
    auto to = result.values(i);
    std::ranges::copy(tree.values(from[i].leaf).subspan(from[i].element, to.size()), to.begin());
  }
  return result;
}

Plan with_leaves(const Plan& plan, const std::vector<Leaf>& params, const std::vector<Leaf>& gradients,
                 const std::vector<Origin>& from) {
  Plan result = plan;
  result.params = rebuilt(plan.params, make_layout(params), from);
  result.gradient_layout = make_layout(gradients);
  for (GivenGradient& given : result.given) given.gradient = rebuilt(given.gradient, result.gradient_layout, from);
  return result;
}

std::vector<Origin> all_leaves(const Plan& plan) {
  std::vector<Origin> from;
  for (std::size_t i = 0; i < plan.params.leaf_count(); ++i) from.push_back({i});
  return from;
}

void keep_leaves(const Plan& plan, const std::vector<Origin>& kept, Candidates& candidates) {
  std::vector<Leaf> params, gradients;
  for (const Origin& origin : kept) {
    params.push_back(plan.params.leaf(origin.leaf));
    gradients.push_back(plan.gradient_layout->leaves()[origin.leaf]);
  }
  candidates.push_back(with_leaves(plan, params, gradients, kept));
}

void with_shape(const Plan& plan, std::size_t leaf, const Shape& shape, std::size_t first, Candidates& candidates) {
  if (element_count(shape) + static_cast<std::int64_t>(first) > plan.params.leaf(leaf).size) return;
  std::vector<Leaf> params = plan.params.layout().leaves(), gradients = plan.gradient_layout->leaves();
  params[leaf].shape = gradients[leaf].shape = shape;
  std::vector<Origin> from = all_leaves(plan);
  from[leaf].element = first;
  candidates.push_back(with_leaves(plan, params, gradients, from));
}

void with_smaller_shape(const Plan& plan, std::size_t leaf, Candidates& candidates) {
  Shape shape = plan.params.leaf(leaf).shape;
  const std::int64_t size = plan.params.leaf(leaf).size;
  for (std::int64_t j = 0; j < size; ++j) with_shape(plan, leaf, {}, static_cast<std::size_t>(j), candidates);
  with_shape(plan, leaf, {std::min<std::int64_t>(size, 2)}, 0, candidates);
  if (!shape.empty()) shape.pop_back();
  with_shape(plan, leaf, shape, 0, candidates);
}

}  // namespace

void with_fewer_microsteps(const Plan& plan, Candidates& candidates) {
  for (const auto& window : windows(plan)) keep(plan, window, candidates);
  const std::int64_t count = std::ssize(plan.batches);
  keep_range(plan, 0, count / 2, candidates);
  keep_range(plan, count / 2, count, candidates);
  without_one_microstep(plan, candidates);
  cut_batches(plan, candidates);
  for (std::size_t t = 0; t < plan.batches.size(); ++t) cut_one_batch(plan, t, candidates);
}

void with_fewer_leaves(const Plan& plan, Candidates& candidates) {
  if (plan.problem.op != "replay") return;
  const std::vector<Origin> all = all_leaves(plan);
  for (const Origin& origin : all) keep_leaves(plan, {origin}, candidates);
  for (std::size_t out = 0; all.size() > 1 && out < all.size(); ++out) {
    std::vector<Origin> kept = all;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(out));
    keep_leaves(plan, kept, candidates);
  }
  for (std::size_t i = 0; i < all.size(); ++i) with_smaller_shape(plan, i, candidates);
}

}  // namespace microstep
