#include "microstep/draw/plans.hpp"

#include <algorithm>

#include "gradients.hpp"

namespace microstep {
namespace {

bool has_windows(const Plan& plan, std::int64_t count) {
  return static_cast<std::int64_t>(windows(plan).size()) >= count;
}

class PlanMaker {
 public:
  PlanMaker(Dice dice, const PlanLimits& limits) : dice_(dice), limits_(limits) {}

  Plan whole(const std::optional<Spec>& spec) {
    plan_.spec = spec ? *spec : draw_spec(dice_, limits_.spec);
    plan_.problem = parse_spec("replay", OpKind::problem);
    plan_.loss = limits_.loss;
    plan_.hyper_precision = dice_.one_of(limits_.precisions);
    draw_leaves();
    draw_batches();
    draw_given();
    check(plan_);
    return std::move(plan_);
  }

 private:
  void draw_leaves() {
    const Dtype dtype = dice_.one_of(limits_.dtypes);
    std::vector<Leaf> leaves, gradients;
    const auto& names = drawn_leaf_names();
    const std::int64_t count = dice_.between(1, std::min<std::int64_t>(limits_.leaves, std::ssize(names)));
    for (std::int64_t i = 0; i < count; ++i) {
      const Dtype own = limits_.mixed_dtypes ? dice_.one_of(limits_.dtypes) : dtype;
      leaves.push_back({names[static_cast<std::size_t>(i)], draw_shape(), own});
      gradients.push_back(leaves.back());
      if (limits_.mixed_dtypes && dice_.below(3) == 0) gradients.back().dtype = dice_.one_of(limits_.dtypes);
    }
    plan_.gradient_layout = make_layout(std::move(gradients));
    plan_.params = Tree<double>(make_layout(std::move(leaves)), Presence::absent);
    for (std::size_t i = 0; i < plan_.params.leaf_count(); ++i)
      if (!dice_.chance(limits_.frozen)) draw_param(i);
  }

  Shape draw_shape() {
    Shape shape;
    const bool empty = dice_.below(8) == 0;
    for (std::int64_t left = dice_.between(empty ? 1 : 0, limits_.rank); left > 0; --left) {
      const std::int64_t room = limits_.most_elements / std::max<std::int64_t>(1, element_count(shape));
      shape.push_back(dice_.between(1, std::max<std::int64_t>(1, std::min(room, limits_.extent))));
    }
    if (empty) shape[static_cast<std::size_t>(dice_.below(std::ssize(shape)))] = 0;
    return shape;
  }

  void draw_param(std::size_t leaf) {
    plan_.params.mark(leaf, Presence::dense);
    for (double& w : plan_.params.values(leaf)) w = static_cast<double>(dice_.between(-127, 127)) / 64;
  }

  // Batches are added until the windows are full; then, in half of the plans, one to three more.
  void draw_batches() {
    const std::int64_t full = dice_.between(1, limits_.windows), examples = dice_.between(1, limits_.examples);
    while (!has_windows(plan_, full) && std::ssize(plan_.batches) < limits_.most_microsteps) add_batch(examples);
    if (limits_.partial && dice_.below(2) == 0)
      for (std::int64_t left = dice_.between(1, 3); left > 0; --left) add_batch(examples);
  }

  void add_batch(std::int64_t examples) {
    auto& batch = plan_.batches.emplace_back();
    for (std::int64_t left = limits_.ragged ? dice_.between(1, limits_.examples) : examples; left > 0; --left)
      batch.push_back(examples_++);
  }

  void draw_given() {
    GradientMaker maker(dice_, limits_, plan_);
    const std::int64_t weight = dice_.below(2) == 0 ? 1 : dice_.between(1, 4);
    for (std::int64_t i = 0; i < examples_; ++i) {
      const auto own = static_cast<double>(limits_.ragged ? dice_.between(1, 4) : weight);
      plan_.given.push_back({maker.gradient(i), own});
    }
  }

  Dice dice_;
  const PlanLimits& limits_;
  Plan plan_;
  std::int64_t examples_ = 0;
};

}  // namespace

Plan draw_plan(const Stream& stream, std::uint64_t which_case, const PlanLimits& limits,
               const std::optional<Spec>& spec) {
  return PlanMaker(Dice(stream, which_case), limits).whole(spec);
}

}  // namespace microstep
