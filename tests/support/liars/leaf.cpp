// Leaves that are empty, absent, tied, masked or mixed up.
#include "support/liars/lying.hpp"

namespace microstep::liars {
namespace {

/// The first leaf without elements ends the walk over the leaves.
template <class A>
class StopsAtEmpty final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    bool stopped = false;
    for (std::size_t i = 0; i < s.updates.leaf_count(); ++i) stopped = stopped || s.updates.leaf(i).size == 0;
    if (stopped) hold(s.updates, s.params);
  }
};

/// The leaf before an empty one is written over.
template <class A>
class WritesBeyondEmpty final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    for (std::size_t i = 1; i < s.updates.leaf_count(); ++i)
      if (s.updates.leaf(i).size == 0) on_leaf(s.updates, i - 1, [](auto& x) { x = A::constant(1); });
  }
};

/// An absent gradient does not count in the divisor of its leaf: it is replaced by the running mean.
template <class A>
class AbsentUncounted final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void before(Step<A>& s) const override {
    const auto& acc = s.state.slot("acc_grads");
    for (std::size_t i = 0; i < acc.leaf_count(); ++i) {
      if (s.updates.presence(i) != Presence::absent || !acc.is_dense(i)) continue;
      auto to = s.updates.dense_values(i, A::constant(0));
      std::ranges::copy(acc.values(i), to.begin());
    }
  }
};

/// None is taken as zero: momentum goes on.
template <class A>
class AbsentAsZero final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void before(Step<A>& s) const override {
    for (std::size_t i = 0; i < s.updates.leaf_count(); ++i)
      if (s.updates.presence(i) == Presence::absent) s.updates.mark(i, Presence::zero);
  }
};

/// A zero gradient is taken as None: nothing moves.
template <class A>
class ZeroAsAbsent final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void before(Step<A>& s) const override {
    for (std::size_t i = 0; i < s.updates.leaf_count(); ++i)
      if (is_zero_leaf<A>(s.updates, i)) s.updates.mark(i, Presence::absent);
  }
};

/// The first two leaves are one parameter; the total gradient that both were given is summed again.
template <class A>
class TiedTwice final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void before(Step<A>& s) const override {
    for (std::size_t i = 0; i < 2; ++i) on_leaf(s.updates, i, [&](auto& x) { x = s.arithmetic.add(x, x); });
  }
};

/// The updates of the first two leaves, of one size, are exchanged.
template <class A>
class Swapped final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (!s.updates.is_dense(0) || !s.updates.is_dense(1)) return;
    std::ranges::swap_ranges(s.updates.values(0), s.updates.values(1));
  }
};

void with_absent_second(Plan& plan) { plan.given[1].gradient.mark(0, Presence::absent); }
void with_zero_second(Plan& plan) { plan.given[1].gradient.mark(0, Presence::zero); }

const std::vector<Liar> rows = {
    {"stops-at-empty",
     {"B120"},
     "empty",
     "multi_steps(adam(0.1), k=2)",
     "an empty leaf stops the others",
     "",
     makers<StopsAtEmpty>()},
    {"writes-beyond-empty",
     {"B122"},
     "empty",
     "sgd(0.1)",
     "an empty leaf's neighbour is written over",
     "",
     makers<WritesBeyondEmpty>()},
    {"absent-uncounted",
     {"B124"},
     "absent",
     "multi_steps(sgd(1), k=2)",
     "an absent gradient does not count in the divisor",
     "",
     makers<AbsentUncounted>(),
     {},
     nullptr,
     with_absent_second},
    {"absent-as-zero",
     {"B126"},
     "absent",
     "sgd(1, momentum=0.9)",
     "None is taken as zero",
     "",
     makers<AbsentAsZero>(),
     {},
     nullptr,
     with_absent_second},
    {"zero-as-absent",
     {"B127"},
     "absent",
     "adam(1)",
     "zero is taken as None",
     "",
     makers<ZeroAsAbsent>(),
     {},
     nullptr,
     with_zero_second},
    {"tied-twice",
     {"B128"},
     "tied",
     "sgd(0.5)",
     "the total gradient of a shared parameter is summed again",
     "",
     makers<TiedTwice>()},
    {"leaves-swapped",
     {},
     "formula",
     "multi_steps(sgd(0.1), k=2)",
     "two leaves exchange their updates",
     "",
     makers<Swapped>()},
    {"mask-ignored",
     {},
     "absent",
     "masked(sgd(0.1), mask=[\"w\"])",
     "the inner sees every leaf",
     "masked(sgd(0.1), mask=[\"*\"])",
     makers<Substitute>()},
};

}  // namespace

std::vector<Liar> leaf_liars() { return rows; }

}  // namespace microstep::liars
