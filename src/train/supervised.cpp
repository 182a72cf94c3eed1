// A model under a squared error or a cross-entropy, on examples from the named random streams.
#include <algorithm>

#include "microstep/data/random.hpp"
#include "microstep/grad/value_and_grad.hpp"
#include "microstep/kernels/switches.hpp"
#include "microstep/train/model.hpp"
#include "microstep/train/problems.hpp"
#include "microstep/train/setup.hpp"

namespace microstep {
namespace {

// Every fifth example has zero inputs, from the fourth on; of examples with labels the first of each label, since two
// of one label would be the same example.
constexpr std::int64_t zero_period = 5;
constexpr std::int64_t zero_phase = 3;

// Rows of one batch: inputs [batch, features], targets [batch, outputs] or one label a row.
template <class V>
struct Rows2d {
  std::vector<V> inputs;
  std::vector<V> targets;
  std::vector<std::int64_t> labels;
};

template <class A>
class Supervised final : public Problem<A> {
 public:
  using V = typename A::Value;
  Supervised(const A& arithmetic, const Plan& plan)
      : tape_(arithmetic, policy_of(plan.switches)),
        dtype_(narrowest_dtype(plan.params.layout())),
        loss_(plan.loss),
        model_(plan.problem),
        classifies_(classifies(plan.problem)),
        features_(element_count(model_.input_shape())),
        outputs_(plan.params.leaf(plan.params.leaf_count() - 1).shape[0]),
        data_("data", plan.seed),
        noise_("noise", plan.seed) {}

  V loss_and_gradient(const A& arithmetic, const Tree<V>& params, const std::vector<std::int64_t>& batch,
                      Tree<V>& gradients) const override {
    const Rows2d<V> rows = rows_of(batch);
    auto loss = [&](Tape<A>& tape, std::span<const Var> variables) {
      return reduced(tape, example_losses(tape, forward(tape, variables, rows, batch.size()), rows, batch.size()));
    };
    if (gradients.layout_pointer() == params.layout_pointer())
      return value_and_grad_into(tape_, loss, params, gradients);
    auto found = value_and_grad(tape_, loss, params);
    for (std::size_t i = 0; i < gradients.leaf_count(); ++i)
      store(arithmetic.at(gradients.leaf(i).dtype), found.gradients, gradients, i);
    return found.value;
  }

  std::map<std::string, std::string> kernels() const override { return tape_.ran().named(); }

 private:
  static bool classifies(const Spec& problem) {
    if (problem.op == "mlp") return problem.text("loss") == "cross_entropy";
    return problem.op != "linear_regression";
  }

  static void store(const A& at, const Tree<V>& from, Tree<V>& to, std::size_t i) {
    to.mark(i, from.presence(i));
    if (from.is_dense(i))
      std::ranges::transform(from.values(i), to.values(i).begin(), [&](const V& x) { return at.cast(x); });
  }

  std::int64_t label_of(std::int64_t example) const {
    return data_.below(outputs_, static_cast<std::uint64_t>(example), static_cast<std::uint64_t>(features_));
  }

  bool has_zero_inputs(std::int64_t example) const {
    if (example % zero_period != zero_phase) return false;
    for (std::int64_t e = zero_phase; classifies_ && e < example; e += zero_period)
      if (label_of(e) == label_of(example)) return false;
    return true;
  }

  Rows2d<V> rows_of(const std::vector<std::int64_t>& batch) const {
    Rows2d<V> rows;
    for (std::int64_t example : batch) {
      auto which = static_cast<std::uint64_t>(example);
      const bool zero = has_zero_inputs(example);
      for (std::int64_t f = 0; f < features_; ++f)
        rows.inputs.push_back(A::load(zero ? 0.0 : data_.dyadic(64, which, static_cast<std::uint64_t>(f))));
      auto after = static_cast<std::uint64_t>(features_);
      if (classifies_) {
        rows.labels.push_back(label_of(example));
        continue;
      }
      for (std::int64_t o = 0; o < outputs_; ++o) {
        double clean = data_.dyadic(64, which, after + static_cast<std::uint64_t>(o));
        double noise = noise_.dyadic(1024, which, static_cast<std::uint64_t>(o));
        rows.targets.push_back(A::load(round_to(dtype_, clean + noise)));
      }
    }
    return rows;
  }

  Var forward(Tape<A>& tape, std::span<const Var> variables, const Rows2d<V>& rows, std::size_t count) const {
    Shape shape = model_.input_shape();
    shape.insert(shape.begin(), static_cast<std::int64_t>(count));
    return model_.forward(tape, variables, tape.constant(rows.inputs, shape, dtype_));
  }

  Var example_losses(Tape<A>& tape, Var predictions, const Rows2d<V>& rows, std::size_t count) const {
    if (classifies_) return softmax_cross_entropies(tape, predictions, std::span<const std::int64_t>(rows.labels));
    Var targets = tape.constant(rows.targets, {static_cast<std::int64_t>(count), outputs_}, dtype_);
    return squared_errors(tape, predictions, targets);
  }

  Var reduced(Tape<A>& tape, Var losses) const { return loss_ == Loss::mean ? mean(tape, losses) : sum(tape, losses); }

  mutable Tape<A> tape_;
  Dtype dtype_;
  Loss loss_;
  Model<A> model_;
  bool classifies_;
  std::int64_t features_;
  std::int64_t outputs_;
  Stream data_;
  Stream noise_;
};

void check_leaves(const Plan& plan) {
  const std::vector<Leaf> wanted = problem_leaves(plan.problem, Dtype::float32);
  bool fits = wanted.size() == plan.params.leaf_count();
  for (std::size_t i = 0; fits && i < wanted.size(); ++i) {
    const Leaf& leaf = plan.params.leaf(i);
    fits = leaf.name == wanted[i].name && leaf.shape == wanted[i].shape && plan.params.presence(i) != Presence::absent;
  }
  if (fits) return;
  throw Error("plan.problem-leaves", "the params are not those of " + to_string(plan.problem), "/params",
              "give the leaves that the problem names");
}

}  // namespace

template <class A>
std::unique_ptr<Problem<A>> make_supervised(const A& arithmetic, const Plan& plan) {
  check_leaves(plan);
  return std::make_unique<Supervised<A>>(arithmetic, plan);
}
MICROSTEP_INSTANTIATE_PROBLEM(make_supervised)

}  // namespace microstep
