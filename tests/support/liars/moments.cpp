// Adam's formula, its time index and its eps; momentum; averages.
#include "support/liars/adam_formula.hpp"
#include "support/liars/lying.hpp"

namespace microstep::liars {
namespace {

/// The honest moments, then another formula for the step.
template <class A, template <class> class Formula>
class WithFormula : public Lying<A> {
 public:
  using V = typename A::Value;
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    auto* moments = find_state(s.state, "mu");
    if (s.held() || !moments) return;
    for (std::size_t i = 0; i < s.updates.leaf_count(); ++i)
      if (s.updates.is_dense(i) && moments->slot("mu").is_dense(i)) rewrite(s, *moments, i);
  }

 private:
  void rewrite(Step<A>& s, const State<V>& moments, std::size_t i) const {
    const Spec& adam = *find_spec(this->spec_, "adam");
    const std::int64_t t = moments.count("count");
    const std::int64_t k = this->spec_.op == "multi_steps" ? this->spec_.integer("k") : 1;
    const A a = s.arithmetic.at(s.updates.leaf(i).dtype);
    auto u = s.updates.values(i);
    for (std::size_t j = 0; j < u.size(); ++j) {
      const Moment<A> moment{a,
                             moments.slot("mu").values(i)[j],
                             moments.slot("nu").values(i)[j],
                             adam.number("b1"),
                             adam.number("b2"),
                             adam.number("eps"),
                             t,
                             t * k};
      u[j] = a.multiply(a.hyper(-adam.number("lr")), Formula<A>::step(moment));
    }
  }
};

template <template <class> class Formula, class A>
TransformationPointer<A> make_formula(const Spec& spec, const std::string& detail) {
  return std::make_shared<WithFormula<A, Formula>>(spec, detail);
}
template <template <class> class Formula>
constexpr Makers formula() {
  return {make_formula<Formula, Plain<float>>, make_formula<Formula, Plain<double>>,
          make_formula<Formula, Balls<Wide>>};
}

/// The corrected first moment is written back into the state.
template <class A>
class Compounding final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    auto* moments = find_state(s.state, "mu");
    if (s.held() || !moments) return;
    const auto correction = s.arithmetic.one_minus_power(0.9, moments->count("count"));
    on_all(moments->slot("mu"), [&](auto& x) { x = s.arithmetic.divide(x, correction); });
  }
};

/// Moments are computed and not stored.
template <class A>
class Frozen final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    auto *now = find_state(s.state, "mu"), *then = find_state(s.before, "mu");
    if (now && then) now->slots = then->slots;
  }
};

/// The gradient is multiplied by detail before it enters the momentum buffer.
template <class A>
class Dampened final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void before(Step<A>& s) const override { multiply_all(s.arithmetic, s.updates, this->detail_ == "0.5" ? 0.5 : 0.1); }
};

void for_65_microsteps(Plan& plan) {
  const auto given = static_cast<std::int64_t>(plan.given.size());
  while (plan.batches.size() < 65) plan.batches.push_back({static_cast<std::int64_t>(plan.batches.size()) % given});
}

constexpr std::string_view adam = "adam(1)";

const std::vector<Liar> rows = {
    {"micro-time",
     {"B055"},
     "time-index",
     "multi_steps(adam(1), k=2)",
     "the bias correction reads a counter of microsteps",
     "",
     formula<InMicroTime>()},
    {"uncorrected", {"B057"}, "time-index", adam, "no bias correction", "", formula<Uncorrected>()},
    {"first-uncorrected",
     {"B058"},
     "time-index",
     adam,
     "the first moment is not corrected",
     "",
     formula<FirstUncorrected>()},
    {"time-from-zero", {"B059"}, "time-index", adam, "the first step is taken at time 0: 0/0", "", formula<FromZero>()},
    {"time-frozen",
     {"B198"},
     "time-index",
     "multi_steps(adam(1), k=2)",
     "the correction is always that of step 1",
     "",
     formula<FrozenTime>()},
    {"complement-twice", {"B064"}, "time-index", adam, "divides by b1^t for 1 - b1^t", "", formula<ComplementTwice>()},
    {"compounding",
     {"B060", "B198"},
     "time-index",
     adam,
     "the correction is made in place on mu",
     "",
     makers<Compounding>()},
    {"eps-scaled",
     {"B100", "B102"},
     "eps",
     "adam(1, eps=0.001)",
     "eps is divided by the root of the bias correction",
     "",
     formula<EpsScaled>()},
    {"eps-inside",
     {},
     "eps",
     "multi_steps(adam(0.1, eps=0.001), k=2)",
     "eps stands inside the root",
     "",
     formula<EpsInside>()},
    {"no-root", {"B106"}, "formula", adam, "divides by nu, not by its root", "", formula<NoRoot>()},
    {"not-a-number",
     {"B117"},
     "backend-split",
     "adamw(0.1)",
     "an integer is read as a float: NaN",
     "",
     formula<NotANumber>()},
    {"integer-decay",
     {"B093"},
     "dtype",
     "adam(1, b1=0)",
     "b1 is the integer 0, whose powers are NaN from count 64 on",
     "",
     formula<UpToCount63>(),
     {},
     nullptr,
     for_65_microsteps},
    {"state-frozen", {"B116"}, "backend-split", adam, "mu and nu are computed and not stored", "", makers<Frozen>()},
    {"b2-as-float32",
     {"B095"},
     "dtype",
     adam,
     "b2 travels as a float32",
     "adam(1, b2=0.9990000128746033)",
     makers<Substitute>()},
    {"b2-truncated", {"B096"}, "dtype", adam, "b2 is cut to bfloat16", "adam(1, b2=0.99609375)", makers<Substitute>()},
    {"dampened",
     {"B107"},
     "formula",
     "chain(trace(0.9), scale(-1))",
     "dampening from the first step on",
     "0.5",
     makers<Dampened>()},
    {"momentum-as-average",
     {"B109"},
     "formula",
     "chain(trace(0.9), scale(-1))",
     "(1 - m) g enters the buffer",
     "0.1",
     makers<Dampened>()},
    {"nesterov-ignored",
     {},
     "formula",
     "sgd(0.1, momentum=0.9, nesterov=true)",
     "the plain momentum",
     "sgd(0.1, momentum=0.9)",
     makers<Substitute>()},
    {"ema-biased",
     {},
     "time-index",
     "multi_steps(ema(0.9), k=2)",
     "the average is not debiased",
     "multi_steps(ema(0.9, debias=false), k=2)",
     makers<Substitute>()},
};

}  // namespace

std::vector<Liar> moment_liars() { return rows; }

}  // namespace microstep::liars
