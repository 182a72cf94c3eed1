// Gradients that are given in the plan, per microbatch or per example.
#include "microstep/train/problems.hpp"

namespace microstep {
namespace {

template <class A>
class Replay final : public Problem<A> {
 public:
  using V = typename A::Value;
  explicit Replay(const Plan& plan) : plan_(plan) {}

  V loss_and_gradient(const A& arithmetic, const Tree<V>&, const std::vector<std::int64_t>& batch,
                      Tree<V>& gradients) const override {
    for (std::size_t i = 0; i < gradients.leaf_count(); ++i)
      combine(arithmetic.at(gradients.leaf(i).dtype), batch, gradients, i);
    return A::constant(0);
  }

 private:
  void combine(const A& a, const std::vector<std::int64_t>& batch, Tree<V>& gradients, std::size_t i) const {
    bool first = true;
    double weight = 0;
    gradients.mark(i, Presence::absent);
    for (std::int64_t index : batch) {
      const GivenGradient& given = plan_.given[static_cast<std::size_t>(index)];
      weight += given.weight;
      if (given.gradient.presence(i) == Presence::absent) continue;
      add(a, given, gradients, i, batch.size() == 1 && plan_.loss == Loss::mean ? 1 : given.weight, first);
      first = false;
    }
    if (first || batch.size() == 1 || plan_.loss == Loss::sum) return;
    const V total = a.hyper(weight);
    for (V& g : gradients.values(i)) g = a.divide(g, total);
  }

  static void add(const A& a, const GivenGradient& given, Tree<V>& gradients, std::size_t i, double weight,
                  bool first) {
    auto sum = gradients.dense_values(i, A::constant(0));
    for (std::size_t j = 0; j < sum.size(); ++j) {
      V g = A::load(given.gradient.is_dense(i) ? given.gradient.values(i)[j] : 0.0);
      if (weight != 1) g = a.multiply(a.hyper(weight), g);
      sum[j] = first ? g : a.add(sum[j], g);
    }
  }

  const Plan& plan_;
};

}  // namespace

template <class A>
std::unique_ptr<Problem<A>> make_replay(const A&, const Plan& plan) {
  return std::make_unique<Replay<A>>(plan);
}
MICROSTEP_INSTANTIATE_PROBLEM(make_replay)
template std::unique_ptr<Problem<Balls<double>>> make_replay(const Balls<double>&, const Plan&);

}  // namespace microstep
