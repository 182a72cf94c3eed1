// chain and masked: links around other links.
#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"

namespace microstep {
namespace {

template <class A>
class Chain final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit Chain(const Spec& spec) {
    for (const Spec& link : spec.of) links_.push_back(build<A>(link));
  }

  State<V> init(const A& arithmetic, const Tree<V>& params) const override {
    State<V> state{"chain", {}, {}, {}};
    for (const auto& link : links_) state.of.push_back(link->init(arithmetic, params));
    return state;
  }

  void update(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>& params,
              const StepInput& input) const override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      StepInput own = input;
      if (i > 0) own.before = nullptr;
      if (i + 1 < links_.size()) own.after = nullptr;
      own.shown = inner_of(input.shown, i);
      links_[i]->update(arithmetic, updates, state.of[i], params, own);
    }
  }

  bool works_in_blocks() const override {
    return !links_.empty() && links_.front()->works_in_blocks() && links_.back()->works_in_blocks();
  }

 private:
  std::vector<TransformationPointer<A>> links_;
};

template <class A>
class Masked final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit Masked(const Spec& spec) : inner_(build<A>(spec.of[0])), mask_(spec.list("mask")) {}

  State<V> init(const A& arithmetic, const Tree<V>& params) const override {
    Tree<V> seen = params;
    hide(seen);
    State<V> state{"masked", {}, {}, {}};
    state.of.push_back(inner_->init(arithmetic, seen));
    return state;
  }

  // A hidden leaf is marked absent while the inner runs; its numbers stay in the buffer and come back with its mark.
  void update(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>& params,
              const StepInput& input) const override {
    std::vector<Presence> before;
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) before.push_back(updates.presence(i));
    std::vector<bool> shown = hide(updates);
    Tree<V> kept = updates;
    Tree<V> seen = params;
    hide(seen);
    StepInput own = input;
    own.shown = inner_of(input.shown);
    inner_->update(arithmetic, updates, state.of[0], seen, own);
    for (std::size_t i = 0; i < updates.leaf_count(); ++i)
      if (!shown[i]) restore(updates, kept, i, before[i]);
  }

 private:
  std::vector<bool> hide(Tree<V>& tree) const {
    std::vector<bool> shown = matching_leaves(tree.layout(), mask_);
    for (std::size_t i = 0; i < tree.leaf_count(); ++i)
      if (!shown[i]) tree.mark(i, Presence::absent);
    return shown;
  }

  // The inner may have exchanged buffers, so the hidden numbers are read from the copy.
  static void restore(Tree<V>& updates, const Tree<V>& kept, std::size_t i, Presence before) {
    updates.mark(i, before);
    set_dtype(updates, i, kept.leaf(i).dtype);
    if (before == Presence::dense) std::ranges::copy(kept.values(i), updates.values(i).begin());
  }

  TransformationPointer<A> inner_;
  std::vector<Value> mask_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_chain(const Spec& spec) {
  return std::make_shared<Chain<A>>(spec);
}
MICROSTEP_INSTANTIATE_LINK(make_chain)

template <class A>
TransformationPointer<A> make_masked(const Spec& spec) {
  return std::make_shared<Masked<A>>(spec);
}
MICROSTEP_INSTANTIATE_LINK(make_masked)

}  // namespace microstep
