// scale_by_adam, adam and adamw: one fused pass over each leaf.
#include <optional>

#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"
#include "microstep/scalar/bias_correct.hpp"

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
              const StepInput& input) const override {
    std::int64_t t = ++state.count("count");
    std::optional<double> lr;
    if (lr_) lr = schedule_value(*lr_, is_scheduled() ? state.count("schedule_count")++ : 0);
    std::vector<bool> decayed;
    if (weight_decay_ != 0) decayed = matching_leaves(params.layout(), mask_);
    const Tree<V>& moments = state.slot("mu");
    std::optional<Factors> known;
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) {
      const Dtype store = moments.leaf(i).dtype;
      if (updates.presence(i) == Presence::absent) {
        set_dtype(updates, i, store);
        continue;
      }
      const Dtype wide = promote(updates.leaf(i).dtype, store);
      if (!known || known->wide_dtype != wide || known->store_dtype != store)
        known.emplace(factors(arithmetic, wide, store, t, lr));
      const bool decays = !decayed.empty() && decayed[i] && params.is_dense(i);
      finish_leaf(*known, updates, state, decays ? &params : nullptr, i, input);
    }
  }

  bool works_in_blocks() const override { return true; }

 private:
  bool is_scheduled() const { return lr_ && std::holds_alternative<std::vector<Value>>(lr_->data); }

  // What the hyper-parameters are in the dtypes of a leaf at step t; formed once for leaves of the same dtypes.
  struct Factors {
    Dtype wide_dtype, store_dtype;
    A wide, store;
    Decay<V> d1, d2;
    BiasCorrection<V> correction;
    V step, decay;
  };

  Factors factors(const A& arithmetic, Dtype wide_dtype, Dtype store_dtype, std::int64_t t,
                  std::optional<double> lr) const {
    const A wide = arithmetic.at(wide_dtype), store = arithmetic.at(store_dtype);
    return {wide_dtype,
            store_dtype,
            wide,
            store,
            wide.decay(b1_),
            wide.decay(b2_),
            {store.one_minus_power(b1_, t), store.one_minus_power(b2_, t), store.hyper(eps_), store.hyper(eps_root_)},
            store.hyper(lr ? -*lr : 0),
            store.hyper(weight_decay_)};
  }

  // Decay and learning rate are applied in the loop that moves the moments: u = -lr (u + wd w).
  void finish_leaf(const Factors& f, Tree<V>& updates, State<V>& state, const Tree<V>* decayed, std::size_t i,
                   const StepInput& input) const {
    if (!lr_)
      return move_leaf(f, updates, state, i, input, [](const Factors& in, const V& mu, const V& nu, std::size_t) {
        return bias_correct(in.store, in.correction, mu, nu);
      });
    if (!decayed)
      return move_leaf(f, updates, state, i, input, [](const Factors& in, const V& mu, const V& nu, std::size_t) {
        return bias_correct_step(in.store, in.correction, in.step, mu, nu);
      });
    const std::span<const V> w = decayed->values(i);
    move_leaf(f, updates, state, i, input, [w](const Factors& in, const V& mu, const V& nu, std::size_t j) {
      const V direction = bias_correct(in.store, in.correction, mu, nu);
      return in.store.multiply(in.step, in.store.add(direction, in.store.multiply(in.decay, w[j])));
    });
  }

  template <class Finish>
  static void move_leaf(const Factors& factors, Tree<V>& updates, State<V>& state, std::size_t i,
                        const StepInput& input, const Finish& finish) {
    Tree<V>&mus = state.slot("mu"), &nus = state.slot("nu");
    auto u = updates.dense_values(i, A::constant(0));
    auto mu = mus.dense_values(i, A::constant(0));
    auto nu = nus.dense_values(i, A::constant(0));
    for_blocks(input, i, u.size(), [&factors, &finish, u, mu, nu](std::size_t first, std::size_t last) {
      const Factors f = factors;  // its own: what nothing else can reach stays in registers
      for (std::size_t j = first; j < last; ++j) {
        mu[j] = stored(f.store, f.wide, f.wide.lerp(mu[j], u[j], f.d1));
        nu[j] = stored(f.store, f.wide, f.wide.lerp(nu[j], f.wide.square(u[j]), f.d2));
        u[j] = finish(f, mu[j], nu[j], j);
      }
    });
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
