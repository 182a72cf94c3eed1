// Which microstep closes a window, and what the inner optimizer does meanwhile.
#include "support/liars/lying.hpp"

namespace microstep::liars {
namespace {

/// The inner optimizer runs in every microstep, and the sum of its updates is emitted.
template <class A>
class InnerAwake final : public Lying<A> {
 public:
  InnerAwake(const Spec& spec, const std::string& detail) : Lying<A>(spec, detail), inner_(build<A>(spec.of[0])) {}

 protected:
  void instead(Step<A>& s) const override {
    inner_->update(s.arithmetic, s.updates, s.state.of[0], s.params, s.input);
    auto& sum = s.state.slot("acc_grads");
    bool first = s.state.count("mini_step") == 0;
    for (std::size_t i = 0; i < sum.leaf_count(); ++i) add(s, sum, i, first);
    if (++s.state.count("mini_step") < this->spec_.integer("k")) return hold(s.updates, s.params);
    s.updates = sum;
    sum.mark_all(Presence::zero);
    s.state.count("mini_step") = 0;
    ++s.state.count("gradient_step");
  }

 private:
  static void add(Step<A>& s, Tree<typename A::Value>& sum, std::size_t i, bool first) {
    if (!s.updates.is_dense(i)) return;
    auto to = sum.dense_values(i, A::constant(0));
    for (std::size_t j = 0; j < to.size(); ++j)
      to[j] = first ? s.updates.values(i)[j] : s.arithmetic.add(to[j], s.updates.values(i)[j]);
  }

  TransformationPointer<A> inner_;
};

/// Moments move in held microsteps although nothing is emitted.
template <class A>
class MomentsAwake final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    auto* moments = find_state(s.state, "mu");
    if (s.held() && moments) multiply_all(s.arithmetic, moments->slot("mu"), 0.5);
  }
};

/// The first window is closed one microstep early.
template <class A>
class Shifted final : public Lying<A> {
 public:
  using Lying<A>::Lying;
  State<typename A::Value> init(const A& arithmetic, const Tree<typename A::Value>& params) const override {
    auto state = Lying<A>::init(arithmetic, params);
    state.count("mini_step") = 1;
    return state;
  }
};

/// gradient_step is not counted.
template <class A>
class Uncounted final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override { s.state.count("gradient_step") = 0; }
};

/// A full window's update is thrown away.
template <class A>
class Silent final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override { hold(s.updates, s.params); }
};

/// A held microstep hands its gradient out.
template <class A>
class LeakyHold final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (s.held()) s.updates = s.gradients;
  }
};

/// Detail is the factor by which an update is off where k = 1.
template <class A>
class OffAtOne final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (this->spec_.op == "multi_steps" && this->spec_.integer("k") == 1) multiply_all(s.arithmetic, s.updates, 0.5);
  }
};

void with_partial_window(Plan& plan) { plan.batches.pop_back(); }

constexpr std::string_view flush_by_three = "multi_steps(sgd(1), k=3, partial=flush)";

const std::vector<Liar> rows = {
    {"inner-awake",
     {"B031"},
     "micro-state",
     "multi_steps(adam(1), k=2)",
     "Adam runs in every microstep and the sum of its updates is emitted",
     "",
     makers<InnerAwake>()},
    {"moments-awake",
     {},
     "micro-state",
     "multi_steps(adam(0.1), k=2)",
     "mu decays in held microsteps",
     "",
     makers<MomentsAwake>()},
    {"stepped-every-time",
     {"B084"},
     "boundary",
     "multi_steps(sgd(1), k=2)",
     "k has no effect",
     "multi_steps(sgd(1), k=1)",
     makers<Substitute>()},
    {"k-off-by-one",
     {},
     "boundary",
     "multi_steps(sgd(1), k=2)",
     "windows have k + 1 microsteps",
     "multi_steps(sgd(1), k=3)",
     makers<Substitute>()},
    {"boundary-shifted",
     {"B081"},
     "boundary",
     "multi_steps(sgd(1), k=3)",
     "the first window is one microstep short",
     "",
     makers<Shifted>()},
    {"uncounted-emissions",
     {},
     "boundary",
     "multi_steps(adam(0.1), k=2)",
     "gradient_step stays 0",
     "",
     makers<Uncounted>()},
    {"zero-update",
     {"B192", "B194"},
     "boundary",
     "multi_steps(sgd(1), k=2)",
     "every update is zero",
     "",
     makers<Silent>()},
    {"leaky-hold",
     {},
     "boundary",
     "multi_steps(adam(0.1), k=2)",
     "a held microstep hands its gradient out",
     "",
     makers<LeakyHold>()},
    {"off-at-one",
     {},
     "boundary",
     "multi_steps(adam(0.1), k=1)",
     "halves the update where k is 1",
     "",
     makers<OffAtOne>()},
    {"partial-by-k",
     {"B073"},
     "partial-window",
     flush_by_three,
     "the last short window is divided by k and not by its length",
     "multi_steps(sgd(1), k=3, partial=flush_by_k)",
     makers<Substitute>(),
     {},
     nullptr,
     with_partial_window},
    {"partial-dropped",
     {"B074"},
     "partial-window",
     flush_by_three,
     "the last short window is dropped",
     "multi_steps(sgd(1), k=3, partial=drop)",
     makers<Substitute>(),
     {},
     nullptr,
     with_partial_window},
};

}  // namespace

std::vector<Liar> window_liars() { return rows; }

}  // namespace microstep::liars
