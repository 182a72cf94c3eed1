// scale_by_adam, adam and adamw: one fused pass over each leaf.
#include <optional>

#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"

namespace microstep {
namespace {

template <class A>
class Adam final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit Adam(const Spec& spec)
      : op_(spec.op),
        b1_(spec.number("b1")),
        b2_(spec.number("b2")),
        eps_(spec.number("eps")),
        eps_root_(spec.number("eps_root")) {
    if (op_ != "scale_by_adam") lr_ = spec.args.at("lr");
    if (op_ == "adamw") {
      weight_decay_ = spec.number("weight_decay");
      mask_ = spec.list("mask");
    }
  }

  State<V> init(const A&, const Tree<V>& params) const override {
    State<V> state{op_, {{"count", 0}}, {{"mu", zero_slot(params)}, {"nu", zero_slot(params)}}, {}};
    if (is_scheduled()) state.counts.emplace_back("schedule_count", 0);
    return state;
  }

  void update(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>& params,
              const StepInput&) const override {
    std::int64_t t = ++state.count("count");
    std::optional<double> lr;
    if (lr_) lr = schedule_value(*lr_, is_scheduled() ? state.count("schedule_count")++ : 0);
    std::vector<bool> decayed;
    if (weight_decay_ != 0) decayed = matching_leaves(params.layout(), mask_);
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) {
      if (updates.presence(i) == Presence::absent) {
        set_dtype(updates, i, state.slot("mu").leaf(i).dtype);
        continue;
      }
      const bool decays = !decayed.empty() && decayed[i] && params.is_dense(i);
      finish_leaf(arithmetic, updates, state, decays ? &params : nullptr, i, t, lr);
    }
  }

 private:
  bool is_scheduled() const { return lr_ && std::holds_alternative<std::vector<Value>>(lr_->data); }

  // Decay and learning rate are applied in the loop that moves the moments: u = -lr (u + wd w).
  void finish_leaf(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>* decayed, std::size_t i,
                   std::int64_t t, std::optional<double> lr) const {
    const A own = arithmetic.at(state.slot("mu").leaf(i).dtype);
    const V step = own.hyper(lr ? -*lr : 0), decay = own.hyper(weight_decay_);
    if (!lr) {
      move_leaf(arithmetic, updates, state, i, t, [](const V& u, std::size_t) { return u; });
    } else if (!decayed) {
      move_leaf(arithmetic, updates, state, i, t, [&](const V& u, std::size_t) { return own.multiply(step, u); });
    } else {
      const std::span<const V> w = decayed->values(i);
      move_leaf(arithmetic, updates, state, i, t,
                [&](const V& u, std::size_t j) { return own.multiply(step, own.add(u, own.multiply(decay, w[j]))); });
    }
  }

  template <class Finish>
  void move_leaf(const A& arithmetic, Tree<V>& updates, State<V>& state, std::size_t i, std::int64_t t,
                 const Finish& finish) const {
    Tree<V>&mus = state.slot("mu"), &nus = state.slot("nu");
    const A a = arithmetic.at(promote(updates.leaf(i).dtype, mus.leaf(i).dtype));
    const A store = arithmetic.at(mus.leaf(i).dtype);
    const auto d1 = a.decay(b1_), d2 = a.decay(b2_);
    const V c1 = store.one_minus_power(b1_, t), c2 = store.one_minus_power(b2_, t);
    const V eps = store.hyper(eps_), eps_root = store.hyper(eps_root_);
    auto u = updates.dense_values(i, A::constant(0));
    auto mu = mus.dense_values(i, A::constant(0));
    auto nu = nus.dense_values(i, A::constant(0));
    for (std::size_t j = 0; j < u.size(); ++j) {
      mu[j] = store.cast(a.lerp(mu[j], u[j], d1));
      nu[j] = store.cast(a.lerp(nu[j], a.square(u[j]), d2));
      const V root = store.square_root(store.add(store.divide(nu[j], c2), eps_root));
      u[j] = finish(store.divide(store.divide(mu[j], c1), store.add(root, eps)), j);
    }
    set_dtype(updates, i, mus.leaf(i).dtype);
  }

  std::string op_;
  std::optional<Value> lr_;
  double b1_, b2_, eps_, eps_root_;
  double weight_decay_ = 0;
  std::vector<Value> mask_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_adam(const Spec& spec) {
  return std::make_shared<Adam<A>>(spec);
}
MICROSTEP_INSTANTIATE_LINK(make_adam)

}  // namespace microstep
