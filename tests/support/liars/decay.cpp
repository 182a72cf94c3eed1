// Weight decay: when, of what, and with which sign; maximising.
#include "support/liars/lying.hpp"

namespace microstep::liars {
namespace {

/// u <- u - factor w on every leaf.
template <class A>
void decay_once(Step<A>& s, double factor) {
  for (std::size_t i = 0; i < s.updates.leaf_count(); ++i) {
    if (!s.params.is_dense(i) || s.updates.presence(i) == Presence::absent) continue;
    auto u = s.updates.dense_values(i, A::constant(0));
    auto w = s.params.values(i);
    for (std::size_t j = 0; j < u.size(); ++j)
      u[j] = s.arithmetic.subtract(u[j], s.arithmetic.multiply(s.arithmetic.hyper(factor), w[j]));
  }
}

/// Decoupled decay runs in held microsteps too; lr wd = 0.01.
template <class A>
class DecayEveryMicrostep final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (s.held()) decay_once(s, 0.01);
  }
};

/// Decay of the weight after Adam's step: -lr wd (w - lr a) in place of -lr wd w, a the step.
template <class A>
class DecayAfterStep final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    const A& a = s.arithmetic;
    auto* before = find_state(s.before, "schedule_count");
    const double lr = schedule_value(this->spec_.args.at("lr"), before ? before->count("schedule_count") : 0);
    const double both = lr * this->spec_.number("weight_decay");
    for (std::size_t i = 0; i < s.updates.leaf_count(); ++i) {
      if (!s.updates.is_dense(i)) continue;
      for (std::size_t j = 0; j < s.updates.values(i).size(); ++j) {
        auto& u = s.updates.values(i)[j];
        const auto step = a.add(u, a.multiply(a.hyper(both), s.params.values(i)[j]));
        u = a.subtract(u, a.multiply(a.hyper(both), step));
      }
    }
  }
};

/// The coupled (L2) form was claimed; the moments never see the decay.
template <class A>
class Decoupled final : public Lying<A> {
 public:
  Decoupled(const Spec& spec, const std::string& detail) : Lying<A>(spec, detail), adam_(build<A>(spec.of[1])) {}

 protected:
  void instead(Step<A>& s) const override {
    adam_->update(s.arithmetic, s.updates, s.state.of[1], s.params, s.input);
    decay_once(s, 0.01);
  }

 private:
  TransformationPointer<A> adam_;
};

/// The decoupled form was claimed; the decay goes into the gradient, so the moments see it and Adam scales it away.
template <class A>
class DecayIntoGradient final : public Lying<A> {
 public:
  DecayIntoGradient(const Spec& spec, const std::string& detail)
      : Lying<A>(spec, detail), undecayed_(build<A>(without_decay(spec))) {}

 protected:
  void before(Step<A>& s) const override { decay_once(s, -this->spec_.number("weight_decay")); }
  void instead(Step<A>& s) const override { undecayed_->update(s.arithmetic, s.updates, s.state, s.params, s.input); }

 private:
  static Spec without_decay(Spec spec) {
    spec.args["weight_decay"] = Value(0);
    return spec;
  }

  TransformationPointer<A> undecayed_;
};

void with_zero_gradients(Plan& plan) {
  for (GivenGradient& given : plan.given) given.gradient.mark_all(Presence::zero);
}

constexpr std::string_view coupled = "chain(add_decayed_weights(0.1), adam(0.1))";

const std::vector<Liar> rows = {
    {"decay-every-microstep",
     {"B030"},
     "micro-state",
     "multi_steps(chain(add_decayed_weights(0.1), sgd(0.1)), k=3)",
     "decoupled decay runs in every microstep",
     "",
     makers<DecayEveryMicrostep>(),
     {},
     nullptr,
     with_zero_gradients},
    {"decay-after-step",
     {"B044"},
     "decay-form",
     "adamw(0.1, eps=0, weight_decay=0.5)",
     "decays the weight that the step has already moved",
     "",
     makers<DecayAfterStep>()},
    {"decay-after-scheduled-step",
     {"B053"},
     "decay-form",
     "adamw([[0, 0.1], [1, 0.2]], eps=0, weight_decay=0.5)",
     "the same with a changing learning rate",
     "",
     makers<DecayAfterStep>()},
    {"decoupled-for-coupled",
     {"B047"},
     "decay-form",
     coupled,
     "AdamW's rule where L2 was claimed",
     "",
     makers<Decoupled>()},
    {"decay-into-gradient",
     {},
     "decay-form",
     "adamw(0.1, weight_decay=0.1)",
     "L2 where decoupled decay was claimed: what B046 reports of Lion",
     "",
     makers<DecayIntoGradient>()},
    {"decay-after-rate",
     {"B049"},
     "decay-form",
     "chain(scale_by_adam(eps=0), add_decayed_weights(0.5), scale(-0.1))",
     "the chain adds the decay behind the learning rate",
     "chain(scale_by_adam(eps=0), scale(-0.1), add_decayed_weights(0.5))",
     makers<Substitute>()},
    {"decay-ignored",
     {"B050", "B052"},
     "decay-form",
     "chain(add_decayed_weights(0.1), sgd(1))",
     "decay is left out where momentum is 0",
     "chain(add_decayed_weights(0), sgd(1))",
     makers<Substitute>()},
    {"decay-mask-ignored",
     {},
     "decay-form",
     "chain(add_decayed_weights(0.1, mask=[\"w\"]), sgd(1))",
     "every leaf decays",
     "chain(add_decayed_weights(0.1), sgd(1))",
     makers<Substitute>()},
    {"maximise-by-rate",
     {"B113"},
     "sign",
     "chain(scale(-1), add_decayed_weights(0.1), scale(-1))",
     "flips the learning rate and the decay with it",
     "chain(scale(1), add_decayed_weights(0.1), scale(1))",
     makers<Substitute>()},
    {"maximise-dropped",
     {"B115"},
     "sign",
     "scale(1)",
     "the negated gradient is computed, the other one passed on",
     "scale(-1)",
     makers<Substitute>()},
    {"sign-flipped",
     {},
     "sign",
     "multi_steps(chain(scale(-0.5)), k=2)",
     "steps up in place of down",
     "multi_steps(chain(scale(0.5)), k=2)",
     makers<Substitute>()},
};

}  // namespace

std::vector<Liar> decay_liars() { return rows; }

}  // namespace microstep::liars
