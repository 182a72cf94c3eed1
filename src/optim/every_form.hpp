#pragma once
// A window's reduction in whatever form a loop takes it: running, as one sum that is divided, or of terms divided
// first. Only over balls, and where the form is not known.
#include <numeric>
#include <vector>

#include "microstep/data/state.hpp"
#include "microstep/kernels/reduction.hpp"

namespace microstep {

enum class Reduce { mean, sum, weighted };

/// Keeps the input of the microstep that begins now; mini_step: those of its window before it.
template <class A>
void remember_input(const A& arithmetic, const Tree<typename A::Value>& input, double weight, std::int64_t mini_step,
                    State<typename A::Value>& state) {
  if constexpr (A::is_ball) {
    if (arithmetic.running_mean()) return;
    if (mini_step == 0) state.window = {};
    state.window.inputs.push_back(input);
    state.window.weights.push_back(weight);
  }
}

/// The factors by which terms are multiplied before they are added and the divisor after it.
template <class C>
struct Form {
  std::vector<BasicBall<C>> factors;
  double divisor;
};

template <class C>
std::vector<Form<C>> forms_of(const Balls<C>& a, Reduce reduce, const std::vector<double>& weights) {
  using B = Balls<C>;
  const std::vector<BasicBall<C>> ones(weights.size(), B::constant(1));
  if (reduce == Reduce::sum) return {{ones, 1}};
  if (reduce == Reduce::mean) return {{ones, static_cast<double>(weights.size())}};
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<BasicBall<C>> given, shares;
  for (double weight : weights) {
    given.push_back(a.hyper(weight));
    shares.push_back(a.divide(given.back(), a.hyper(total)));
  }
  return {{given, total}, {shares, 1}};
}

/// The balls of one leaf of the accumulator, widened to what every form gives of the window's inputs. a: in what the
/// leaf is added up.
template <class C>
void widen_to_every_form(const Balls<C>& a, Reduce reduce, const typename State<BasicBall<C>>::Window& window,
                         std::size_t leaf, std::span<BasicBall<C>> acc) {
  using Ball = BasicBall<C>;
  const auto forms = forms_of(a, reduce, window.weights);
  const auto count = static_cast<std::int64_t>(window.inputs.size());
  std::vector<Ball> terms(window.inputs.size()), divided(window.inputs.size());
  for (std::size_t j = 0; j < acc.size(); ++j) {
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const Tree<Ball>& input = window.inputs[t];
      terms[t] = input.is_dense(leaf) ? input.values(leaf)[j] : Balls<C>::constant(0);
      if (reduce == Reduce::mean) divided[t] = a.divide(terms[t], a.hyper(static_cast<double>(count)));
    }
    for (const Form<C>& form : forms) {
      const Ball sum = kernels::order_free_dot(a, {form.factors.data(), count}, {terms.data(), count});
      acc[j] = hull(acc[j], form.divisor == 1 ? sum : a.divide(sum, a.hyper(form.divisor)));
    }
    if (reduce == Reduce::mean) acc[j] = hull(acc[j], kernels::order_free_sum(a, {divided.data(), count}));
  }
}

/// Widens every leaf of the accumulator that is dense, after the microstep has been added to it.
template <class A>
void widen_accumulator(const A& arithmetic, Reduce reduce, State<typename A::Value>& state) {
  if constexpr (A::is_ball) {
    const auto& window = state.window;
    if (window.inputs.size() != static_cast<std::size_t>(state.count("mini_step"))) return;
    Tree<typename A::Value>& acc = state.slot("acc_grads");
    for (std::size_t i = 0; i < acc.leaf_count(); ++i) {
      if (!acc.is_dense(i)) continue;
      const A a = arithmetic.at(promote(window.inputs.back().leaf(i).dtype, acc.leaf(i).dtype));
      const A store = arithmetic.at(acc.leaf(i).dtype);
      widen_to_every_form(a, reduce, window, i, acc.values(i));
      for (auto& x : acc.values(i)) x = store.cast(x);
    }
  }
}

}  // namespace microstep
