#pragma once
// An honest transformation with a hand in it: before, after, or in place of its update.
#include "microstep/optim/leaves.hpp"
#include "support/liars/liar.hpp"

namespace microstep::liars {

/// One microstep in the liar's hands.
template <class A>
struct Step {
  using V = typename A::Value;
  const A& arithmetic;
  Tree<V>& updates;
  State<V>& state;
  const Tree<V>& params;
  StepInput input;
  /// What came in.
  Tree<V> gradients;
  State<V> before;

  bool held() const {
    return state.op == "multi_steps" && state.count("gradient_step") == before.count("gradient_step");
  }
};

template <class A>
class Lying : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  Lying(const Spec& spec, std::string detail) : spec_(spec), detail_(std::move(detail)), honest_(build<A>(spec)) {}

  State<V> init(const A& arithmetic, const Tree<V>& params) const override { return honest_->init(arithmetic, params); }
  void update(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>& params,
              const StepInput& input) const override {
    Step<A> step{arithmetic, updates, state, params, input, updates, state};
    before(step);
    instead(step);
    after(step);
  }

 protected:
  virtual void before(Step<A>&) const {}
  virtual void instead(Step<A>& s) const { honest_->update(s.arithmetic, s.updates, s.state, s.params, s.input); }
  virtual void after(Step<A>&) const {}

  Spec spec_;
  std::string detail_;
  TransformationPointer<A> honest_;
};

/// Runs another spec of the same state behind the name of the claimed one; other specs (the reference's) are honest.
template <class A>
class Substitute final : public Lying<A> {
 public:
  Substitute(const Spec& spec, const std::string& detail)
      : Lying<A>(spec, detail), other_(build<A>(parse_spec(detail))) {}

 protected:
  void instead(Step<A>& s) const override { other_->update(s.arithmetic, s.updates, s.state, s.params, s.input); }

 private:
  TransformationPointer<A> other_;
};

/// The same with the state of the other spec.
template <class A>
class RunsAs final : public Lying<A> {
 public:
  RunsAs(const Spec& spec, const std::string& detail) : Lying<A>(spec, detail) {
    this->honest_ = build<A>(parse_spec(detail));
  }
};

template <template <class> class L, class A>
TransformationPointer<A> make_liar(const Spec& spec, const std::string& detail) {
  return std::make_shared<L<A>>(spec, detail);
}
template <template <class> class L>
constexpr Makers makers() {
  return {make_liar<L, Plain<float>>, make_liar<L, Plain<double>>, make_liar<L, Balls<Wide>>};
}

/// f(element) on every dense element of leaf i, or of all leaves.
template <class S, class F>
void on_leaf(Tree<S>& tree, std::size_t i, const F& f) {
  if (tree.is_dense(i))
    for (S& x : tree.values(i)) f(x);
}
template <class S, class F>
void on_all(Tree<S>& tree, const F& f) {
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) on_leaf(tree, i, f);
}

/// Every dense element times a factor.
template <class A>
void multiply_all(const A& a, Tree<typename A::Value>& tree, double factor) {
  on_all(tree, [&](auto& x) { x = a.multiply(a.hyper(factor), x); });
}

/// The first state, from outside, that has such a slot, and that has such a count; the outermost where none has.
template <class S>
State<S>* find_state(State<S>& state, std::string_view name) {
  for (auto& [key, slot] : state.slots)
    if (key == name) return &state;
  for (auto& [key, count] : state.counts)
    if (key == name) return &state;
  for (auto& inner : state.of)
    if (State<S>* found = find_state(inner, name)) return found;
  return nullptr;
}

/// The first spec, from outside, of an op that begins so.
inline const Spec* find_spec(const Spec& spec, std::string_view prefix) {
  if (spec.op.starts_with(prefix)) return &spec;
  for (const Spec& inner : spec.of)
    if (const Spec* found = find_spec(inner, prefix)) return found;
  return nullptr;
}

/// The plain number of an element.
template <class A>
Wide plain(const typename A::Value& x) {
  if constexpr (A::is_ball)
    return x.value;
  else
    return x;
}

/// All elements of a leaf are zeros, or there are none.
template <class A>
bool is_zero_leaf(const Tree<typename A::Value>& tree, std::size_t i) {
  if (!tree.is_dense(i)) return true;
  for (const auto& x : tree.values(i))
    if (plain<A>(x) != 0) return false;
  return true;
}

}  // namespace microstep::liars
