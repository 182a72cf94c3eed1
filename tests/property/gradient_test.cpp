// The gradient of a batch is the weighted mean of its parts' gradients, and for a sum loss their sum.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "microstep/bound/transition.hpp"
#include "microstep/train/run.hpp"
#include "microstep/train/setup.hpp"
#include "property/law.hpp"
#include "property/runs.hpp"

namespace microstep::property {
namespace {

using A = Balls<Wide>;

struct Part {
  Tree<Ball> gradient;
  Ball loss;
  double weight;
};

Part part_of(const Plan& plan, const std::vector<std::int64_t>& batch) {
  const A arithmetic = semantics_of(plan);
  const Training<A> start(arithmetic, plan);
  Part part{Tree<Ball>(plan.gradient_layout, Presence::zero), {}, batch_weight(plan, batch)};
  part.loss = make_problem<A>(arithmetic, plan)->loss_and_gradient(arithmetic, start.params, batch, part.gradient);
  return part;
}

Ball at(const Tree<Ball>& tree, std::size_t leaf, std::size_t j) {
  return tree.is_dense(leaf) ? tree.values(leaf)[j] : exactly(0);
}

// Sum(w x)/sum(w) over the parts, or sum(x) for a sum loss.
template <class Read>
Ball joined(const Plan& plan, const std::vector<Part>& parts, double whole, const Read& read) {
  const A a = semantics_of(plan).at(Dtype::float64);
  Ball total = exactly(0);
  for (const Part& part : parts)
    total = a.add(total, plan.loss == Loss::sum ? read(part) : a.multiply(exactly(part.weight), read(part)));
  return plan.loss == Loss::sum ? total : a.divide(total, exactly(whole));
}

std::optional<std::string> wrong_leaf(const Plan& plan, const Part& whole, const std::vector<Part>& parts,
                                      std::size_t i) {
  bool all_absent = true;
  for (const Part& part : parts) all_absent = all_absent && part.gradient.presence(i) == Presence::absent;
  if ((whole.gradient.presence(i) == Presence::absent) != all_absent) return "is absent on one side only";
  for (std::size_t j = 0; j < static_cast<std::size_t>(whole.gradient.leaf(i).size); ++j) {
    const Ball due = joined(plan, parts, whole.weight, [&](const Part& part) { return at(part.gradient, i, j); });
    const Ball found = at(whole.gradient, i, j);
    if (!overlap(due, found))
      return fmt::format("[{}]: {} against {}", j, static_cast<double>(found.value), static_cast<double>(due.value));
  }
  return std::nullopt;
}

Ruling is_the_mean_of_its_parts(const Plan& plan) {
  std::vector<std::int64_t> all;
  std::vector<Part> parts;
  for (const auto& batch : plan.batches) {
    all.insert(all.end(), batch.begin(), batch.end());
    parts.push_back(part_of(plan, batch));
  }
  const Part whole = part_of(plan, all);
  if (!overlap(whole.loss, joined(plan, parts, whole.weight, [](const Part& part) { return part.loss; })))
    return broken("the loss is not that of the parts");
  for (std::size_t i = 0; i < plan.params.leaf_count(); ++i)
    if (auto found = wrong_leaf(plan, whole, parts, i)) return broken(plan.params.leaf(i).name + *found);
  return holds();
}

PlanLimits given(Loss loss) {
  PlanLimits limits;
  limits.ragged = true;
  limits.examples = 3;
  limits.absent = 0.2;
  limits.frozen = 0.05;
  limits.loss = loss;
  limits.special.zero = limits.special.negative_zero = limits.special.tiny = 0.05;
  return limits;
}

RC_GTEST_PROP(Gradient, OfGivenGradientsIsTheWeightedMeanOfItsParts, ()) {
  obey("gradient-is-the-mean-of-its-parts", given(Loss::mean), is_the_mean_of_its_parts);
}

RC_GTEST_PROP(Gradient, OfASumLossIsTheSumOfItsParts, ()) {
  obey("gradient-is-the-sum-of-its-parts", given(Loss::sum), is_the_mean_of_its_parts);
}

Spec sized(const char* op, Dice& dice) {
  std::vector<Value> sizes;
  for (std::int64_t left = dice.between(2, 4); left > 0; --left) sizes.emplace_back(dice.between(1, 4));
  const bool entropy = dice.below(2) == 0;
  if (entropy) sizes.back() = Value(dice.between(2, 4));
  return {op,
          {{"sizes", Value(sizes)},
           {"act", Value(dice.below(2) == 0 ? "tanh" : "relu")},
           {"loss", Value(entropy ? "cross_entropy" : "mse")}},
          {}};
}

Spec drawn_problem(Dice& dice) {
  switch (dice.below(3)) {
    case 0:
      return {
          "linear_regression", {{"features", Value(dice.between(1, 4))}, {"targets", Value(dice.between(1, 3))}}, {}};
    case 1:
      return {
          "logistic_regression", {{"features", Value(dice.between(1, 4))}, {"classes", Value(dice.between(2, 4))}}, {}};
    default:
      return sized("mlp", dice);
  }
}

Plan trained(const Stream& stream, std::uint64_t which_case) {
  Dice dice(stream, which_case);
  PlanOptions options;
  options.windows = dice.between(1, 2);
  options.examples = dice.between(1, 3);
  options.ragged = dice.below(2) == 0;
  options.loss = dice.below(2) == 0 ? Loss::mean : Loss::sum;
  options.dtype = dice.one_of(std::vector<Dtype>(all_dtypes().begin(), all_dtypes().end()));
  options.seed = static_cast<std::uint64_t>(dice.below(1 << 30));
  const Spec problem = checked(drawn_problem(dice), OpKind::problem);
  return make_plan(accumulated(draw_spec(dice, {}), dice.between(1, 3)), problem, options);
}

RC_GTEST_PROP(Gradient, OfATrainedProblemIsTheWeightedMeanOfItsParts, ()) {
  obey("trained-gradient-is-the-mean-of-its-parts", trained, is_the_mean_of_its_parts);
}

// The whole way: data, model, accumulation and optimizer against the large batch.
Ruling trains_as_the_large_batch(const Plan& plan) {
  Plan own = plan;
  if (own.spec.op != "multi_steps") return beside("no multi_steps");
  own.spec.args["reduce"] = Value(own.loss == Loss::sum ? "sum" : "weighted");
  const Plan reference = large_batch_of(own);
  return same(decide({own, reference, windows(own)}));
}

RC_GTEST_PROP(Training, IsTheLargeBatch, ()) {
  obey("training-is-the-large-batch", trained, trains_as_the_large_batch);
}

}  // namespace
}  // namespace microstep::property
